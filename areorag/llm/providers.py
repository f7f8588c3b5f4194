"""Providers: any OpenAI-compatible endpoint, and any LangChain chat model named as ``module:attribute``.

A provider sends one request. Secrets stay in the client: no message of ours shows a key, a header or a URL with one.
"""

from __future__ import annotations

import importlib
from typing import Any

from ..errors import ModelError, SettingsError
from ..settings import Settings
from .messages import Reply, Request, TokenChoice, Transient, estimate_tokens


class OpenAIBackend:
    """Chat completions of an OpenAI-compatible endpoint (``llm_base_url``, ``llm_api_key``)."""

    def __init__(self, model: str, settings: Settings, *, base_url: str | None = None, name: str | None = None) -> None:
        from openai import OpenAI

        self.model = model
        self.name = name or f"openai:{model}"
        key = settings.llm_api_key.get_secret_value() if settings.llm_api_key else "none"
        self._client = OpenAI(
            base_url=base_url or settings.llm_base_url, api_key=key, timeout=settings.llm_timeout_s, max_retries=0
        )
        self._schema_ok = True

    def send(self, request: Request) -> Reply:
        """One chat completion."""
        import openai

        arguments: dict[str, Any] = {
            "model": self.model,
            "messages": [{"role": m.role, "content": m.content} for m in request.messages],
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
            "seed": request.seed,
        }
        if request.stop:
            arguments["stop"] = list(request.stop)
        if request.top_logprobs:
            arguments |= {"logprobs": True, "top_logprobs": min(20, request.top_logprobs)}
        if request.schema is not None and self._schema_ok:
            shape = {"name": "answer", "schema": request.schema}
            arguments["response_format"] = {"type": "json_schema", "json_schema": shape}
        try:
            return _openai_reply(self._client.chat.completions.create(**arguments), request)
        except openai.RateLimitError as exc:
            raise Transient("rate limit (429)", _retry_after(exc)) from None
        except (openai.APITimeoutError, openai.APIConnectionError) as exc:
            raise Transient(f"no answer ({type(exc).__name__})") from None
        except openai.InternalServerError as exc:
            raise Transient(f"server error ({exc.status_code})", _retry_after(exc)) from None
        except openai.AuthenticationError:
            raise ModelError(f"{self.name} refused the key. Set AREORAG_LLM_API_KEY") from None
        except openai.BadRequestError as exc:
            if "response_format" in arguments:  # the endpoint knows no schemas: ask in words only from now on
                self._schema_ok = False
                return self.send(request)
            raise ModelError(f"{self.name} refused the request ({exc.status_code})") from None
        except openai.APIStatusError as exc:
            raise ModelError(f"{self.name} answered {exc.status_code}") from None


def _retry_after(exc: Any) -> float | None:
    """Seconds of a Retry-After header, where there is one."""
    try:
        return float(exc.response.headers.get("retry-after", ""))
    except (AttributeError, TypeError, ValueError):
        return None


def _openai_reply(answer: Any, request: Request) -> Reply:
    if not answer.choices:
        raise Transient("an answer without a choice")
    choice = answer.choices[0]
    probs = getattr(getattr(choice, "logprobs", None), "content", None) or []
    usage = answer.usage
    text = choice.message.content or ""
    return Reply(
        text,
        int(usage.prompt_tokens) if usage else estimate_tokens([m.content for m in request.messages]),
        int(usage.completion_tokens) if usage else estimate_tokens([text]),
        tuple(
            TokenChoice(p.token, float(p.logprob), tuple((t.token, float(t.logprob)) for t in p.top_logprobs or []))
            for p in probs
        ),
        finish=choice.finish_reason or "stop",
    )


class LangChainBackend:
    """A LangChain chat model: ``module:attribute`` names the model or a callable without arguments that makes it."""

    def __init__(self, path: str, settings: Settings) -> None:
        module, _, attribute = path.partition(":")
        if not attribute:
            raise SettingsError(f"llm = langchain:{path} names no attribute: use langchain:<module>:<attribute>")
        try:
            found = getattr(importlib.import_module(module), attribute)
        except (ImportError, AttributeError) as exc:
            raise ModelError(f"langchain:{path} cannot be imported: {exc}") from None
        self._model = found if hasattr(found, "invoke") and not isinstance(found, type) else found()
        if not hasattr(self._model, "invoke"):
            raise ModelError(f"langchain:{path} is no chat model: it has no invoke")
        self.name = f"langchain:{path}"

    def send(self, request: Request) -> Reply:
        """One `invoke`; limits go in as bound arguments where the model takes them."""
        turns = [(m.role, m.content) for m in request.messages]
        model = self._model
        if hasattr(model, "bind"):
            extra: dict[str, Any] = {"max_tokens": request.max_tokens, "temperature": request.temperature}
            if request.top_logprobs:
                extra |= {"logprobs": True, "top_logprobs": request.top_logprobs}
            if request.stop:
                extra["stop"] = list(request.stop)
            model = model.bind(**extra)
        try:
            answer = model.invoke(turns)
        except Exception as exc:  # noqa: BLE001  a LangChain model raises whatever its client raises
            status = getattr(exc, "status_code", None)
            if status == 429 or (isinstance(status, int) and status >= 500) or "imeout" in type(exc).__name__:
                raise Transient(f"{type(exc).__name__} ({status})") from None
            raise ModelError(f"{self.name} failed: {type(exc).__name__}") from None
        return _langchain_reply(answer, request)


def _langchain_reply(answer: Any, request: Request) -> Reply:
    content = getattr(answer, "content", answer)
    if isinstance(content, list):
        content = "".join(c if isinstance(c, str) else str(c.get("text", "")) for c in content)
    text = str(content)
    usage = getattr(answer, "usage_metadata", None) or {}
    meta = getattr(answer, "response_metadata", None) or {}
    probs = (meta.get("logprobs") or {}).get("content") or []
    return Reply(
        text,
        int(usage.get("input_tokens") or estimate_tokens([m.content for m in request.messages])),
        int(usage.get("output_tokens") or estimate_tokens([text])),
        tuple(
            TokenChoice(
                p["token"], float(p["logprob"]), tuple((t["token"], float(t["logprob"])) for t in p["top_logprobs"])
            )
            for p in probs
        ),
    )
