"""The fast label parser reads what pvl reads, exactly; what neither reads is saved statement by statement."""

from __future__ import annotations

import contextlib
import os
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from areorag.errors import LabelError
from areorag.ingest.readers.odl import Block, Empty, NotOrdinary, Quantity, ValueSet, parse_fast
from areorag.ingest.readers.pds3 import cut_label, decode_text, parse_label, parse_pvl, read_label, read_label_bytes
from areorag.ingest.readers.salvage import parse_salvage

from .odl_compare import SAMPLE, SHARED, plain

EXAMPLES = int(os.environ.get("AREORAG_EXAMPLES", "30"))


def label_files() -> list[Path]:
    out = [p for p in sorted(SAMPLE.rglob("*")) if p.suffix.lower() == ".lbl"]
    for name in ("archive", "bug_inputs"):
        for path in sorted((SHARED / name).rglob("*")) if (SHARED / name).exists() else []:
            if path.is_file() and path.suffix.lower() in {".lbl", ".img", ".cub", ".pvl", ".fmt", ".txt"}:
                head = path.read_bytes()[:400]
                if b"=" in head and not head.startswith(b"#Date"):
                    out.append(path)
    return out


@pytest.mark.parametrize("path", label_files(), ids=lambda p: p.name)
def test_fast_parser_equals_pvl_on_every_file_it_takes(path: Path) -> None:
    text, _ = decode_text(read_label_bytes(path).data)
    try:
        mine = parse_fast(text)
    except NotOrdinary:
        pytest.skip("not an ordinary label: pvl or the salvage reader takes it")
    assert plain(mine) == plain(parse_pvl(text))


def test_nearly_every_real_label_takes_the_fast_path() -> None:
    files = [p for p in label_files() if "malformed" not in p.parts and "bug_inputs" not in p.parts]
    fast = 0
    for path in files:
        text, _ = decode_text(read_label_bytes(path).data)
        try:
            parse_fast(text)
            fast += 1
        except NotOrdinary:
            continue
    assert fast >= 0.97 * len(files)


names = st.from_regex(r"\A\^?[A-Z][A-Z0-9_]{0,14}(:[A-Z][A-Z0-9_]{0,8})?\Z").filter(
    lambda n: n not in {"END", "GROUP", "OBJECT", "END_GROUP", "END_OBJECT", "BEGIN_GROUP", "BEGIN_OBJECT"}
)
words = st.one_of(
    st.from_regex(r"\A[A-Za-z][A-Za-z0-9_.:/$-]{0,12}\Z"),
    st.sampled_from(["NULL", "TRUE", "false", "nan", "INF", "UNK", "N/A", "1E5", "-9.99e+31", "16#C0790F29#", "2#0101#"]),
    st.integers(-(10**12), 10**12).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(
        ["2009-06-01T00:38:16.057", "2012-243T17:42:02", "2009-12-02", "2004-01-10T14:02:57.819Z", "12:30", "24:61:00",
         "2016-12-31T23:59:60", "2009-13-01T00:00:00", "1_000", "+5", "-0", "00081", "1.", ".5", "1e", "5E+3", "3-4", "04:05:06"]
    ),
)  # fmt: skip
strings = st.text(
    st.characters(codec="latin-1", exclude_characters='"\x00', exclude_categories=("Cc",)), max_size=30
).map(lambda s: f'"{s}"')
broken_strings = st.sampled_from(
    ['"two\n   lines"', '"a dash-\n  ed word"', "'single'", '"  padded  "', '""', '"tab\there"']
)
units = st.sampled_from(["", "", "", " <KM/PIXEL>", "<m>", " < deg > ", " <W*m**-2*sr**-1>"])
scalar = st.tuples(st.one_of(words, strings, broken_strings), units).map("".join)
gap = st.sampled_from(["", " ", "\n   ", " /* note */ "])


def sequence(inner: st.SearchStrategy[str], left: str, right: str) -> st.SearchStrategy[str]:
    return st.tuples(gap, st.lists(inner, max_size=4)).map(
        lambda t: left + t[0] + ("," + t[0]).join(t[1]) + t[0] + right
    )


value = st.one_of(scalar, scalar, sequence(scalar, "(", ")"), sequence(scalar, "{", "}"),
                  sequence(sequence(scalar, "(", ")"), "(", ")"))  # fmt: skip
statement = st.tuples(
    names,
    st.sampled_from([" = ", "=", "   =  ", " =\n  "]),
    value,
    st.sampled_from(["\n", "\r\n", ";\n", " /* c */\n"]),
).map("".join)


@st.composite
def block(draw: st.DrawFn, depth: int = 0) -> str:
    kind, name = (
        draw(st.sampled_from(["OBJECT", "GROUP", "Object", "Group"])),
        draw(names.filter(lambda n: n[0] != "^")),
    )
    inner = draw(st.lists(st.one_of(statement, block(depth + 1)) if depth < 2 else statement, min_size=1, max_size=4))
    end = draw(st.sampled_from([f"END_{kind} = {name}", f"END_{kind}"]))
    return f"{kind} = {name}\n{''.join(inner)}{end}\n"


labels = st.lists(st.one_of(statement, block()), max_size=8).map(lambda parts: "".join(parts) + "END\n")


