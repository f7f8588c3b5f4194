"""Readers and passages: offsets hold, encodings are mended and counted, bad files give one clear line."""

from __future__ import annotations

import json
import os
import random
import resource
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from areorag.errors import TextError
from areorag.ingest.text.invisible import see
from areorag.ingest.text.passages import split_passages, split_ranges
from areorag.ingest.text.readers import Segment, read_segments
from areorag.ingest.text.spans import MAX_SENTENCE, Zones


def whole(path: Path, **kw) -> tuple[str, list[Segment]]:  # type: ignore[no-untyped-def]
    segments = list(read_segments(path, **kw))
    text = ""
    for s in segments:
        assert s.start == len(text)
        text += s.text
    return text, segments


def test_mixed_encodings_are_read_and_counted(tmp_path: Path) -> None:
    file = tmp_path / "mixed.txt"
    file.write_bytes("Température 20 °C, ".encode() + "à Séítah – 20 °C".encode("cp1252", "replace") + b" end \x81")
    text, segments = whole(file)
    assert text.startswith("Température 20 °C, à S")
    assert "°C end" in text
    assert "Windows-1252" in segments[0].document.warnings[0]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_byte_order_marks_decide_the_encoding(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "bom.txt"
    file.write_bytes("Jezero — שלום".encode(encoding))
    assert whole(file)[0] == "Jezero — שלום"


def test_carriage_returns_become_line_feeds_also_across_blocks(tmp_path: Path) -> None:
    file = tmp_path / "cr.txt"
    line = b"x" * 30 + b"\r\n"
    file.write_bytes(line * 70_000)
    text, _ = whole(file)
    assert "\r" not in text
    assert text.count("\n") == 70_000


def test_segments_are_bounded_and_join_to_the_document(tmp_path: Path) -> None:
    file = tmp_path / "long.txt"
    file.write_text("\n\n".join(f"Paragraph {i} of the report. It has two sentences." for i in range(2000)), "utf-8")
    text, segments = whole(file, segment_chars=5_000)
    assert text == file.read_text("utf-8")
    assert max(len(s.text) for s in segments[:-1]) <= 5_000
    assert [s.last for s in segments] == [False] * (len(segments) - 1) + [True]


@pytest.mark.slow
@pytest.mark.skipif(not os.environ.get("AREORAG_HEAVY"), reason="writes a 500 MB file: set AREORAG_HEAVY=1")
def test_a_500_mb_file_is_read_in_bounded_memory(tmp_path: Path) -> None:
    file = tmp_path / "huge.txt"
    block = ("The rover analysed the target Windjana with ChemCam on sol 621.\n" * 16_000).encode()
    with file.open("wb") as f:
        while f.tell() < 500 * 1024 * 1024:
            f.write(block)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    total = sum(len(s.text) for s in read_segments(file))
    assert total == file.stat().st_size
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 120_000  # kB


def test_html_keeps_text_and_leaves_scripts_out(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(
        "<!doctype html><html><head><title>Gale &amp; Jezero</title><script>alert(1)</script></head><body>"
        "<h1>Heading</h1><p>Hematite was found.</p><style>p{}</style><ul><li>one</li><li>two</li></ul></body></html>",
        "utf-8",
    )
    text, segments = whole(file)
    assert text == "Heading\nHematite was found.\none\ntwo"
    assert segments[0].document.title == "Gale & Jezero"


def test_html_does_not_fetch_or_expand_entities(tmp_path: Path) -> None:
    file = tmp_path / "evil.html"
    secret = tmp_path / "secret.txt"
    secret.write_text("TOPSECRET")
    file.write_text(
        f'<!DOCTYPE html [<!ENTITY x SYSTEM "{secret.as_uri()}">]><html><body>&x; text</body></html>', "utf-8"
    )
    assert "TOPSECRET" not in whole(file)[0]


def _pdf(text: str | None) -> bytes:
    """A one-page PDF, with a line of text or without any."""
    stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode() if text else b"q Q"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n" % len(stream) + stream + b"\nendstream",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out, offsets = b"%PDF-1.4\n", []
    for i, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n" % i + body + b"\nendobj\n"
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % o for o in offsets)
    return out + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)


