"""Loads the Cypher statements: each is a ``.cypher`` file under ``areorag/cypher``, titled by its first comment line.

``queries/`` are run by name (`query`), ``explore/`` are for people in Neo4j Browser, ``migrations/`` by `migrate`.
A file holds one statement, except migrations, whose statements end with ``;`` at the end of a line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

from ..errors import DatabaseError

_PARAMETER = re.compile(r"\$(\w+)")


@dataclass(frozen=True)
class Statement:
    """One Cypher file: `name` (path without suffix), `title` (its first comment line), `text`."""

    name: str
    title: str
    text: str

    @property
    def parameters(self) -> frozenset[str]:
        """Names of the parameters the statement uses."""
        return frozenset(_PARAMETER.findall(strip_comments(self.text)))


def strip_comments(text: str) -> str:
    """Cypher without its ``//`` comments; quoted strings are left alone."""
    pattern = r"('(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|`[^`]*`)|//[^\n]*"
    return re.sub(pattern, lambda m: m[1] or "", text)


def folder(kind: str) -> Traversable:
    """The folder ``areorag/cypher/<kind>``."""
    return resources.files("areorag") / "cypher" / kind


def parse(name: str, text: str) -> Statement:
    """Make a `Statement` of a file's text.

    Raises
    ------
    DatabaseError
        The first line is not a comment that titles it.
    """
    first = text.lstrip().split("\n", 1)[0].strip()
    if not first.startswith("//") or not first.strip("/ "):
        raise DatabaseError(f"cypher file {name} has no title: its first line must be a comment")
    return Statement(name, first.strip("/ "), text.strip())


@cache
def query(name: str) -> Statement:
    """The statement ``areorag/cypher/queries/<name>.cypher``.

    Raises
    ------
    DatabaseError
        There is no such file.
    """
    source = folder("queries")
    for part in f"{name}.cypher".split("/"):
        source = source / part
    if not re.fullmatch(r"[\w/-]+", name) or not source.is_file():
        raise DatabaseError(f"no Cypher query named {name!r} in areorag/cypher/queries")
    return parse(name, source.read_text("utf-8"))


def _walk(base: Traversable, prefix: str = "") -> list[tuple[str, Traversable]]:
    found: list[tuple[str, Traversable]] = []
    for item in base.iterdir():
        if item.is_dir():
            found += _walk(item, f"{prefix}{item.name}/")
        elif item.name.endswith(".cypher"):
            found.append((prefix + item.name.removesuffix(".cypher"), item))
    return sorted(found, key=lambda pair: pair[0])


def statements(kind: str) -> list[Statement]:
    """All statements of ``queries``, ``explore`` or ``migrations``, sorted by name."""
    base = folder(kind)
    return [parse(name, item.read_text("utf-8")) for name, item in _walk(base)] if base.is_dir() else []


def split(text: str) -> list[str]:
    """The statements of a migration file, without comments: each ends with ``;`` at the end of a line."""
    parts = re.split(r";[ \t]*(?:\n|$)", strip_comments(text))
    return [part.strip() for part in parts if part.strip()]