@given(labels)
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
def test_fast_parser_equals_pvl_on_generated_labels(text: str) -> None:
    try:
        mine = parse_fast(text)
    except NotOrdinary:
        return
    assert plain(mine) == plain(parse_pvl(text))


@given(labels, st.data())
@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
def test_fast_parser_equals_pvl_on_damaged_labels(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text)))
    damage = data.draw(
        st.sampled_from(["", "=", '"', "(", ")", "<", ">", "#", "/*", "*/", ";", "END", "\n", " ", "-", "'", ","])
    )
    cut = data.draw(st.integers(0, 3))
    damaged = text[:at] + damage + text[at + cut :]
    try:
        mine = parse_fast(damaged)
    except NotOrdinary:
        return
    assert plain(mine) == plain(parse_pvl(damaged))


def test_values_have_their_types() -> None:
    root = parse_fast(
        'A = 1.5 <KM>\nB = {"MARS", "PHOBOS"}\nC = (1, 2)\nD = 2009-06-01T00:38:16.057\nE = NULL\nF = 16#FF#\nEND'
    )
    assert root.get("A") == Quantity(1.5, "KM")
    assert root.get("B") == ValueSet(("MARS", "PHOBOS")), "the order of a set is kept"
    assert root.get("C") == [1, 2]
    assert root.get("D") == datetime(2009, 6, 1, 0, 38, 16, 57_000, UTC)
    assert root.get("E") is None
    assert root.get("F") == 255


def test_label_is_cut_at_end_whatever_follows() -> None:
    data = b"PDS_VERSION_ID = PDS3\r\nPRODUCT_ID = X\r\nEND\r\n" + bytes(range(256)) * 400
    cut = cut_label(data)
    assert cut.ended
    assert cut.data.endswith(b"END")


def test_end_inside_a_quotation_is_not_the_end() -> None:
    cut = cut_label(b'NOTE = "first\nEND\nsecond"\nPRODUCT_ID = X\nEND\n')
    assert b"PRODUCT_ID" in cut.data


def test_end_of_an_included_structure_is_not_the_end() -> None:
    text = b"A = 1\nOBJECT = T\nX = 2\nEND\nEND_OBJECT\nB = 3\nEND\n"
    label = read_label(text)
    assert label.root.get("B") == 3
    assert label.ended


def test_label_without_end_says_so() -> None:
    assert any("no END" in p for p in read_label(b"PRODUCT_ID = X\nSTART_TIME = 2009-01-01T00:00:00\n").problems)


def test_byte_that_is_no_utf8_is_read_as_latin1_and_flagged() -> None:
    label = read_label(b'NOTE = "5\xb0"\nEND\n')
    assert label.root.get("NOTE") == "5°"
    assert any("latin-1" in w for w in label.warnings)


def test_empty_value_is_kept_as_empty_with_a_warning() -> None:
    label = parse_label("A = 1\nB = \nC = 3\nEND\n")
    assert isinstance(label.root.get("B"), Empty)
    assert label.root.get("C") == 3
    assert any("B has no value" in w for w in label.warnings)


def test_a_bad_value_costs_its_own_keyword_only() -> None:
    label = parse_label("A = 1\nNOTE = This is a text, with = sign and (paren\nTARGET_NAME = MARS\nEND\n")
    assert label.root.get("TARGET_NAME") == "MARS"
    assert "with = sign" in label.root.get("NOTE")
    assert any("NOTE" in w for w in label.warnings)


def test_keywords_that_pvl_would_lose_are_kept() -> None:
    text = "A = 1\nOBJECT = QUBE\nX = 5\nEND\n"
    label = parse_label(text)
    assert any(b.get("X") == 5 for b in label.root.walk())
    assert any("never closed" in p for p in label.problems)


def test_text_that_is_no_label_is_refused() -> None:
    with pytest.raises(LabelError):
        parse_label("just some words\nand more\n")


@pytest.mark.parametrize(
    "text",
    ["A = " + "-" * 50_000 + "\nEND", 'A = "' + "x" * 200_000, "A = " + "(" * 20_000, "OBJECT = A\n" * 5000, "A = {" * 5000,
     "/*" * 100_000, "A = 1 <" + "k" * 100_000, "A=" * 50_000, 'NOTE = "a\n' * 3000],
)  # fmt: skip
def test_hostile_text_is_read_or_refused_quickly(text: str) -> None:
    start = time.process_time()
    with contextlib.suppress(LabelError):
        parse_label(text)
    assert time.process_time() - start < 5.0


def test_salvage_names_every_statement_it_guessed() -> None:
    root, notes = parse_salvage("A = 1\nB = ((2\nC = 3 <KM> extra\nEND\n")
    assert root.get("A") == 1
    assert root.get("C") == Quantity(3.0, "KM")
    assert len(notes) == 2


def test_block_lookup_ignores_case_and_finds_repeats() -> None:
    root = parse_fast("OBJECT = COLUMN\nNAME = A\nEND_OBJECT\nOBJECT = COLUMN\nName = B\nEND_OBJECT\nEND")
    assert [b.get("name") for b in root.blocks("column")] == ["A", "B"]
    assert isinstance(root, Block)
