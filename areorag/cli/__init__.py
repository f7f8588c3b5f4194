"""The ``areorag`` command (typer + rich). Everything heavy is imported inside the commands, so ``--help`` is instant.

Exit codes: 0 ok, 1 failed, 2 wrong use, 130 interrupted. Errors are one line on stderr; ``--debug`` shows a traceback.
"""

from __future__ import annotations

import logging
import sys
from typing import NoReturn

import typer

from ..errors import AreoRAGError
from . import database, evaluation, main_commands, text_commands, training
from .common import State, err

app = typer.Typer(
    name="areorag",
    help="Ask planetary archives: exact space and time, cited answers, conflicts explained by physics.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.add_typer(database.app, name="db")
app.add_typer(evaluation.app, name="eval")
app.add_typer(training.app, name="train")
main_commands.register(app)
text_commands.register(app)
evaluation.register_bench(app)


def _version(value: bool) -> None:
    if value:
        from .. import __version__

        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _options(
    debug: bool = typer.Option(False, "--debug", help="Show tracebacks and log everything."),
    quiet: bool = typer.Option(False, "--quiet", "-q", help="No progress bars."),
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Show the version."),
) -> None:
    State.debug, State.quiet = debug, quiet
    logging.basicConfig(
        level=logging.DEBUG if debug else logging.WARNING,
        format="%(levelname)s %(name)s: %(message)s",
        stream=sys.stderr,
    )
    logging.getLogger("neo4j").setLevel(logging.ERROR)


def _interrupted(exc: BaseException) -> bool:
    """Whether an error only followed from Ctrl-C (a driver that was cut off while it sent fails when it closes)."""
    seen: BaseException | None = exc
    while seen is not None:
        if isinstance(seen, KeyboardInterrupt):
            return True
        seen = seen.__cause__ or seen.__context__
    return False


def _stopped() -> NoReturn:
    err("stopped. What was finished is kept; run the same command again to go on")
    sys.exit(130)


def main() -> None:
    """Entry point: run the command, turn errors into one line and an exit code."""
    try:
        app()
    except AreoRAGError as exc:
        if State.debug:
            raise
        if _interrupted(exc):
            _stopped()
        err(str(exc))
        sys.exit(exc.exit_code)
    except KeyboardInterrupt:
        _stopped()
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except OSError as exc:
        if State.debug:
            raise
        where = f" {exc.filename}" if exc.filename else ""
        err(f"{exc.strerror or exc}:{where}")
        sys.exit(1)
    except Exception as exc:
        if State.debug:
            raise
        if _interrupted(exc):
            _stopped()
        err(f"{type(exc).__name__}: {exc}. Show where with  areorag --debug …")
        sys.exit(1)
