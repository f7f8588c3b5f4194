"""Language models behind one class: cache, budget, rate limit, retries and structured output for any provider.

``settings.llm``: ``none`` (every step then takes its deterministic path), ``openai:<model>`` (any OpenAI-compatible
endpoint), ``local`` or ``local:<file.gguf>`` (extra ``[local-llm]``), ``langchain:<module:attribute>``.
"""

from __future__ import annotations

import json
import logging
import re
import threading
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import ModelError, SettingsError
from ..settings import Settings
from .messages import Backend, Budget, Message, Reply, Request, TokenChoice, Transient, Usage, estimate_tokens
from .reply_cache import ReplyCache, request_key

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["Budget", "ChatModel", "Message", "Reply", "TokenChoice", "Usage", "get_chat", "parse_json"]

log = logging.getLogger(__name__)

T = TypeVar("T", bound="BaseModel")
Prompting = str | Sequence[Message]

MAX_TRIES = 6
MAX_WAIT_S = 30.0
_MEMBER = re.compile(r"[\s,]*(?=[\[{\"\d\-tfn])")


class ChatModel:
    """A language model with everything around it that a single provider lacks.

    Parameters
    ----------
    backend : the provider
    budget : hard limits of this object
    cache : replies on disk, or None
    per_minute : most calls a minute, or None
    patience_s : how long one call may be retried
    """

    def __init__(
        self,
        backend: Backend,
        *,
        budget: Budget | None = None,
        cache: ReplyCache | None = None,
        per_minute: int | None = None,
        patience_s: float = 120.0,
        prices: tuple[float, float] = (0.0, 0.0),
        sleep: Any = time.sleep,
    ) -> None:
        self.backend, self.budget, self.cache = backend, budget or Budget(), cache
        self.per_minute, self.patience_s, self.prices = per_minute, patience_s, prices
        self.usage = Usage()
        self._sleep = sleep
        self._lock = threading.Lock()
        self._next = 0.0

    @property
    def name(self) -> str:
        """Provider and model, for traces."""
        return self.backend.name

    @property
    def cost(self) -> float:
        """Price of what was used so far, in the currency of the settings."""
        return self.usage.cost(*self.prices)

    # ------------------------------------------------------------ one call
    def complete(
        self,
        prompt: Prompting,
        *,
        max_tokens: int = 512,
        temperature: float = 0.0,
        top_logprobs: int = 0,
        schema: dict[str, Any] | None = None,
        stop: Sequence[str] = (),
    ) -> Reply:
        """Ask once.

        Parameters
        ----------
        prompt : a user message, or the whole conversation
        top_logprobs : k > 0 gives for each answer token the k most probable ones with natural log-probabilities
        schema : JSON schema the answer has to follow where the provider can enforce it

        Raises
        ------
        BudgetError
            A limit is reached; nothing was sent.
        ModelError
            The provider failed for good.
        """
        messages = (Message("user", prompt),) if isinstance(prompt, str) else tuple(prompt)
        request = Request(messages, max_tokens, temperature, top_logprobs, schema, tuple(stop))
        key = request_key(self.name, request)
        if self.cache is not None and (kept := self.cache.get(key)) is not None:
            self.usage.cached += 1
            return kept
        self.budget.check(estimate_tokens([m.content for m in messages]) + max_tokens)
        reply = self._send(request)
        self.budget.spend(reply.tokens_in + reply.tokens_out)
        if self.cache is not None:
            self.cache.put(key, reply)
        return reply

    def _send(self, request: Request) -> Reply:
        from tenacity import RetryError, Retrying, retry_if_exception_type, stop_after_attempt, stop_after_delay

        start = time.monotonic()
        tries = Retrying(
            retry=retry_if_exception_type(Transient),
            stop=stop_after_attempt(MAX_TRIES) | stop_after_delay(self.patience_s),
            wait=_wait,
            sleep=self._sleep,
            before_sleep=self._count_retry,
        )
        try:
            reply = tries(self._once, request)
        except RetryError as exc:
            self.usage.failures += 1
            last = exc.last_attempt.exception()
            raise ModelError(
                f"{self.name} did not answer after {exc.last_attempt.attempt_number} tries: {last}"
            ) from None
        except ModelError:
            self.usage.failures += 1
            raise
        finally:
            self.usage.seconds += time.monotonic() - start
        self.usage.calls += 1
        self.usage.tokens_in += reply.tokens_in
        self.usage.tokens_out += reply.tokens_out
        return reply

    def _once(self, request: Request) -> Reply:
        if self.per_minute:
            with self._lock:
                now = time.monotonic()
                at = max(now, self._next)
                self._next = at + 60.0 / self.per_minute
            if at > now:
                self._sleep(at - now)
        return self.backend.send(request)

    def _count_retry(self, state: Any) -> None:
        self.usage.retries += 1
        log.warning("%s: %s; try %d", self.name, state.outcome.exception(), state.attempt_number + 1)

    # ------------------------------------------------------------ structured output
    def structured(
        self,
        prompt: Prompting,
        model: type[T],
        *,
        max_tokens: int = 1024,
        repairs: int = 1,
        temperature: float = 0.0,
        items: str | None = None,
    ) -> T:
        """Ask for an object of a pydantic model.

        A reply that is prose, half a JSON or of the wrong shape is answered with what is wrong, `repairs` times; the
        bad reply is not kept in the cache. A reply that was cut off at `max_tokens` is not asked for again, as that would cost
        the same and be cut again: the complete members of its list `items` are taken, and without any it has failed.

        Raises
        ------
        ModelError
            No valid object came back. `BudgetError` as in `complete`.
        """
        from pydantic import ValidationError

        messages = [Message("user", prompt)] if isinstance(prompt, str) else list(prompt)
        schema = model.model_json_schema()
        problem = ""
        for _ in range(repairs + 1):
            reply = self.complete(messages, max_tokens=max_tokens, schema=schema, temperature=temperature)
            try:
                return model.model_validate(self._value(reply, items))
            except (ValidationError, ModelError) as exc:
                problem = _problem(exc)
                if reply.finish == "length":
                    problem = f"cut off at {max_tokens} tokens ({problem})"
                    break
                self._forget(messages, max_tokens, schema, temperature)
                shown = reply.text[:2000]
                messages = [
                    *messages,
                    Message("assistant", shown or "(nothing)"),
                    Message("user", f"That is not valid: {problem}. Answer with one JSON object of the schema only."),
                ]
        self.usage.failures += 1
        raise ModelError(f"{self.name} gave no valid {model.__name__}: {problem}")

    def _value(self, reply: Reply, items: str | None) -> Any:
        """The JSON value of a reply, or what is complete of it."""
        whole = complete_items(reply.text, items) if items and reply.finish == "length" else []
        if whole:
            self.usage.cut += 1
            return {items: whole}
        return parse_json(reply.text)

    def _forget(self, messages: Sequence[Message], max_tokens: int, schema: dict[str, Any], temperature: float) -> None:
        if self.cache is not None:
            request = Request(tuple(messages), max_tokens, temperature, 0, schema, ())
            self.cache.forget(request_key(self.name, request))