def test_pdf_gives_its_text(tmp_path: Path) -> None:
    file = tmp_path / "a.pdf"
    file.write_bytes(_pdf("Windjana contains sanidine."))
    assert "Windjana contains sanidine." in whole(file)[0]


def test_scanned_pdf_says_that_it_needs_ocr(tmp_path: Path) -> None:
    file = tmp_path / "scan.pdf"
    file.write_bytes(_pdf(None))
    with pytest.raises(TextError, match=r"1 pages without text .*OCR"):
        whole(file)


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("empty.txt", b"", "empty"),
        ("blank.txt", b" \n\n ", "no text"),
        ("cut.pdf", b"%PDF-1.4\n1 0 obj", "damaged PDF|without text"),
        ("binary.dat", b"\x00\x01\x02\xff" * 100, "binary"),
        ("none.jsonl", b'{"a": 1}\nnot json\n', "no JSON object"),
    ],
)
def test_bad_files_give_one_line(tmp_path: Path, name: str, data: bytes, why: str) -> None:
    file = tmp_path / name
    file.write_bytes(data)
    with pytest.raises(TextError, match=why) as caught:
        whole(file)
    assert "\n" not in str(caught.value)


def test_jsonl_lines_are_documents_and_bad_lines_are_counted(tmp_path: Path) -> None:
    file = tmp_path / "corpus.jsonl"
    rows = [json.dumps({"id": "a", "title": "A", "text": "one"}), "{half", json.dumps({"id": "b", "text": "two"})]
    file.write_text("\n".join(rows), "utf-8")
    segments = list(read_segments(file))
    assert [s.text for s in segments] == ["one", "two"]
    assert segments[0].document.id.endswith("#a")
    assert "1 line is no document and was left out (first: line 2)" in segments[0].document.remarks[0]


def test_same_file_has_the_same_id_and_another_folder_another(tmp_path: Path) -> None:
    one, two = tmp_path / "x" / "a.txt", tmp_path / "y" / "a.txt"
    for f in (one, two):
        f.parent.mkdir()
        f.write_text("text", "utf-8")
    ids = [next(read_segments(f)).document.id for f in (one, one, two)]
    assert ids[0] == ids[1] != ids[2]


TEXTS = st.text(st.sampled_from("abc ABC.,;:!?()[]0123 \n\n\t’“”é漢字שלוםаб\u200b\u202e"), max_size=400) | st.lists(
    st.sampled_from(["Word", "and", "sol 12.", "Fig. 3.", "e.g.", "\n\n", "\u200b"]), max_size=300
).map(" ".join)


@given(TEXTS, st.integers(1, 40))
def test_passages_hold_their_offsets_and_limits(text: str, words: int) -> None:
    ranges = split_ranges(text, words)
    assert all(a < b for a, b in ranges)
    assert all(b <= c for (_, b), (c, _) in pairwise(ranges))
    assert all(len(text[a:b].split()) <= words for a, b in ranges)
    kept = "".join("".join(text[a:b].split()) for a, b in ranges)
    assert kept == "".join(text.split())


def test_a_blank_line_ends_a_sentence() -> None:
    text = "Results of the drill\n\nThe target Stephen contains Mn. Here is Mt. Sharp\n \nand more"
    assert [text[a:b].strip() for a, b in Zones(text).sentences] == [
        "Results of the drill",
        "The target Stephen contains Mn.",
        "Here is Mt. Sharp",
        "and more",
    ]


def test_no_sentence_is_longer_than_its_limit() -> None:
    text = "Windjana contains hematite, " * 4000 + "x" * 10_000
    parts = Zones(text).sentences
    assert max(b - a for a, b in parts) <= MAX_SENTENCE
    assert "".join(text[a:b] for a, b in parts) == text


def test_passages_of_a_segment_are_offset_by_its_start(tmp_path: Path) -> None:
    file = tmp_path / "t.txt"
    file.write_text("First sentence here. Second sentence here.\n\nThird one.", "utf-8")
    text, segments = whole(file, segment_chars=12)
    for s in segments:
        for p in split_passages(s):
            assert text[p.start : p.end] == p.text


