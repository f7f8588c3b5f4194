"""What ``--explain`` prints: ranked candidates by line, dropped ones together, triage's word last, units once."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from areorag.answer.arp import _mark_left_out
from areorag.answer.compose import _stance
from areorag.answer.model import Answer, Source, Trace
from areorag.answer.render import answer_text, explain_lines
from areorag.graph.model import Claim


def dropped(name, why):
    return {"id": name, "fate": "dropped", "why": why, "scores": {}}


def test_candidates_dropped_by_one_constraint_share_a_line():
    rows = [
        {"id": "A", "fate": "kept", "why": "in place, rank 1", "scores": {"f_s": 0.5, "oem": 0.0, "pareto_layer": 1.0}},
        *(dropped(f"H{i}", "instrument: CRISM was asked, it has HiRISE") for i in range(5)),
        dropped("C0", "instrument: CRISM was asked, it has CTX"),
        dropped("N", "place: 20 km from the place asked"),
    ]
    lines = explain_lines(rows)
    assert lines[0] == "  kept     A   in place, rank 1   f_s 0.50"
    assert lines[1] == "  dropped  N   place: 20 km from the place asked"
    assert lines[2] == "  dropped  6 by instrument: CRISM: 5 HiRISE, C0 (CTX)"
    assert len(lines) == 3


def test_numbers_are_shown_by_example_and_several_constraints_together():
    rows = [dropped(f"R{i}", f"season: Ls 0–90° was asked, it has Ls {100 + i}.0°") for i in range(9)]
    rows.append(dropped("B", "season: Ls 0–90° was asked, it has Ls 99.0°; Mars Year: 31 was asked, it has MY 29"))
    lines = explain_lines(rows)
    assert lines[0] == ("  dropped  9 by season: Ls 0–90°: R0 (Ls 100.0°), R1 (Ls 101.0°), R2 (Ls 102.0°) and 6 more")
    assert lines[1] == "  dropped  1 by season: Ls 0–90°; Mars Year: 31: B (Ls 99.0°, MY 29)"


def test_examples_and_the_rest_add_up():
    rows = [
        dropped(n, f"instrument: HiRISE was asked, it has {i}")
        for n, i in (("A", "CRISM"), ("B", "HRSC"), ("C", "HRSC"))
    ]
    assert explain_lines(rows) == ["  dropped  3 by instrument: HiRISE: B (HRSC), A (CRISM) and 1 more"]


def test_what_triage_left_out_is_not_called_kept():
    trace = Trace(explain=[{"id": "A", "fate": "kept", "why": "in place", "scores": {}},
                           {"id": "B", "fate": "kept", "why": "in place", "scores": {}}])  # fmt: skip
    sources = [
        Source(n=1, id="A", kind="orbital"),
        Source(n=2, id="B", kind="orbital", kept=False, why_left_out="noise (processing): transcribed"),
    ]
    _mark_left_out(trace, sources)
    assert [r["fate"] for r in trace.explain] == ["kept", "left out"]
    assert trace.explain[1]["why"] == "in place; left out by triage as noise (processing)"


def test_an_empty_answer_keeps_its_lines():
    answer = Answer(id="a-1", question="?", created=datetime.now(UTC), text="Nothing.\nNearest      X, 3 km\nRelax        y",
                    found=False, trace=Trace())  # fmt: skip
    lines = answer_text(answer).splitlines()
    assert "  Nothing." in lines
    assert "  Nearest      X, 3 km" in lines


@pytest.mark.parametrize(
    ("value", "unit", "told"),
    [("7.2 ppbv", "ppbv", "7.2 ppbv"), ("about 0.5", "1", "about 0.5"), ("-2.6 km", "m", "-2.6 km"), ("0.5", "1", "0.5"),
     ("44.1", "wt%", "44.1 wt%"), ("3 to 5", "m", "3 to 5 m"), (None, None, "stated")],
)  # fmt: skip
def test_a_unit_is_told_once(value, unit, told):
    assert _stance(Claim(id="c", subject="s", property="p", value=value, unit=unit)) == told
