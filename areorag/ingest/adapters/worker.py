"""The child process of `parallel`: reads file names from standard input, answers with reports on standard output."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from .parallel import read_message, write_message
from .reading import read_in_parts
from .registry import adapters


def _import_all() -> None:
    """Load the adapters and the libraries they import on first use, so that no file pays for it."""
    import shapely
    import spherely

    from ...planet import geometry, marstime

    adapters()
    assert shapely and spherely and geometry and marstime


def main() -> int:
    """Serve until the pipe closes. Whatever a library prints goes to standard error, not into the protocol."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    requests = sys.stdin.buffer
    try:
        context, adapter = read_message(requests)
        _import_all()
        write_message(answers, "ready")
        while True:
            for answer in read_in_parts(Path(read_message(requests)), context, adapter):
                write_message(answers, answer)
    except (EOFError, BrokenPipeError):
        return 0


if __name__ == "__main__":
    sys.exit(main())
