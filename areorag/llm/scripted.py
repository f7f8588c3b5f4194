"""A model double for tests of control flow: answers from a script or a function, counts every call.

It never stands in for a model where one can run; figures are never taken with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from .messages import Reply, Request, estimate_tokens

Answer = str | Exception


class ScriptedBackend:
    """Answers in order, or whatever `answer` returns for a request; an exception in the script is raised."""

    name = "scripted"

    def __init__(self, answers: Iterable[Answer] | Callable[[Request], Answer]) -> None:
        self._function = answers if callable(answers) else None
        self._queue = [] if callable(answers) else list(answers)
        self.requests: list[Request] = []

    def send(self, request: Request) -> Reply:
        """The next answer."""
        self.requests.append(request)
        if self._function is not None:
            answer = self._function(request)
        else:
            answer = self._queue.pop(0) if self._queue else ""
        if isinstance(answer, Exception):
            raise answer
        return Reply(answer, estimate_tokens([m.content for m in request.messages]), estimate_tokens([answer]))
