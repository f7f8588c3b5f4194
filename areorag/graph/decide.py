"""What to do with a record whose id the graph may know already, and how products and versions compare."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from .rows import HyperedgeRow, fullness

Action = Literal["new", "unchanged", "refresh", "replace", "keep", "forgotten"]


@dataclass
class Planned:
    """A row, its content hash and what to do with it."""

    row: HyperedgeRow
    digest: str
    action: Action
    state: dict[str, Any]


def decide(row: HyperedgeRow, digest: str, state: dict[str, Any] | None) -> Planned:
    """What to do with a row, given what the graph knows of its id (see the module's docstring)."""
    state = dict(state or {})
    if digest in (state.get("forgotten") or ()):
        return Planned(row, digest, "forgotten", state)
    current = state.get("content_hash")
    if current is None:
        return Planned(row, digest, "new", state)
    if digest == current:
        same = state.get("recipe") == row.recipe
        return Planned(row, digest, "unchanged" if same else "refresh", state)
    if digest in (state.get("known_hashes") or ()):
        return Planned(row, digest, "unchanged", state)
    return Planned(row, digest, "replace" if _wins(row, digest, state) else "keep", state)


def _wins(row: HyperedgeRow, digest: str, state: dict[str, Any]) -> bool:
    """Whether a record replaces the current one: a later version, a file read again, or a fuller description."""
    o = row.observation
    mine, theirs = o.product.version, state.get("version")
    if mine and theirs and mine != theirs:
        return version_key(mine) > version_key(str(theirs))
    if o.product.source_file == state.get("source_file"):
        return True
    own, other = fullness(o), int(state.get("fullness") or 0)
    return (own, digest) > (other, str(state["content_hash"]))


def reason(p: Planned) -> str:
    """Why one of two records of an observation is not the current one; the same whichever came first."""
    o = p.row.observation
    mine, theirs = o.product.version, p.state.get("version")
    if mine and theirs and mine != theirs:
        return "newer version"
    return "file changed" if o.product.source_file == p.state.get("source_file") else "fuller description"


def version_key(version: str) -> tuple[tuple[int, int, str], ...]:
    """Sort key of a version text: numbers by value, words by letter.

    >>> version_key("V1.10") > version_key("1.9")
    True
    """
    parts = re.findall(r"\d+|[A-Za-z]+", version.strip().removeprefix("v").removeprefix("V"))
    return tuple((1, int(p), "") if p.isdigit() else (0, 0, p.lower()) for p in parts)


def stems(data_id: str) -> list[str]:
    """Ids without suffix that a product may be meant by, in upper case: ``ESP_1_2_RED`` → ``ESP_1_2``.

    A stem has at least eight characters and a digit, so that a bare mission name stands for nothing.
    """
    upper = product_key(data_id)
    cuts = [m.start() for m in re.finditer(r"[_.\-]", upper)]
    found = [upper[:cut] for cut in cuts]
    return [s for s in (*found, upper) if len(s) >= 8 and any(char.isdigit() for char in s)]


def product_key(name: str) -> str:
    """How products are compared: upper case, of a logical identifier its last part, without a version.

    >>> product_key("urn:nasa:pds:mars2020_pixl:data_processed:pixl_0505::1.0"), product_key("esp_1_2_red")
    ('PIXL_0505', 'ESP_1_2_RED')
    """
    bare = name.split("::")[0]
    return (bare.rsplit(":", 1)[-1] if bare.lower().startswith("urn:") else bare).upper()
