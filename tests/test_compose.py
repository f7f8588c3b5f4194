"""The composed answer: cited, conflict-aware, ordered."""

from __future__ import annotations

import pytest

from areorag.answer.compose import compose
from areorag.answer.model import ConflictView, Source
from areorag.graph.model import Claim
from areorag.planet.units import length as metres


def claim(prop: str, polarity: str | None, text: str, n: int) -> Claim:
    return Claim(id=f"c{n}", subject="the fan", property=prop, polarity=polarity, text=text)


def source(n: int, instrument: str, kind: str, claims: list[Claim], **extra: object) -> Source:
    return Source(n=n, id=f"P{n}", kind=kind, instrument=instrument, claims=claims, score=1 / n, **extra)


def conflict(category: str, kept: tuple[bool, bool] = (True, True), **extra: object) -> ConflictView:
    return ConflictView(
        letter="A", id="c-1", category=category, property="smectite", a=1, b=2, a_id="P1", b_id="P2",
        p={category: 0.9}, explanation="why", confidence_before=(0.5, 0.5), confidence_after=(0.7, 0.7), kept=kept, **extra,
    )  # fmt: skip


ORBIT = source(1, "CRISM", "orbital", [claim("smectite", "present", "Clay bands.", 1)], resolution_m=18.0)
GROUND = source(2, "PIXL", "insitu", [claim("smectite", "absent", "No clay grains.", 2)])
BARE = source(3, "HiRISE", "orbital", [], resolution_m=0.25, start="2007-01-29T10:49:00Z", mars_year=28, ls_deg=182.1)


def test_every_sentence_cites_a_source() -> None:
    for sentences in (
        compose([ORBIT, GROUND, BARE], [conflict("scale")], ["clay"], True),
        compose([BARE], [], [], False),
    ):
        assert sentences
        assert all(s.cites for s in sentences)


def test_an_explained_conflict_keeps_both_sides_and_points_at_it() -> None:
    text = compose([ORBIT, GROUND], [conflict("scale")], ["smectite"], False)
    assert {n for s in text for n in s.cites} == {1, 2}
    assert any(s.conflicts == ["A"] and "resolution explains" in s.text for s in text)


def test_noise_is_left_out_and_named() -> None:
    bad = GROUND.model_copy(update={"kept": False, "why_left_out": "noise"})
    text = compose([ORBIT, bad], [conflict("noise", (True, False))], ["smectite"], False)
    assert not any("No clay grains" in s.text for s in text)
    assert text[-1].cites == [2]
    assert "left out" in text[-1].text


def test_temporal_statements_come_in_order_of_time() -> None:
    early = source(
        2,
        "HiRISE",
        "orbital",
        [claim("smectite", "present", "Before.", 1)],
        start="2007-01-01",
        mars_year=28,
        ls_deg=1.0,
    )
    late = source(
        1, "HiRISE", "orbital", [claim("smectite", "absent", "After.", 2)], start="2011-01-01", mars_year=30, ls_deg=1.0
    )
    text = [s.text for s in compose([late, early], [conflict("temporal")], ["smectite"], False)]
    assert [t for t in text if "Before" in t or "After" in t] == sorted(
        (t for t in text if "Before" in t or "After" in t), key=lambda t: "After" in t
    )


def test_properties_that_were_not_asked_are_not_told() -> None:
    other = source(
        1, "CRISM", "orbital", [claim("dust opacity", None, "Dusty.", 1), claim("olivine", "present", "Olivine.", 2)]
    )
    text = " ".join(s.text for s in compose([other], [], ["olivine"], False))
    assert "“Olivine”" in text
    assert "Dusty." not in text


@pytest.mark.parametrize(
    ("value", "shown"), [(0.0004, "0.4 mm"), (0.25, "0.25 m"), (18, "18 m"), (463, "463 m"), (20000, "20 km")]
)
def test_lengths_carry_the_unit_people_use(value: float, shown: str) -> None:
    assert metres(value) == shown
