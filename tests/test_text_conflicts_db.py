"""A paper and an observation that disagree: the conflict is found, explained, cited and kept in the graph."""

from __future__ import annotations

from pathlib import Path

import pytest

from areorag import AreoRAG
from areorag.graph.connection import Database
from areorag.graph.model import Claim, Observation, ProductRef
from areorag.graph.verify import verify
from areorag.graph.writer import write_observations
from areorag.ingest.build import RowBuilder
from areorag.llm.embed import get_embedder
from areorag.settings import Settings

pytestmark = pytest.mark.db

PAPER = (
    "Drilling at the Kimberley. We studied rocks in Gale crater on Mars.\n\n"
    "The target Windjana was drilled on sol 621. Windjana contains 16 wt% sanidine and magnetite."
)
QUESTION = "Is there sanidine in Gale crater?"


def rover(polarity: str) -> Observation:
    """One record of a rover at Windjana that says something about sanidine there."""
    said = Claim(
        id="CMA_1#1", subject="Windjana", property="sanidine", polarity=polarity, text=f"sanidine is {polarity}"
    )
    return Observation(
        id="CMA_1",
        kind="insitu",
        platform="MSL",
        instrument="APXS",
        institution="JPL",
        footprint={"type": "Point", "coordinates": [137.4, -4.6]},
        position_lon_deg=137.4,
        position_lat_deg=-4.6,
        targets=["Windjana"],
        sol=621,
        authority=0.9,
        product=ProductRef(data_id="CMA_1"),
        claims=[said],
        text="APXS on the drill target Windjana in Gale crater, sanidine",
    )


def graph(db: Database, settings: Settings, folder: Path, polarity: str) -> AreoRAG:
    rows = RowBuilder(settings, get_embedder(settings)).build([rover(polarity)])
    write_observations(db, rows, "run-1")
    file = folder / "paper.txt"
    file.write_text(PAPER, "utf-8")
    areo = AreoRAG.open(settings=settings)
    areo.ingest([file], text=True)
    return areo


def test_an_answer_shows_where_a_paper_and_an_observation_disagree(
    db: Database, server_settings: Settings, tmp_path: Path
) -> None:
    with graph(db, server_settings, tmp_path, "absent") as areo:
        answer = areo.ask(QUESTION)
        sides = {s.kind: s for s in answer.sources if s.kind in ("insitu", "fact")}
        assert set(sides) == {"insitu", "fact"}, answer.sources
        assert "16 wt% sanidine" in sides["fact"].text
        assert str(sides["fact"].source_file).endswith("paper.txt")
        conflict = next(c for c in answer.conflicts if {c.a_id, c.b_id} == {sides["insitu"].id, sides["fact"].id})
        assert conflict.property == "sanidine"
        assert len(conflict.explanation.split()) > 5
        assert conflict.letter in str(answer)
        if conflict.kept == (True, True):
            assert "the text “" in answer.text
        else:
            assert any(not s.kept and s.why_left_out for s in sides.values())
        stored = areo.conflicts()
        assert [c["id"] for c in stored] == [conflict.id]
        fact_cited = any(sides["fact"].n in s.cites for s in answer.sentences)
        assert fact_cited
        rows = areo.cypher(
            "MATCH (:Answer {id: $id})-[:CITES]->(p:Passage)<-[:STATED_IN]-(f:Fact {id: $fact}) RETURN p.id AS id",
            id=answer.id,
            fact=sides["fact"].id,
        )
        assert rows, "a cited fact leads to its passage"
        page = areo.audit_html(answer.id, tmp_path / "a.html").read_text("utf-8")
        assert sides["fact"].id in page


def test_a_decision_outlives_another_reading_and_goes_with_its_document(
    db: Database, server_settings: Settings, tmp_path: Path
) -> None:
    with graph(db, server_settings, tmp_path, "absent") as areo:
        (conflict,) = areo.ask(QUESTION).conflicts
        areo.overrule(conflict.id, category="scale", why="checked the cube")
        again = server_settings.model_copy(update={"embedder": "minilm:float32"})  # another recipe: all is read again
        with AreoRAG.open(settings=again) as other:
            assert other.ingest([tmp_path / "paper.txt"], text=True).updated == 1
        assert verify(db)["problems"] == []
        (kept,) = areo.conflicts()
        assert (kept["id"], kept["category"]) == (conflict.id, "scale")
        areo.forget([str(tmp_path / "paper.txt")])
        assert areo.conflicts() == []
        assert verify(db)["problems"] == []


def test_a_paper_that_agrees_makes_no_conflict(db: Database, server_settings: Settings, tmp_path: Path) -> None:
    with graph(db, server_settings, tmp_path, "present") as areo:
        answer = areo.ask(QUESTION)
        assert answer.found
        assert answer.conflicts == []
        assert all(s.kind != "fact" for s in answer.sources)


SAMPLE_NOTE = """# Notes on the western delta of Jezero crater

The rover examined the western delta in Jezero crater on sol 505. The rover reached Jezero crater in 2021.

The abraded target Thornton Gap (sol 505) was analysed by PIXL. Thornton Gap contains 9 wt% smectite.

Carbonate was not detected in the western delta of Jezero crater. Jezero crater contains olivine.
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("question", "quote", "other"),
    [
        ("Is there smectite in the western delta of Jezero?", "Thornton Gap contains 9 wt% smectite.", "thorntongap"),
        (
            "Is there carbonate in the western delta of Jezero?",
            "Carbonate was not detected in the western delta of Jezero crater.",
            "FRT000",
        ),
    ],
)
def test_a_note_against_the_sample_archive(
    db: Database, server_settings: Settings, tmp_path: Path, question: str, quote: str, other: str
) -> None:
    from areorag.sample import archive_path

    note = tmp_path / "note.md"
    note.write_text(SAMPLE_NOTE, "utf-8")
    with AreoRAG.open(settings=server_settings) as areo:
        areo.ingest([archive_path()])
        areo.ingest([note], text=True)
        placed = areo.cypher(
            "MATCH (f:Fact {quote: $quote})-[:ABOUT]->(c:Colocation) RETURN count(c) AS n, f.lon_deg AS lon",
            quote=quote,
        )
        assert placed[0]["n"] > 0
        assert placed[0]["lon"] == pytest.approx(77.7, abs=0.4)
        answer = areo.ask(question)
        fact = next(s.id for s in answer.sources if s.text == quote)
        pairs = {frozenset((c.a_id, c.b_id)) for c in answer.conflicts}
        assert any(fact in p and any(other in i for i in p) for p in pairs), pairs
        assert any(fact in (c["a_id"], c["b_id"]) for c in areo.conflicts())
