"""Extraction without a model: what counts as an element, a mineral, a target, an amount; exact spans always."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from areorag.evaluate import extraction
from areorag.ingest.text.amounts import amount_near, find_amounts, polarity_of
from areorag.ingest.text.brat import parse_ann
from areorag.ingest.text.elements import find_elements
from areorag.ingest.text.extract import find_all
from areorag.ingest.text.facts import check_fact, extract_facts
from areorag.ingest.text.minerals import find_minerals
from areorag.ingest.text.passages import split_passages
from areorag.ingest.text.readers import Document, Segment
from areorag.ingest.text.spans import Zones
from areorag.ingest.text.targets import find_targets

SHARED = Path(__file__).resolve().parents[1].parent / "shared" / "data" / "lpsc2015"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The rock is rich in Si, Al, and K.", ["Si", "Al", "K"]),
        ("We see 5 wt% SiO2 and Fe2O3.", []),
        ("A K-rich vein with Ca-sulfate.", ["K", "Ca"]),
        ("at 277 K, by K. Herkenhoff and S. Maurice", []),
        ("olivine ((Mg,Fe)2SiO4) and apatite (Ca5(PO4)3(F,Cl,OH))", []),
        ("the manganese and iron content", ["manganese", "iron"]),
        ("3.5 Ga ago at 4.6°N", []),
        ("a strong H peak and Na/K ratios", ["H", "Na", "K"]),
        ("a Nd:YAG laser", []),
        ("In situ data; He at al. disagree. No data were taken At night. W of the crater, I saw As we know.", []),
        ("In this soil, K is 0.3 wt%", ["K"]),
        ("U and Th abundances; at 5 U and rising", ["U", "Th"]),
    ],
)
def test_elements_are_told_from_formulae_units_and_initials(text: str, found: list[str]) -> None:
    assert [s.text for s in find_elements(text)] == found


def test_minerals_come_with_their_modifier_and_their_kind() -> None:
    found = {s.text for s in find_minerals("Veins of calcium sulfate, K-feldspar and hematite; also oxides.")}
    assert found == {"calcium sulfate", "sulfate", "K-feldspar", "feldspar", "hematite"}


def test_a_poor_or_rich_pyroxene_is_a_pyroxene() -> None:
    assert [s.text for s in find_minerals("low-Ca pyroxene and high-Ca pyroxene")] == ["pyroxene", "pyroxene"]


def test_unknown_targets_are_found_by_their_context_and_people_are_not() -> None:
    text = (
        "NEW ROCKS. A. B. Smith1, C. Miller2, 1University of Town (a@b.org). Introduction: On sol 1200 the rover drilled "
        "the target Quuxville. The ChemCam target Barfoo_3 (sol 1201) and Zorptown (sol 1202) were analyzed. The drill "
        "sample from Quuxville contains jarosite. References: [1] Miller C. et al. (2014) JGR, 1, 2."
    )
    names = [s.text for s in find_targets(text)]
    assert names.count("Quuxville") == 2
    assert {"Barfoo_3", "Zorptown"} <= set(names)
    assert "Miller" not in names
    assert "Smith" not in names


def test_what_a_target_contains_is_tied_to_it() -> None:
    text = "Introduction: Two targets. The target Stephen (sol 619) is rich in Mn. The drill target Windjana contains sanidine."
    pairs = {(p.target.text, p.component.text) for p in find_all(text).pairs}
    assert ("Stephen", "Mn") in pairs
    assert ("Windjana", "sanidine") in pairs
    assert ("Windjana", "Mn") not in pairs


@pytest.mark.parametrize(
    ("text", "low", "high", "unit"),
    [
        ("hematite (~8 wt%)", 8, 8, "wt%"),
        ("hematite at 9.0 ± 1.3 wt. %", 7.7, 10.3, "wt%"),
        ("hematite, 13-18 wt%", 13, 18, "wt%"),
        ("hematite up to 14 weight percent", 0, 14, "wt%"),
        ("hematite 3,430 ppm", 3430, 3430, "ppm"),
        ("hematite > 5 vol%", 5, None, "vol%"),
        ("hematite (10 wt %)", 10, 10, "wt%"),
        ("hematite 18.2(3) wt%", 17.9, 18.5, "wt%"),
        ("hematite: between 5 and 10 wt%", 5, 10, "wt%"),
        ("hematite of 5 and 7 wt%", 5, 5, "wt%"),
        ("hematite less than 1 wt.%", 0, 1, "wt%"),
    ],
)
def test_amounts_have_bounds_and_units(text: str, low: float, high: float | None, unit: str) -> None:
    amount = amount_near(text, 0, 8, [], find_amounts(text))
    assert amount is not None
    assert amount.low == pytest.approx(low)
    assert amount.high == (None if high is None else pytest.approx(high))
    assert amount.unit == unit


def test_amounts_are_not_blurred_by_binary_fractions() -> None:
    assert find_amounts("22.4 ± 2.1 wt%")[0].low == 20.3  # and not 20.299999999999997


def test_an_amount_before_a_component_is_not_the_last_ones() -> None:
    text = "pyroxene and 3-5 % perchlorate"
    assert amount_near(text, 0, 8, [(19, 30)], find_amounts(text)) is None
    assert amount_near(text, 19, 30, [(0, 8)], find_amounts(text)).high == 5  # type: ignore[union-attr]


def test_an_amount_goes_to_its_own_component() -> None:
    text = "andesine (~21 wt%) and oligoclase (~2 wt%)"
    amounts = find_amounts(text)
    spans = [(0, 8), (23, 33)]
    assert amount_near(text, 0, 8, spans[1:], amounts).low == 21  # type: ignore[union-attr]
    assert amount_near(text, 23, 33, spans[:1], amounts).low == 2  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "word", "polarity"),
    [
        ("ChemCam did not detect sulfur here", "sulfur", "absent"),
        ("No olivine was found", "olivine", "absent"),
        ("olivine is not present", "olivine", "absent"),
        ("not only olivine but pyroxene", "olivine", "present"),
        ("no plagioclase; hematite abounds", "hematite", "present"),
        ("hematite was detected", "hematite", "present"),
        ("As and I are below detection", "I", "absent"),
        ("It lacks sulfates, and has FeOT of 18 wt%", "FeOT", "present"),
        ("It contains neither calcite nor gypsum", "gypsum", "absent"),
    ],
)
def test_polarity_follows_the_clause(text: str, word: str, polarity: str) -> None:
    a = text.index(word)
    assert polarity_of(text, a, a + len(word)) == polarity


def _facts(text: str):  # type: ignore[no-untyped-def]
    segment = Segment(Document("d", "d", "d", "text"), 0, text, True)
    return extract_facts(text, split_passages(segment), "d")


def test_quotes_are_exact_with_zero_width_and_right_to_left_characters() -> None:
    text = "The target Wind\u200bjana (sol 621) con\u200btains \u202bhema\u200btite\u202c and magnetite. \u05e9\u05dc\u05d5\u05dd."
    found = _facts(text)
    assert found.facts
    for fact in found.facts:
        assert check_fact(fact, text)
        assert text[fact.start : fact.end] == fact.quote
        assert "\u200b" not in fact.text
    assert ("component", "Mineral", "hematite") in found.facts[0].entities
    assert ("target", "Target", "Windjana") in found.facts[0].entities
    for m in found.mentions:
        assert text[m.start : m.end] == m.text


def test_amounts_named_for_targets_go_to_those_targets() -> None:
    text = "Introduction: The targets Stephen and Neil show MnO abundances of 5.2 wt% (Stephen) and 5.3 wt% (Neil)."
    claims = {c.subject: c.low for f in _facts(text).facts for c in f.claims if c.property == "manganese oxide"}
    assert claims == {"Stephen": 5.2, "Neil": 5.3}


def test_an_oxide_between_an_amount_and_a_component_keeps_its_amount() -> None:
    text = "Introduction: The target Dourbes contains sulfates, and has FeOT of 18.2(3) wt% and SiO2 of 45.3 wt%."
    claims = {c.property: (c.low, c.high) for f in _facts(text).facts for c in f.claims}
    assert claims["sulfate"] == (None, None)
    assert claims["ferrous oxide"] == (17.9, 18.5)
    assert claims["silicon dioxide"] == (45.3, 45.3)


def test_samples_that_are_not_named_are_the_targets_the_text_is_about() -> None:
    text = (
        "JOHN KLEIN AND CUMBERLAND MINERALOGY. A. B. Smith1, C. Miller2, 1University of Town (a@b.org). "
        "Introduction: The rover drilled the targets John Klein and Cumberland. John Klein and Cumberland are close. "
        "The Sheepbed member is gray. In both drill samples CheMin detected augite and magnetite."
    )
    pairs = {(p.target.text, p.component.text) for p in find_all(text).pairs}
    assert {("John Klein", "augite"), ("Cumberland", "augite"), ("Cumberland", "magnetite")} <= pairs


def test_sentences_end_after_a_symbol_and_where_a_space_is_lost() -> None:
    text = "There is enrichment in K. Overall it is a rich component.Vesiculated rocks by K. Herkenhoff et al. differ."
    zones = Zones(text)
    assert [text[a:b] for a, b in zones.sentences] == [
        "There is enrichment in K.",
        "Overall it is a rich component.",
        "Vesiculated rocks by K. Herkenhoff et al. differ.",
    ]


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "Windjana",
                "target",
                "K",
                "Fe",
                "hematite",
                "sol 12",
                "(",
                ")",
                ".",
                "Gale crater",
                "wt%",
                "5",
                "\u200b",
                "\n",
                "é",
            ]
        ),
        max_size=60,
    ).map(" ".join)
)
def test_every_span_quotes_its_text_whatever_the_text(text: str) -> None:
    for s in find_all(text).spans:
        assert text[s.start : s.end] == s.text
    for fact in _facts(text).facts:
        assert text[fact.start : fact.end] == fact.quote


def test_brat_events_name_their_targets_and_components() -> None:
    ann = "T1\tTarget 0 8\tWindjana\nT2\tMineral 18 26\tsanidine\nT3\tContains 9 17\tcontains\nE1\tContains:T3 Targ:T1 Cont:T2\n"
    doc = parse_ann("d", "Windjana contains sanidine", ann)
    assert doc.contains == [("T3", ["T1"], ["T2"])]
    assert doc.by_id["T2"].text == "sanidine"


@pytest.mark.shared
@pytest.mark.slow
def test_figures_on_documents_that_were_not_trained_on() -> None:
    if not SHARED.is_dir():
        pytest.skip("../shared/data/lpsc2015 is not there")
    result = extraction.run(SHARED, folds=5, predictions=False)
    assert result["Element"]["f1"] >= 0.92
    assert result["Mineral"]["f1"] >= 0.85
    assert result["Target"]["f1"] >= 0.75
    assert result["Contains"]["f1"] >= 0.55
    assert result["contains_mentions"]["f1"] >= 0.46
