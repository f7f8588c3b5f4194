"""``areorag train``: the learned parts. Each needs the extra ``[train]``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from .common import HomeOption, JsonOption, console, progress_bars, settings_for, write_json

app = typer.Typer(
    help="Train the embedding, the plausibility scorer or the conflict classifier.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
OutOption = Annotated[Path | None, typer.Option("--out", help="Where the weights and the curve go.")]


def _report(result: Any, json: str | None) -> None:
    write_json(json, result)
    if json != "-" and isinstance(result, dict):
        for key, value in result.items():
            if isinstance(value, int | float | str | bool):
                console().print(f"{key}  {value}")


@app.command(epilog="Example: areorag train embedding --seed 1")
def embedding(
    seed: int = 1,
    dim: int = 64,
    out: OutOption = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the checkpoint of an interrupted run.")] = False,
    use: Annotated[
        str | None, typer.Option("--use", help="Swap to 'closed' or a learned version; train nothing.")
    ] = None,
    home: HomeOption = None,
    json: JsonOption = None,
) -> None:
    """Learn directions of the Lorentz embedding from containment, incidence and co-location."""
    from ..graph.train_embedding import run

    with progress_bars() as bars:
        settings = settings_for(home)
        _report(run(settings=settings, seed=seed, dim=dim, out=out, resume=resume, use=use, progress=bars), json)


@app.command(epilog="Example: areorag train plausibility --seed 1")
def plausibility(seed: int = 1, out: OutOption = None, home: HomeOption = None, json: JsonOption = None) -> None:
    """Learn which paths of the hypergraph answer which questions."""
    from ..retrieval.train_plausibility import run

    with progress_bars() as bars:
        _report(run(settings=settings_for(home), seed=seed, out=out, progress=bars), json)


@app.command(epilog="Example: areorag train conflict --seed 1")
def conflict(seed: int = 1, out: OutOption = None, json: JsonOption = None) -> None:
    """Learn the four categories of conflict from the labelled pairs that ship with the package."""
    from ..triage.train import run

    with progress_bars() as bars:
        _report(run(settings=settings_for(None), seed=seed, out=out, progress=bars), json)