@given(st.text(st.sampled_from("ab \u200b\u202e\u00ad\ufeffש")))
def test_invisible_characters_map_back_to_the_source(text: str) -> None:
    seen = see(text)
    assert seen.text == "".join(c for c in text if c not in "\u200b\u202e\u00ad\ufeff")
    for i in range(len(seen.text)):
        a, b = seen.source(i, i + 1)
        assert text[a:b] == seen.text[i]
    if seen.text:
        a, b = seen.source(0, len(seen.text))
        assert see(text[a:b]).text == seen.text


PAGE = b"<p>The target Windjana contains sanidine.</p>"
HARD_PAGES = {
    "deep": b"<html><body>" + b"<div>" * 3000 + PAGE + b"</div>" * 3000,
    "open tags": b"<html><body>" + b"<b><i>" * 3000 + PAGE,
    "long attribute": b"<p style='" + b"a" * 11_000_000 + b"'>" + PAGE,
    "long text": b"<p>" + b"olivine " * 1_400_000 + PAGE,
    "many scripts": b"<body>" + b"<script>x</script>a " * 30_000 + PAGE,
    "many hidden": b"<body>" + b"<p hidden>x</p>a " * 30_000 + PAGE,
    "entities": b'<!DOCTYPE html [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><body>&b;' + PAGE,
    "utf-16": "<html><body>\u00e9".encode("utf-16") + PAGE.decode().encode("utf-16-le"),
    "declared": b'<meta charset="windows-1251"><body>\xd0\xf3\xe4\xe0 ' + PAGE,
    "lone surrogate": b"<p>x &#xD800; y &#0;</p>" + PAGE,
}


@pytest.mark.parametrize("name", sorted(HARD_PAGES))
def test_no_page_loses_its_text(tmp_path: Path, name: str) -> None:
    page = tmp_path / "page.html"
    page.write_bytes(HARD_PAGES[name])
    text, segments = whole(page)
    assert text.count("The target Windjana contains sanidine.") == 1
    assert segments[0].document.warnings == []
    assert "aaaaaaaaaa" not in text
    assert text.encode()
    if name == "declared":
        assert "Руда" in text


