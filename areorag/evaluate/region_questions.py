"""Questions about an archive, made from its own records and fixed by the seed (AreoRAG §IV-A: MarsRegion-QA, MarsTemporal-QA).

Four forms. ``stated``: every constraint is said exactly, so that a record either meets it or does not. ``best``: the
finest, closest, latest or first few, which only an order can answer. ``topic``: what a record claims. ``words``: season,
instrument or the reason of an observation in other words than the record's (``data/region_words.json``), so that meaning
decides. ``agree`` asks whether the sources of a place agree. Gold is `region_gold`'s, by brute force.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib import resources
from typing import Any

import numpy as np

from ..errors import UsageError
from ..planet.gazetteer import Feature, Gazetteer
from .region_gold import Archive, Gold

N_REGION, N_TEMPORAL = 200, 150
SEED = 20260801
FORMS = ("stated", "best", "topic", "words", "agree")
SHARES: dict[str, tuple[tuple[str, float], ...]] = {
    "region": (("stated", 0.4), ("best", 0.15), ("topic", 0.1), ("words", 0.2), ("agree", 0.15)),
    "temporal": (("stated", 0.6), ("best", 0.12), ("topic", 0.08), ("words", 0.2)),
}
"""How many of the questions of each kind have which form."""
FEW = 5
_SEASONS = {
    "spring": {"north": (0, 90), "south": (180, 270)},
    "summer": {"north": (90, 180), "south": (270, 360)},
    "autumn": {"north": (180, 270), "south": (0, 90)},
    "winter": {"north": (270, 360), "south": (90, 180)},
}
DEG_M = 59_274.7
Drawn = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Question:
    """One generated question with the specification its gold is computed from."""

    id: str
    kind: str
    question: str
    spec: Mapping[str, Any]
    form: str = "stated"


@cache
def _words() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(
        resources.files(__package__).joinpath("data", "region_words.json").read_text("utf-8")
    )
    return data


class Generator:
    """Questions about an archive, each with at least one right answer."""

    def __init__(self, archive: Archive, seed: int = SEED) -> None:
        self.archive = archive
        self.rng = np.random.default_rng(seed)
        self.gazetteer = Gazetteer.load("Mars")
        self.rows = [r for r in archive.rows if r["instrument"] and r["lon"] is not None]
        if not self.rows:
            raise UsageError(
                "the archive has no placed observation of an instrument. Fill it with  areorag ingest PATH"
            )
        self.claiming = [r for r in self.rows if r["claims"] and r["instrument"] != "MOLA"]
        self.contested = _contested(self.claiming)
        self.reasoned = [r for r in self.rows if _theme_of(r) is not None]

    def questions(self, n_region: int = N_REGION, n_temporal: int = N_TEMPORAL) -> list[tuple[Question, Gold]]:
        """Region questions, then season questions; those without an answer are drawn again.

        A form that the archive cannot answer (nothing claimed, no rationale) gives its share to ``stated``.
        """
        out: list[tuple[Question, Gold]] = []
        for kind, n in (("region", n_region), ("temporal", n_temporal)):
            made: list[tuple[Question, Gold]] = []
            for form, share in reversed(SHARES[kind]):
                wanted = n - len(made) if form == "stated" else round(share * n)
                made += self._drawn(kind, form, wanted, len(made))
            out += made
        return out

    def _drawn(self, kind: str, form: str, n: int, before: int) -> list[tuple[Question, Gold]]:
        make: Callable[[Mapping[str, Any]], Drawn | None] = getattr(self, f"_{kind}_{form}")
        rows = self.claiming if form == "topic" else self.contested if form == "agree" else self.rows
        out: list[tuple[Question, Gold]] = []
        for _ in range(40 * n):
            if len(out) == n or not rows:
                break
            drawn = make(rows[int(self.rng.integers(len(rows)))])
            if drawn is None:
                continue
            gold = self.archive.gold(drawn[1])
            if gold.ids:
                out.append((Question(f"{kind[0]}{before + len(out) + 1:03d}", kind, drawn[0], drawn[1], form), gold))
        return out

    def _pick(self, choices: list[str]) -> str:
        return choices[int(self.rng.integers(len(choices)))]

    # ------------------------------------------------------------ places
    def _place(self, row: Mapping[str, Any]) -> tuple[str, dict[str, Any]] | None:
        """A named feature that holds the record, as it is written in a question, and its region."""
        found = [
            f for f in self.gazetteer.containing(row["lon"], row["lat"]) if f.status == "approved" and f.code != "AL"
        ]
        found = [f for f in found if f.radius_m > 3_000 and abs(f.lat) < 84]
        if not found:
            return None
        feature: Feature = found[int(self.rng.integers(min(3, len(found))))]
        if feature.code == "AA" and feature.diameter_m:
            return f"{feature.name} crater", {"cap": [feature.lon, feature.lat, feature.diameter_m / 2 / DEG_M]}
        if feature.bbox is None:
            return None
        return feature.name, {"box": list(feature.bbox)}

    # ------------------------------------------------------------ region questions
    def _region_stated(self, row: Mapping[str, Any]) -> Drawn | None:
        form = int(self.rng.integers(7))
        instrument = str(row["instrument"])
        if form >= 5:
            return self._by_numbers(row, instrument, form)
        placed = self._place(row)
        if placed is None:
            return None
        name, region = placed
        spec: dict[str, Any] = {"region": region, "instruments": [instrument]}
        if form == 0:
            return f"Which {instrument} observations show {name}?", spec
        if form == 1:
            km = int(self.rng.choice([20, 50, 100]))
            return f"{instrument} data within {km} km of {name}", spec | {"epsilon_deg": km * 1000 / DEG_M}
        if form == 2:
            limit = _above(row["resolution_m"])
            if limit is None:
                return None
            spec = {"region": region, "finer_m": limit * 1.0001}
            return f"images of {name} at {limit:g} m per pixel or better", spec
        if form == 3:
            spec = {"region": region, "not_instruments": [instrument]}
            return f"everything in {name} but not from {instrument}", spec
        return f"{row['kind'].replace('insitu', 'in situ')} data for {name}", {"region": region, "kinds": [row["kind"]]}

    def _by_numbers(self, row: Mapping[str, Any], instrument: str, form: int) -> Drawn | None:
        lon, lat = round(float(row["lon"]), 1), round(float(row["lat"]), 1)
        if abs(lat) > 80 or abs(lon) > 170:
            return None
        spec: dict[str, Any] = {"instruments": [instrument]}
        if form == 5:
            w, e, s, n = lon - 1.5, lon + 1.5, lat - 1.0, lat + 1.0
            text = f"{instrument} in the box {w % 360:.1f} to {e % 360:.1f}E, {_ns(s)} to {_ns(n)}"
            if w % 360 > e % 360:
                return None
            return text, spec | {"region": {"box": [w, e, s, n]}}
        km = int(self.rng.choice([10, 30, 80]))
        west = (-lon) % 360
        text = f"{instrument} within {km} km of lat {_ns(lat)}, lon {west:.1f}W"
        return text, spec | {"region": {"cap": [lon, lat, 0.0]}, "epsilon_deg": km * 1000 / DEG_M}

    def _region_best(self, row: Mapping[str, Any]) -> Drawn | None:
        if self.rng.random() < 0.5:
            placed = self._place(row)
            if placed is None:
                return None
            name, region = placed
            word = self._pick(["finest", "sharpest", "most detailed"])
            finest: dict[str, Any] = {"region": region, "best": {"by": "resolution_m", "n": FEW}}
            return f"the {word} observations of {name}", finest
        lon, lat = round(float(row["lon"]) + 0.3, 1), round(float(row["lat"]) - 0.2, 1)
        if abs(lat) > 75 or abs(lon) > 170:
            return None
        spec = {
            "region": {"cap": [lon, lat, 0.0]},
            "instruments": [row["instrument"]],
            "best": {"by": "gap", "n": FEW},
        }
        return f"Which {row['instrument']} records lie closest to {_ns(lat)}, {lon % 360:.1f}E?", spec

    def _region_topic(self, row: Mapping[str, Any]) -> Drawn | None:
        topic = self._topic(row)
        placed = self._place(row)
        if topic is None or placed is None:
            return None
        words = self._pick(topic["question"])
        text = self._pick([f"{words} in {placed[0]}", f"Which observations speak of {words} at {placed[0]}?"])
        return text, {"region": placed[1], "claims": topic["claims"]}

    def _region_agree(self, row: Mapping[str, Any]) -> Drawn | None:
        topic = self._topic(row)
        placed = self._place(row)
        if topic is None or placed is None:
            return None
        text = f"Do the observations agree about {topic['question'][0]} at {placed[0]}?"
        return text, {"region": placed[1], "claims": topic["claims"]}

    def _region_words(self, row: Mapping[str, Any]) -> Drawn | None:
        if self.reasoned and self.rng.random() < 0.6:
            row = self.reasoned[int(self.rng.integers(len(self.reasoned)))]
            theme, placed = _theme_of(row), self._place(row)
            if theme is None or placed is None:
                return None
            text = f"HiRISE pictures of {placed[0]} that show {self._pick(theme['question'])}"
            return text, {"region": placed[1], "instruments": ["HiRISE"], "words": theme["record"]}
        sensors = _words()["sensors"].get(row["instrument"])
        placed = self._place(row)
        if sensors is None or placed is None:
            return None
        return f"{self._pick(sensors)} of {placed[0]}", {"region": placed[1], "instruments": [row["instrument"]]}

    def _topic(self, row: Mapping[str, Any]) -> dict[str, Any] | None:
        named = {v for c in row["claims"] for v in (c["property"], c["value"])}
        return next((t for t in _words()["topics"] if named & set(t["claims"])), None)

    # ------------------------------------------------------------ season questions
    def _temporal_stated(self, row: Mapping[str, Any]) -> Drawn | None:
        form = int(self.rng.integers(6))
        if form == 5:
            return self._by_sol(row)
        placed = self._place(row)
        if placed is None or row["ls_deg"] is None or row["mars_year"] is None:
            return None
        name, region = placed
        spec: dict[str, Any] = {"region": region}
        year, ls = int(row["mars_year"]), float(row["ls_deg"])
        if form in (0, 1):
            half, season, window = self._season(ls)
            spec["ls"] = [window]
            if form == 0:
                return f"{half}ern {season} observations of {name}", spec
            return f"What was seen at {name} in {half}ern {season} of MY {year}?", spec | {"mars_years": [year]}
        if form == 2:
            low, high = round(ls - 20) % 360, round(ls + 20) % 360
            return f"{name} between Ls {low} and Ls {high}", spec | {"ls": [[low, high]]}
        if form == 3:
            years = list(range(year, year + int(self.rng.integers(1, 4))))
            text = f"MY {years[0]}" if len(years) == 1 else f"MY {years[0]} to {years[-1]}"
            return f"changes at {name}, {text}", spec | {"mars_years": years}
        return self._by_date(row, name, spec)

    def _season(self, ls: float) -> tuple[str, str, list[int]]:
        half = "north" if self.rng.random() < 0.5 else "south"
        season = next(
            s for s, w in _SEASONS.items() if w[half][0] <= ls < w[half][1] or (ls == 360 and w[half][1] == 360)
        )
        return half, season, list(_SEASONS[season][half])

    def _by_date(self, row: Mapping[str, Any], name: str, spec: dict[str, Any]) -> Drawn | None:
        if row["start"] is None:
            return None
        year = datetime.fromtimestamp(row["start"], UTC).year
        last = year + int(self.rng.integers(0, 3))
        begin, end = datetime(year, 1, 1, tzinfo=UTC).timestamp(), datetime(last + 1, 1, 1, tzinfo=UTC).timestamp()
        words = f"in {year}" if last == year else f"from {year} to {last}"
        return f"observations of {name} {words}", spec | {"start": begin, "stop": end}

    def _by_sol(self, row: Mapping[str, Any]) -> Drawn | None:
        if row["sol"] is None:
            return None
        low = max(0, int(row["sol"]) - int(self.rng.integers(5, 60)))
        high = int(row["sol"]) + int(self.rng.integers(5, 60))
        spec = {"sols": [low, high], "platforms": [row["platform"]], "instruments": [row["instrument"]]}
        return f"{row['platform']} {row['instrument']} measurements, sols {low} to {high}", spec

    def _temporal_best(self, row: Mapping[str, Any]) -> Drawn | None:
        placed = self._place(row)
        if placed is None or row["start"] is None:
            return None
        name, region = placed
        most = bool(self.rng.random() < 0.5)
        word = self._pick(["latest", "most recent", "newest"] if most else ["earliest", "first", "oldest"])
        spec = {"region": region, "best": {"by": "start", "n": FEW, "most": most}}
        return f"the {word} observations of {name}", spec

    def _temporal_topic(self, row: Mapping[str, Any]) -> Drawn | None:
        drawn = self._region_topic(row)
        if drawn is None or row["mars_year"] is None:
            return None
        year = int(row["mars_year"])
        return f"{drawn[0].rstrip('?')}, MY {year - 1} to {year + 1}", drawn[1] | {
            "mars_years": [year - 1, year, year + 1]
        }

    def _temporal_words(self, row: Mapping[str, Any]) -> Drawn | None:
        placed = self._place(row)
        if placed is None or row["ls_deg"] is None:
            return None
        half, season, window = self._season(float(row["ls_deg"]))
        phrase = self._pick(_words()["seasons"][season]).format(half=half)
        return f"{placed[0]} {phrase}", {"region": placed[1], "ls": [window]}


def _contested(rows: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Records whose claim another record of the same subject contradicts in so many words (present, absent)."""
    said: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        for c in row["claims"]:
            said.setdefault((c["subject"], c["property"]), set()).add(str(c["polarity"]))
    return [r for r in rows if any({"present", "absent"} <= said[c["subject"], c["property"]] for c in r["claims"])]


def _theme_of(row: Mapping[str, Any]) -> dict[str, Any] | None:
    """The theme whose phrase stands in a record's text."""
    text = str(row["text"] or "").casefold()
    return next((t for t in _words()["themes"] if any(p.casefold() in text for p in t["record"])), None)


def _above(resolution_m: float | None) -> float | None:
    """A round bound that the record meets."""
    if resolution_m is None:
        return None
    return next((b for b in (0.5, 1, 5, 10, 20, 50, 100, 500) if resolution_m <= b), None)


def _ns(lat: float) -> str:
    return f"{abs(lat):.1f}{'N' if lat >= 0 else 'S'}"
