"""The adapters in force: third parties' first, then the families, then the fallbacks (entry-point group ``areorag.adapters``)."""

from __future__ import annotations

import logging
from functools import lru_cache
from typing import Any

from ...errors import LabelError, UnknownNameError
from .base import Adapter, Source

GROUP = "areorag.adapters"
logger = logging.getLogger(__name__)


def builtin() -> list[Adapter]:
    """The project's own adapters, most specific first."""
    from . import cassis, chemistry, crism, features, generic3, index3, isis, orbiters3, other, pds4, rover3, tables

    return [
        index3.IndexTable(),
        isis.IsisCube(),
        orbiters3.Hirise(), orbiters3.Ctx(), crism.Crism(), orbiters3.Hrsc(), orbiters3.Themis(), orbiters3.Moc(),
        orbiters3.Mola(), orbiters3.Sharad(), orbiters3.Viking(), rover3.Rover3(), generic3.Generic3(),
        cassis.Cassis(), pds4.Rover4(), pds4.Pds4Family(),
        features.OdeRest(), features.OdeExport(), features.Stac(), other.Findings(), other.Localisation(),
        features.GeoJson(), features.GeoPackage(), tables.Zhurong(), chemistry.ChemCamOxides(), other.BareGeometry(),
        other.Accounted(),
    ]  # fmt: skip


@lru_cache(maxsize=1)
def adapters() -> tuple[Adapter, ...]:
    """All adapters in the order they are asked; a third party's that cannot be loaded is logged and left out."""
    from importlib.metadata import entry_points

    extra: list[Adapter] = []
    for point in entry_points(group=GROUP):
        try:
            loaded: Any = point.load()
            extra.append(loaded() if isinstance(loaded, type) else loaded)
        except (ImportError, AttributeError, TypeError) as exc:
            logger.warning("adapter %s of %s cannot be loaded: %s", point.name, point.value, exc)
    return (*extra, *builtin())


def get_adapter(name: str) -> Adapter:
    """The adapter of that name.

    Raises
    ------
    UnknownNameError
        No such adapter.
    """
    for adapter in adapters():
        if adapter.name == name:
            return adapter
    known = ", ".join(a.name for a in adapters())
    raise UnknownNameError(f"no adapter called {name!r}. Known: {known}")


def choose(source: Source) -> Adapter:
    """The first adapter that accepts a file; one whose label cannot be read is nobody's but the last's."""
    label_error: LabelError | None = None
    for adapter in adapters():
        try:
            if adapter.accepts(source):
                if label_error is not None and adapter.name == "none":
                    raise label_error
                return adapter
        except LabelError as exc:
            if exc is label_error:
                raise
            label_error = label_error or exc
    if label_error is not None:
        raise label_error
    raise LabelError("no adapter reads this file")
