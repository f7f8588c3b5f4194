"""Conflicts in a real graph: written once, derived again from what is stored, overruled by a person for good."""

from __future__ import annotations

import pytest

from areorag.errors import UnknownNameError
from areorag.graph.connection import Database
from areorag.graph.model import Claim, Observation, ProductRef
from areorag.graph.rows import HyperedgeRow
from areorag.graph.writer import write_observations
from areorag.settings import Settings
from areorag.triage import Triage
from areorag.triage.rederive import rederive
from areorag.triage.store import decisions, list_conflicts, overrule, write_conflicts
from areorag.triage.suggest import suggest

pytestmark = pytest.mark.db

QUESTION = "What is the texture of the plain?"


def _observation(id: str, instrument: str, resolution_m: float, value: str) -> Observation:
    claim = Claim(
        id=f"claim:{id}", subject="northern plain", property="surface texture", value=value, text=f"The plain: {value}."
    )
    return Observation(
        id=id,
        kind="orbital",
        platform="MRO",
        instrument=instrument,
        position_lon_deg=-126.0,
        position_lat_deg=68.3,
        footprint={"type": "Point", "coordinates": [-126.0, 68.3]},
        resolution_m=resolution_m,
        ls_deg=60.0,
        mars_year=29,
        authority=0.9,
        product=ProductRef(data_id=id),
        claims=[claim],
        text=f"{instrument} of the plain",
    )


@pytest.fixture
def stored(db: Database) -> list[Observation]:
    rows = [
        _observation("ESP_1", "HiRISE", 0.25, "polygons 5 m across"),
        _observation("P_2", "CTX", 6.0, "featureless"),
    ]
    write_observations(db, [HyperedgeRow(o) for o in rows], "run-1")
    return rows


def test_a_conflict_lives_in_the_graph(db: Database, settings: Settings, stored: list[Observation]) -> None:
    triage = Triage(settings)
    verdicts = triage.triage_evidence(QUESTION, stored, {"ESP_1": 0.8, "P_2": 0.7}, db=db)
    assert [v.category for v in verdicts] == ["scale"]
    assert write_conflicts(db, verdicts) == 1
    assert write_conflicts(db, verdicts) == 1  # the same pair is one node
    rows = list_conflicts(db, settings)
    assert [r["id"] for r in rows] == [verdicts[0].id]
    assert {rows[0]["a_id"], rows[0]["b_id"]} == {"ESP_1", "P_2"}
    assert list_conflicts(db, settings, category="noise") == []

    again = rederive(db, verdicts[0].id)
    assert again == pytest.approx(verdicts[0].p, abs=1e-6)
    found = suggest(db, verdicts[0])
    assert found is not None
    assert found.what

    overrule(db, verdicts[0].id, category="instrument", why="checked both frames", who="ada")
    assert [d["category"] for d in decisions(db, ["ESP_1", "P_2"]).values()] == ["instrument"]
    later = triage.triage_evidence(QUESTION, stored, {"ESP_1": 0.8, "P_2": 0.7}, db=db)
    assert later[0].category == "instrument"
    assert "ada" in str(later[0].overruled)
    write_conflicts(db, later)
    assert list_conflicts(db, settings)[0]["category"] == "instrument"
    with pytest.raises(UnknownNameError):
        overrule(db, "c-none", category="scale", why="x")
    with pytest.raises(UnknownNameError):
        rederive(db, "c-none")