def _wait(state: Any) -> float:
    """Seconds before the next try: what the service asked for, else 0.5 · 2ⁿ; at most `MAX_WAIT_S`."""
    error = state.outcome.exception()
    asked = getattr(error, "wait_s", None)
    return float(min(MAX_WAIT_S, asked if asked is not None else 0.5 * 2**state.attempt_number))


def _problem(exc: Exception) -> str:
    errors = getattr(exc, "errors", None)
    if callable(errors):
        first = errors(include_input=False, include_url=False)[0]
        where = ".".join(str(p) for p in first["loc"]) or "object"
        return f"{where}: {first['msg']}"
    return str(exc)[:200]


def parse_json(text: str) -> Any:
    """The JSON value in a reply: alone, in a code fence, or after prose; a cut-off object is not mended.

    Raises
    ------
    ModelError
        There is none.
    """
    body = text.strip()
    fenced = re.search(r"```(?:json)?\s*\n(.*?)```", body, re.S)
    if fenced:
        body = fenced[1].strip()
    decoder = json.JSONDecoder()
    starts = [m.start() for m in re.finditer(r"[\[{]", body)][:50]
    for start in starts:
        try:
            return decoder.raw_decode(body, start)[0]
        except ValueError:
            continue
    raise ModelError("no JSON in the reply" if body else "an empty reply")


def complete_items(text: str, name: str) -> list[Any]:
    """The members of the list `name` in a cut-off JSON object, up to the first that is not complete.

    >>> complete_items('{"facts": [{"a": 1}, {"a": 2}, {"a"', "facts")
    [{'a': 1}, {'a': 2}]
    """
    opening = re.search(rf'"{re.escape(name)}"\s*:\s*\[', text)
    out: list[Any] = []
    at = opening.end() if opening else len(text)
    decoder = json.JSONDecoder()
    while found := _MEMBER.match(text, at):
        try:
            value, at = decoder.raw_decode(text, found.end())
        except ValueError:
            break
        out.append(value)
    return out


def get_chat(settings: Settings, *, cache: bool = True) -> ChatModel | None:
    """The language model that `settings` name, or None for ``none``.

    Raises
    ------
    SettingsError
        The name is of no known kind.
    MissingExtraError, ModelError
        The provider's package is not installed, or the model cannot be loaded.
    """
    kind, _, model = settings.llm.partition(":")
    if kind in ("none", ""):
        return None
    from . import providers

    backend: Backend
    if kind == "openai" and model:
        backend = providers.OpenAIBackend(model, settings)
    elif kind == "local":
        from .local import local_backend

        backend = local_backend(model or None, settings)
    elif kind == "langchain" and model:
        backend = providers.LangChainBackend(model, settings)
    else:
        raise SettingsError(
            f"unknown language model {settings.llm!r}: use none, openai:<model>, local[:<gguf>] or "
            "langchain:<module:attribute>"
        )
    return ChatModel(
        backend,
        budget=Budget(settings.llm_max_calls, settings.llm_max_tokens),
        cache=ReplyCache(settings.cache_dir / "replies.sqlite") if cache else None,
        per_minute=settings.llm_per_minute,
        patience_s=settings.llm_timeout_s,
        prices=(settings.llm_price_in, settings.llm_price_out),
    )
