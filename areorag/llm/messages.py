"""What goes to a language model and what comes back: messages, replies, usage, budgets (no provider here).

Entropy (AreoRAG §III-D) needs the first k log-probabilities of every answer token: they are part of a reply.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

from ..errors import BudgetError

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True)
class Message:
    """One turn of a conversation."""

    role: Role
    content: str


@dataclass(frozen=True)
class TokenChoice:
    """One answer token: its log-probability (natural log) and the most probable alternatives, best first."""

    token: str
    logprob: float
    top: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class Request:
    """Everything that determines a reply; equal requests have equal cache keys."""

    messages: tuple[Message, ...]
    max_tokens: int = 512
    temperature: float = 0.0
    top_logprobs: int = 0
    schema: dict[str, Any] | None = None
    stop: tuple[str, ...] = ()
    seed: int = 0


@dataclass(frozen=True)
class Reply:
    """A model's answer with what it cost."""

    text: str
    tokens_in: int
    tokens_out: int
    logprobs: tuple[TokenChoice, ...] = ()
    cached: bool = False
    finish: str = "stop"


@runtime_checkable
class Backend(Protocol):
    """A provider: sends one request, does not retry, cache or count."""

    name: str

    def send(self, request: Request) -> Reply:
        """Answer one request; raises `Transient` where trying again may help, `ModelError` where not."""


class Transient(Exception):
    """A failure that may pass: rate limit, timeout, server error. `wait_s`: what the service asked to wait."""

    def __init__(self, message: str, wait_s: float | None = None) -> None:
        super().__init__(message)
        self.wait_s = wait_s


@dataclass
class Usage:
    """What a model was asked so far. Replies from the cache count as `cached`, never as calls or tokens."""

    calls: int = 0
    cached: int = 0
    retries: int = 0
    failures: int = 0
    cut: int = 0  # replies cut off at their limit of which a part was used
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0

    @property
    def tokens(self) -> int:
        """Prompt and answer tokens together."""
        return self.tokens_in + self.tokens_out

    def cost(self, price_in: float, price_out: float) -> float:
        """Price of the tokens; prices are per million tokens."""
        return (self.tokens_in * price_in + self.tokens_out * price_out) / 1e6

    def as_dict(self) -> dict[str, Any]:
        """JSON form."""
        return {
            "calls": self.calls,
            "cached": self.cached,
            "retries": self.retries,
            "failures": self.failures,
            "cut": self.cut,
            "tokens_in": self.tokens_in,
            "tokens_out": self.tokens_out,
            "seconds": round(self.seconds, 3),
        }


@dataclass
class Budget:
    """Hard limits on calls, tokens and seconds; None means no limit. Checked before a call is made."""

    max_calls: int | None = None
    max_tokens: int | None = None
    max_seconds: float | None = None
    started: float = field(default_factory=time.monotonic)
    calls: int = 0
    tokens: int = 0

    def check(self, expected_tokens: int = 0) -> None:
        """Raise when the next call would pass a limit.

        Raises
        ------
        BudgetError
            Names the limit and its value.
        """
        if self.max_calls is not None and self.calls + 1 > self.max_calls:
            raise BudgetError(f"the budget of {self.max_calls} language-model calls is used up. Raise llm_max_calls")
        if self.max_tokens is not None and self.tokens + expected_tokens > self.max_tokens:
            raise BudgetError(
                f"the budget of {self.max_tokens:,} tokens is used up ({self.tokens:,} spent, the next call may take "
                f"{expected_tokens:,}). Raise llm_max_tokens"
            )
        if self.max_seconds is not None and time.monotonic() - self.started > self.max_seconds:
            raise BudgetError(f"the budget of {self.max_seconds:g} seconds is used up")

    def spend(self, tokens: int) -> None:
        """Count one call."""
        self.calls += 1
        self.tokens += tokens


def estimate_tokens(texts: Sequence[str]) -> int:
    """Rough number of tokens of a prompt: a quarter of the UTF-8 bytes and four per message, rounded up."""
    return sum(len(t.encode("utf-8", "replace")) // 4 + 5 for t in texts)
