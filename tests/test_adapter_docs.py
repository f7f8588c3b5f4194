"""The keyword reference cannot drift: it is what the code uses, and the code does what it says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from areorag.ingest.adapters import read_path
from areorag.ingest.adapters.pds3 import PDS3_KEYWORDS
from areorag.ingest.adapters.reference import keyword_tables, updated
from areorag.ingest.jsonld import context, iri, to_jsonld

PAGE = Path(__file__).resolve().parents[1] / "docs" / "adapters.md"
VALUES = {
    "id": ('"P_1"', "P_1"), "start": ("2009-06-01T00:38:16", "2009-06-01T00:38:16Z"), "stop": ("2009-06-02T00:00:00", "2009-06-02T00:00:00Z"),
    "ls_label_deg": ("276.65 <DEG>", 276.65), "incidence_deg": ("49.99 <DEG>", 49.99), "emission_deg": ("8.5", 8.5), "phase_deg": ("43.7", 43.7),
    "resolution_m": ("6.5 <m/pixel>", 6.5), "targets": ("PHOBOS", ["Phobos"]), "derived_from": ('{"SRC_1"}', ["SRC_1"]),
    "platform": ('"MGS"', "MGS"), "instrument": ('"CTX"', "CTX"), "institution": ('"CORNELL UNIVERSITY"', "Cornell University"),
}  # fmt: skip
CASES = [(f, k) for f in VALUES for k in PDS3_KEYWORDS[f]]


def test_page_holds_the_generated_reference() -> None:
    page = PAGE.read_text("utf-8")
    assert keyword_tables() in page
    assert updated(page) == page


@pytest.mark.parametrize(("field", "keyword"), CASES, ids=[f"{f}-{k}" for f, k in CASES])
def test_each_documented_keyword_alone_feeds_its_field(tmp_path: Path, field: str, keyword: str) -> None:
    written, expected = VALUES[field]
    base = {
        "PRODUCT_ID": '"X"',
        "INSTRUMENT_ID": '"TESTCAM"',
        "TARGET_NAME": "MARS",
        "START_TIME": "2009-06-01T00:00:00",
    }
    for other in PDS3_KEYWORDS[field]:
        base.pop(other, None)
    block, _, name = keyword.rpartition(".")
    line = f"{name} = {written}\n"
    text = "".join(f"{k} = {v}\n" for k, v in base.items())
    text += f"GROUP = {block}\n{line}END_GROUP = {block}\n" if block else line
    (tmp_path / "a.lbl").write_text(f"PDS_VERSION_ID = PDS3\n{text}END\n")
    (report,) = read_path(tmp_path / "a.lbl")
    (observation,) = report.observations
    assert observation.model_dump(mode="json")[field] == expected


def test_context_defines_every_contract_field_and_ids_are_iris(tmp_path: Path) -> None:
    (tmp_path / "a.lbl").write_text(
        'PDS_VERSION_ID = PDS3\nPRODUCT_ID = "AB-1-024/01"\nINSTRUMENT_ID = CTX\nTARGET_NAME = MARS\nSTART_TIME = 2009-06-01T00:00:00\n'
        'SOURCE_PRODUCT_ID = "4A_04"\nEND\n'
    )
    (observation,) = read_path(tmp_path / "a.lbl")[0].observations
    node = to_jsonld(observation)
    json.dumps(node, allow_nan=False)
    assert node["id"] == "urn:areorag:product:AB-1-024%2F01"
    assert node["derived_from"] == ["urn:areorag:product:4A_04"]
    assert iri("urn:nasa:pds:x") == "urn:nasa:pds:x"
    terms = context()["@context"]
    for name in ("id", "footprint", "start", "stop", "ls_deg", "derived_from", "quality_flags", "authority", "claims"):
        assert name in terms
