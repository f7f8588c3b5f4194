"""The instrument registry holds real, validated, extensible facts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from areorag.errors import SettingsError
from areorag.planet.instruments import all_instruments, get_instrument, load_registry, validate

PAPER_AND_MISSIONS = [
    "HiRISE",
    "CTX",
    "CRISM",
    "MOLA",
    "MARCI",
    "MCS",
    "SHARAD",
    "OMEGA",
    "HRSC",
    "MARSIS",
    "PFS",
    "SPICAM",
    "TES",
    "THEMIS",
    "GRS",
    "MOC-NA",
    "MOC-WA",
    "CaSSIS",
    "NOMAD",
    "ACS",
    "FREND",
    "IUVS",
    "NGIMS",
    "EXI",
    "EMIRS",
    "EMUS",
    "HiRIC",
    "MoRIC",
    "MOSIR",
    "MMS",
    "NaTeCam",
    "MarSCoDe",
    "RoPeR",
    "RoMAG",
    "MSCam",
    "Mastcam",
    "MAHLI",
    "ChemCam",
    "CheMin",
    "SAM",
    "APXS",
    "DAN",
    "REMS",
    "Mastcam-Z",
    "SuperCam",
    "PIXL",
    "SHERLOC",
    "WATSON",
    "RIMFAX",
    "MEDA",
    "Pancam",
    "Mini-TES",
    "MI",
    "SSI",
    "TEGA",
    "SEIS",
    "HP3",
    "IDC",
]


def test_registry_has_at_least_45_cited_instruments() -> None:
    specs = all_instruments()
    assert len(specs) >= 70
    assert all(s.citation and any(c.isdigit() for c in s.citation) for s in specs)
    assert {s.kind for s in specs} == {"orbital", "insitu"}
    assert len({s.name for s in specs}) == len(specs)


@pytest.mark.parametrize("name", PAPER_AND_MISSIONS)
def test_instruments_of_the_paper_and_the_missions_are_known(name: str) -> None:
    assert get_instrument(name) is not None


@pytest.mark.parametrize(
    "asked, name",
    [
        ("hirise", "HiRISE"),
        ("Context Camera", "CTX"),
        ("Mössbauer", "Moessbauer (MIMOS II)"),
        ("Moessbauer (MIMOS II)", "Moessbauer (MIMOS II)"),
        ("THEMIS-IR", "THEMIS"),
        ("CRISM (MTRDR)", "CRISM"),
        ("mastcam z", "Mastcam-Z"),
        ("HP³", "HP3"),
    ],
)
def test_aliases_and_spelling_are_forgiven(asked: str, name: str) -> None:
    spec = get_instrument(asked)
    assert spec is not None
    assert spec.name == name


def test_platform_decides_between_namesakes() -> None:
    plain = get_instrument("MCS")
    rover = get_instrument("MCS-Zhurong")
    assert plain is not None
    assert rover is not None
    assert plain.platform == "MRO"
    assert rover.platform == "Zhurong"


def test_unknown_and_empty_names_give_none() -> None:
    assert get_instrument("FOOBAR") is None
    assert get_instrument("") is None
    assert get_instrument(None) is None


def test_a_user_file_adds_and_overrides(tmp_path: Path) -> None:
    row = {
        "name": "HiRISE",
        "platforms": ["MRO"],
        "institution": "mine",
        "kind": "orbital",
        "technique": "visible imaging",
        "resolution_m": [0.5, 0.5],
        "authority": 0.1,
        "citation": "me 2026",
    }
    mine = tmp_path / "mine.json"
    mine.write_text(json.dumps({"instruments": [row, {**row, "name": "NewCam"}]}))
    registry = load_registry(mine)
    hirise, new = registry.get("hirise"), registry.get("newcam")
    assert hirise is not None
    assert new is not None
    assert hirise.institution == "mine"


@pytest.mark.parametrize(
    "change",
    [{"authority": 2}, {"resolution_m": [5, 1]}, {"resolution_m": "x"}, {"kind": "air"}, {"citation": ""}],
)
def test_bad_records_are_refused_by_name(change: dict[str, object]) -> None:
    good = {
        "name": "X",
        "platforms": ["P"],
        "institution": "I",
        "kind": "orbital",
        "technique": "t",
        "resolution_m": [1, 2],
        "authority": 0.5,
        "citation": "c 2000",
    }
    validate(good)
    with pytest.raises(SettingsError, match="instrument X"):
        validate({**good, **change})
