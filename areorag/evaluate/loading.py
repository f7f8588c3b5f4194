"""Observations into a graph for an evaluation, as ingest writes them: rows built and written a page at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..graph.connection import Database
from ..graph.model import Observation
from ..graph.writer import write_observations
from ..ingest.build import RowBuilder
from ..llm.embed import get_embedder
from ..settings import Settings

PAGE = 1000


def load(
    db: Database,
    settings: Settings,
    observations: Sequence[Observation],
    run: str,
    told: Callable[[int, int], None] | None = None,
) -> None:
    """Write `observations`; `run` names the ingest run, ``told(done, all)`` hears of each page."""
    builder = RowBuilder(settings, get_embedder(settings))
    for at in range(0, len(observations), PAGE):
        write_observations(db, builder.build(list(observations[at : at + PAGE])), run)
        if told is not None:
            told(min(at + PAGE, len(observations)), len(observations))
