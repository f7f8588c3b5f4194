"""Keyword lookup in a PDS3 or ISIS label: by name anywhere, or by ``BLOCK.NAME`` (AreoRAG §III-B)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .. import normalise as nz
from ..readers.odl import Block, Empty

_SKIP = {"COLUMN", "BIT_COLUMN", "ELEMENT_DEFINITION", "FIELD", "CONTAINER"}


class View:
    """Index of a label's keywords. Namespaces are optional: ``BINNING`` finds ``MRO:BINNING``.

    A bare name prefers the outermost block, then document order; columns of tables are not searched.
    """

    def __init__(self, root: Block) -> None:
        self.root = root
        self._by_name: dict[str, list[tuple[int, str, Any]]] = {}
        self._index(root, 0, "")

    def _index(self, block: Block, depth: int, path: str) -> None:
        for key, value in block.items:
            name = key.upper()
            if isinstance(value, Block):
                if name not in _SKIP and depth < 12:
                    self._index(value, depth + 1, f"{path}.{name}")
                continue
            entry = (depth, path, value)
            self._by_name.setdefault(name, []).append(entry)
            if ":" in name and not name.startswith("^"):
                self._by_name.setdefault(name.rsplit(":", 1)[1], []).append(entry)

    def raw(self, path: str) -> Any:
        """Value at ``NAME`` or ``BLOCK.NAME`` as parsed (with units), or None."""
        block, _, name = path.upper().rpartition(".")
        entries = self._by_name.get(name)
        if not entries:
            return None
        if block:
            entries = [e for e in entries if e[1].endswith("." + block)]
        best = min(entries, key=lambda e: e[0], default=None)
        if best is None or isinstance(best[2], Empty):
            return None
        return best[2]

    def values(self, *paths: str) -> Iterator[Any]:
        """The values present at any of the paths, in the order of the paths."""
        for path in paths:
            value = self.raw(path)
            if value is not None:
                yield value

    def text(self, *paths: str) -> str | None:
        """First non-null text."""
        return next((t for t in (nz.text(v) for v in self.values(*paths)) if t is not None), None)

    def texts(self, *paths: str) -> list[str]:
        """All texts of the first path that has any."""
        for value in self.values(*paths):
            out = nz.texts(value)
            if out:
                return out
        return []

    def number(self, *paths: str) -> float | None:
        """First number."""
        return next((n for n in (nz.number(v) for v in self.values(*paths)) if n is not None), None)

    def has(self, name: str) -> bool:
        """Whether a keyword occurs anywhere."""
        return name.upper() in self._by_name

    def block(self, name: str) -> Block | None:
        """The first block of that name at any depth."""
        upper = name.upper()
        return next((b for b in self.root.walk() if b.name.upper() == upper), None)
