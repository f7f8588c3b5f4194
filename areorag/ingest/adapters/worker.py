"""The child process of `parallel`: reads file names from standard input, answers with reports on standard output."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from .parallel import read_message, write_message
from .reading import read_file


def main() -> int:
    """Serve until the pipe closes. Whatever a library prints goes to standard error, not into the protocol."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    requests = sys.stdin.buffer
    try:
        context, adapter = read_message(requests)
        while True:
            write_message(answers, read_file(Path(read_message(requests)), context, adapter))
    except (EOFError, BrokenPipeError):
        return 0


if __name__ == "__main__":
    sys.exit(main())
