"""`areorag eval extraction`: which weights judge which document, folds that share no name, and unusual brat files."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from areorag.errors import SettingsError, TextError
from areorag.evaluate import extraction
from areorag.ingest.text.brat import parse_ann, read_brat
from areorag.ingest.text.candidates import normal

SHARED = Path(__file__).resolve().parents[1].parent / "shared" / "data" / "lpsc2015"
TEXT = "The target Windjana (sol 621) contains sanidine and Fe."


def _ann(text: str, *marks: tuple[str, str, str], more: str = "") -> str:
    lines = []
    for key, kind, words in marks:
        a = text.index(words)
        lines.append(f"{key}\t{kind} {a} {a + len(words)}\t{words}")
    return "\n".join([*lines, more]) + "\n"


MARKS = (("T1", "Target", "Windjana"), ("T2", "Mineral", "sanidine"), ("T3", "Element", "Fe"))


@pytest.mark.parametrize(
    ("relation", "targets", "components"),
    [
        ("E1\tContains:T9 Targ:T1 Cont:T2 Cont2:T3", ["T1"], ["T2", "T3"]),
        ("R1\tContains Arg1:T1 Arg2:T2", ["T1"], ["T2"]),
        ("R1\tcontains Arg1:T2 Arg2:T1\t", ["T1"], ["T2"]),
        ("E1\tContain:T9 Theme:T1 Part:T3", ["T1"], ["T3"]),
    ],
)
def test_contains_as_event_and_as_relation_whatever_the_roles(
    relation: str, targets: list[str], components: list[str]
) -> None:
    doc = parse_ann("d", TEXT, _ann(TEXT, *MARKS, more=relation))
    assert [c[1:] for c in doc.contains] == [(targets, components)]


def test_other_relations_are_not_contains() -> None:
    doc = parse_ann(
        "d", TEXT, _ann(TEXT, *MARKS, more="R1\tIsSituatedIn Arg1:T1 Arg2:T2\nE1\tShows:T9 Targ:T1 Cont:T2")
    )
    assert doc.contains == []


def test_type_names_in_other_spellings_and_spans_outside_the_text() -> None:
    doc = parse_ann(
        "d", "Windjana", "T1\ttargets 0 8\tWindjana\nT2\tMINERAL 90 95\tolivi\nT3\tMineral 4 4\t\nnonsense\n"
    )
    assert [(s.type, s.text) for s in doc.spans] == [("Target", "Windjana")]


def test_a_discontinuous_span_is_its_hull() -> None:
    doc = parse_ann("d", TEXT, "T1\tMineral 39 47;52 54\tsanidine Fe\n")
    assert doc.spans[0].text == "sanidine and Fe"


@pytest.mark.parametrize(
    ("written", "counted"),
    [
        ("Blödite.\r\nThe target Windjana\r\n", "Blödite.\r\nThe target Windjana\r\n"),
        ("Blödite.\r\nThe target Windjana\r\n", "Blödite.\nThe target Windjana\n"),
    ],
    ids=["offsets with carriage returns", "offsets without"],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_offsets_fit_whatever_line_ends_and_encoding(tmp_path: Path, written: str, counted: str, encoding: str) -> None:
    (tmp_path / "a.txt").write_bytes(written.encode(encoding))
    (tmp_path / "a.ann").write_bytes(_ann(counted, ("T1", "Target", "Windjana")).encode())
    assert [s.text for s in read_brat(tmp_path)[0].spans] == ["Windjana"]


def test_documents_the_weights_do_not_know_are_judged_by_the_shipped_weights(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    (tmp_path / "a.ann").write_text(_ann(TEXT, *MARKS, more="R1\tContains Arg1:T1 Arg2:T2"))
    (tmp_path / "b.txt").write_text("No annotation here, only the target Stephen.")
    result = extraction.run(tmp_path)
    assert result["weights"] == {"shipped": 2, "folds": 0, "in_sample": 0}
    assert result["annotated"] == 1
    assert result["Target"]["f1"] == result["Mineral"]["f1"] == result["Element"]["f1"] == 1.0
    assert result["contains_spans"]["tp"] == 1
    assert [d["id"] for d in result["documents"]] == ["a", "b"]


def test_no_contains_annotated_means_no_f1_of_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("A rock of sanidine.")
    (tmp_path / "a.ann").write_text("T1\tMineral 10 18\tsanidine\n")
    assert extraction.run(tmp_path)["Contains"]["f1"] is None


def test_an_empty_directory_is_said_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(TextError, match=r"holds no \.txt files") as error:
        extraction.run(tmp_path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("folds", ["years", "1", "7", "-2"])
def test_folds_that_cannot_be_are_refused(tmp_path: Path, folds: str) -> None:
    (tmp_path / "a.txt").write_text(TEXT)
    with pytest.raises(SettingsError):
        extraction.run(tmp_path, folds=folds)


def _same_year() -> list[Path]:
    if not SHARED.is_dir():
        pytest.skip("../shared/data/lpsc2015 is not there")
    return sorted(SHARED.glob("*.txt"))


@pytest.mark.shared
def test_documents_the_weights_know_are_judged_by_folds() -> None:
    pytest.importorskip("sklearn")
    _same_year()
    documents = read_brat(SHARED)
    _, origin = extraction.plan(documents, "auto")
    assert origin == {"shipped": 0, "folds": 62, "in_sample": 0}
    _, origin = extraction.plan(documents, "shipped")
    assert origin["in_sample"] == 62


@pytest.mark.shared
def test_too_few_known_documents_for_folds_are_said_to_be_in_sample(tmp_path: Path) -> None:
    for file in _same_year()[:2]:
        shutil.copy(file, tmp_path)
        shutil.copy(file.with_suffix(".ann"), tmp_path)
    assert extraction.run(tmp_path, predictions=False)["weights"] == {"shipped": 2, "folds": 0, "in_sample": 2}


@pytest.mark.shared
def test_blocked_folds_share_no_name_and_test_every_document_once() -> None:
    _same_year()
    documents = read_brat(SHARED)
    said = [{normal(s.text).lower() for s in d.spans if s.type == "Target"} for d in documents]
    tested = []
    for train, test in extraction._blocked(documents):
        tested += test
        assert train
        assert not {n for i in train for n in said[i]} & {n for i in test for n in said[i]}
        assert not set(train) & set(test)
    assert sorted(tested) == list(range(len(documents)))


@pytest.mark.shared
@pytest.mark.slow
def test_figures_where_no_target_name_was_trained_on() -> None:
    pytest.importorskip("sklearn")
    _same_year()
    result = extraction.run(SHARED, folds="targets", predictions=False)
    assert result["weights"]["in_sample"] == 0
    assert result["Element"]["f1"] >= 0.92
    assert result["Mineral"]["f1"] >= 0.85
    assert result["Target"]["f1"] >= 0.85
    assert result["Contains"]["f1"] >= 0.53


def test_the_interval_holds_the_score_and_narrows_where_documents_agree() -> None:
    even, uneven = extraction.Count(), extraction.Count()
    for k in range(20):
        even.add({("a",), ("b",), ("c",)}, {("a",), ("b",), ("d",)})
        uneven.add({("a",)} if k % 2 else set(), {("a",)})
    assert even.result()["f1_95"] == [pytest.approx(even.result()["f1"], abs=1e-3)] * 2
    low, high = uneven.result()["f1_95"]
    assert low < uneven.result()["f1"] < high
    assert extraction.Count().result()["f1_95"] is None