def test_a_page_of_more_than_64_mb_is_refused_in_one_line(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    with page.open("wb") as f:
        f.write(b"<html>" + PAGE)
        f.truncate(64 * 1024 * 1024 + 1)
    with pytest.raises(TextError, match="HTML file of more than 64 MB"):
        whole(page)


def test_an_unknown_declared_character_set_is_said(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_bytes(b'<meta charset="zlib"><p>caf\xc3\xa9</p>')
    text, segments = whole(page)
    assert text == "café"
    assert segments[0].document.warnings == ["the declared character set zlib is unknown; read as UTF-8"]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_byte_order_mark_is_recognised_and_said(tmp_path: Path, encoding: str) -> None:
    file = tmp_path / "t.txt"
    file.write_bytes("The target Windjana contains 16 wt% sanidine, é.".encode(encoding))
    text, segments = whole(file)
    assert text == "The target Windjana contains 16 wt% sanidine, é."
    assert "no byte order mark" in segments[0].document.warnings[0]
    corpus = tmp_path / "c.jsonl"
    corpus.write_bytes('{"id": "a", "text": "one é"}\n{"id": "b", "text": "two"}\n'.encode(encoding))
    assert [s.text for s in read_segments(corpus)] == ["one é", "two"]


def test_a_few_nuls_are_spaces_and_many_control_characters_are_no_text(tmp_path: Path) -> None:
    file = tmp_path / "t.txt"
    file.write_bytes(b"The target\0Windjana\0contains\0sanidine.")
    text, segments = whole(file)
    assert text == "The target Windjana contains sanidine."
    assert segments[0].document.warnings == ["3 NUL characters were read as spaces"]
    file.write_bytes(bytes(range(256)) * 40)
    with pytest.raises(TextError, match="binary file"):
        whole(file)


def test_a_record_without_end_is_counted_in_bounded_memory(tmp_path: Path) -> None:
    file = tmp_path / "c.jsonl"
    with file.open("wb") as f:
        f.write(b'{"id": "a", "text": "one"}\n{"id": "b", "text": "')
        for _ in range(40):
            f.write(b"olivine " * (1 << 17))
        f.write(b'"}\n{"id": "c", "text": "two"}\n' + b"x\n" * 100_000)
    segments = list(read_segments(file))
    assert [s.text for s in segments] == ["one", "two"]
    said = segments[0].document.remarks
    assert "1 line is longer than 16 MB and left out (first: line 2)" in said
    assert "100,000 lines are no documents and were left out (first: line 4, 5, 6, 7, 8)" in said
    assert not segments[0].document.whole


@pytest.mark.parametrize(
    ("row", "own"),
    [
        ({"id": True, "text": "t"}, "1"),
        ({"id": 1.5, "text": "t"}, "1.5"),
        ({"id": 0, "text": "t"}, "0"),
        ({"id": {"x": 1}, "docid": "d", "text": "t"}, "d"),
        ({"id": "", "text": "t"}, "1"),
        ({"_id": "a\u0000\nb", "abstract": "t"}, "a  b"),
    ],
)
def test_ids_of_records(tmp_path: Path, row: dict[str, object], own: str) -> None:
    file = tmp_path / "c.jsonl"
    file.write_text(json.dumps(row), "utf-8")
    assert next(read_segments(file)).document.id.split("#")[1] == own


def test_passages_are_bounded_whatever_the_file_holds() -> None:
    for text in (
        "A" * 300_000,
        "a" + " " * 100_000 + "b",
        "\n" * 100_000 + "x",
        "ab\u2003" * 50_000,
        "x" * 79 + " " * 199,
    ):
        ranges = split_ranges(text * 2)
        assert all(b - a <= 120 * 280 for a, b in ranges)
        assert "".join("".join((text * 2)[a:b].split()) for a, b in ranges) == "".join((text * 2).split())


def test_damaged_pdfs_give_one_line_or_their_text(tmp_path: Path) -> None:
    good = _pdf("Windjana contains sanidine.")
    file = tmp_path / "a.pdf"
    rng = random.Random(8)
    said: set[str] = set()
    for i in range(300):
        data = bytearray(good)
        if i % 2:
            data = data[: rng.randrange(5, len(data))]
        for _ in range(rng.randrange(1, 8)):
            data[rng.randrange(5, len(data))] = rng.randrange(256)
        file.write_bytes(bytes(data))
        try:
            said.add(str(bool(whole(file)[0])))
        except TextError as exc:
            said.add(str(exc))
    assert not any("\n" in line for line in said)
    assert {"True", "a.pdf is a damaged PDF"} <= {line.split(":")[0] for line in said}


def test_an_encrypted_pdf_says_so(tmp_path: Path) -> None:
    from pypdf import PdfReader, PdfWriter

    plain, locked = tmp_path / "plain.pdf", tmp_path / "locked.pdf"
    plain.write_bytes(_pdf("Windjana contains sanidine."))
    for password, readable in (("secret", False), ("", True)):
        writer = PdfWriter(PdfReader(plain))
        writer.encrypt(password, "owner", algorithm="RC4-128")
        writer.write(locked)
        if readable:
            assert "Windjana" in whole(locked)[0]
        else:
            with pytest.raises(TextError, match="encrypted PDF"):
                whole(locked)
    data = locked.read_bytes().replace(b"/V 2", b"/V 5").replace(b"/R 3", b"/R 6")
    locked.write_bytes(data)
    with pytest.raises(TextError):
        whole(locked)


def test_what_a_page_hides_is_not_read(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(
        '<p>Olivine is seen.</p><p style="display: none">Gold is seen.</p><div hidden>Silver.</div>', "utf-8"
    )
    text = "".join(segment.text for segment in read_segments(page))
    assert "Olivine" in text
    assert "Gold" not in text
    assert "Silver" not in text
