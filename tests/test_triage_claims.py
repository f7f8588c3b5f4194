"""Claims are read and compared as a person would: units, uncertainty, limits, negation, opposites, other words."""

from __future__ import annotations

import math

import pytest

from areorag.triage.claims import compare, match_numbers, threshold_answers
from areorag.triage.profile import profile
from areorag.triage.quantities import quantities
from areorag.triage.source import Source
from areorag.triage.stance import axes, graded_concepts, stance


def side(value: str, text: str = "", prop: str = "elevation", subject: str = "the place") -> Source:
    return Source("id", subject, prop, value, text or value)


def features(question: str, a: Source, b: Source) -> dict[str, float]:
    return compare(question, a, b, profile(question, a, b)).features


@pytest.mark.parametrize(
    "text, low, high, dimension",
    [
        ("about -4.1 km", -4100, -4100, "length"),
        ("−4130 m", -4130, -4130, "length"),
        ("4130 m below the areoid", -4130, -4130, "length"),
        ("-8.2 to -7.1 km", -8200, -7100, "length"),
        ("12,000 m", 12000, 12000, "length"),
        ("-20 °C", 253.15, 253.15, "temperature"),
        ("190 K", 190, 190, "temperature"),
        ("7.4 hPa", 740, 740, "pressure"),
        ("52 pr µm", 52e-6, 52e-6, "column"),
        ("5.2 cm of precipitable water", 0.052, 0.052, "column"),
        ("several hundred metres long", 300, 900, "length"),
        ("25 km/h", 6.944, 6.944, "speed"),
        ("250 tiu", 250, 250, "inertia"),
        ("0.4 ± 0.1 ppbv", 4e-10, 4e-10, "fraction"),
        ("38.7 S", -38.7, -38.7, "latitude"),
    ],
)
def test_quantities_are_read_in_base_units(text: str, low: float, high: float, dimension: str) -> None:
    found = quantities(text)
    assert len(found) == 1
    assert found[0].dimension == dimension
    assert found[0].low == pytest.approx(low, rel=1e-3)
    assert found[0].high == pytest.approx(high, rel=1e-3)


@pytest.mark.parametrize("text", ["band at 2.3 um", "MY 28 Ls 270", "K2O", "in 2006", "at 02:00"])
def test_what_is_no_value_is_not_read_as_one(text: str) -> None:
    assert quantities(text) == ()


def test_oxides_are_counted_as_their_element() -> None:
    oxide, element = quantities("0.5 wt% K2O")[0], quantities("4200 ppm K")[0]
    assert oxide.species == element.species == "K"
    assert match_numbers(oxide, element).compatible
    assert not match_numbers(quantities("2.0 wt% K2O")[0], element).compatible


@pytest.mark.parametrize(
    "a, b, compatible",
    [
        ("about -4.1 km", "-4130 m", True),
        ("-7 km", "7 km", False),
        ("0.6 ppbv", "below 5 ppb", True),
        ("7 ppbv", "below 0.05 ppbv", False),
        ("735 Pa", "7.4 hPa", True),
        ("735 Pa", "735 hPa", False),
        ("180 to 220 tiu", "189 ± 10 tiu", True),
        ("190 K", "-83 °C", True),
        ("3.7 Ga", "3500 Myr", True),
        ("6 to 8 m/s", "about 25 km/h", True),
    ],
)
def test_numbers_agree_after_conversion_and_uncertainty(a: str, b: str, compatible: bool) -> None:
    assert match_numbers(quantities(a)[0], quantities(b)[0]).compatible is compatible


def test_lengths_of_different_extents_are_not_compared() -> None:
    f = features("What are the ridges like?", side("bright ridges 20 m long"), side("crusted bedforms about 1 m high"))
    assert f["num_any"] == 0.0


@pytest.mark.parametrize(
    "text, polarity",
    [
        ("present", 0.9),
        ("absent", 0.0),
        ("no such cloud", 0.0),
        ("not detected", 0.0),
        ("no ice required; modest hydrogen", 0.0),
        ("smooth and featureless", 0.0),
        ("tentatively identified", 0.7),
        ("minor amounts present", 0.6),
        ("practically no rocks", 0.2),
    ],
)
def test_polarity_reads_denial_hedge_and_degree(text: str, polarity: float) -> None:
    assert stance(text).polarity == pytest.approx(polarity)


def test_negation_turns_a_quality_round() -> None:
    assert axes("rough and blocky")["roughness"] > 0
    assert axes("no rough blocks, smooth")["roughness"] < 0
    assert axes("magnetite-bearing, little hematite")["redox"] < 0 < axes("reddish ferric surface")["redox"]


def test_concepts_carry_the_degree_to_which_they_are_asserted() -> None:
    grades = graded_concepts("olivine-rich with minor carbonate, no sulfate")
    assert grades["olivine"] > grades["carbonate"] > grades["polyhydrated sulfate"] == 0.0


def test_a_question_with_a_threshold_is_answered_alike_by_compatible_values() -> None:
    question = "Is methane above 10 ppb?"
    assert threshold_answers(question, side("0.6 ppbv"), side("below 5 ppb")) == (1.0, 0.0)
    assert threshold_answers(question, side("45 ppb"), side("below 5 ppb")) == (0.0, 1.0)


def test_comparison_is_the_same_whichever_side_comes_first() -> None:
    a, b = side("K2O above 2 wt%", prop="potassium"), side("about 0.4 wt% K", prop="potassium")
    one, two = features("Is it rich in potassium?", a, b), features("Is it rich in potassium?", b, a)
    assert all(math.isclose(one[k], two[k], abs_tol=1e-12) for k in one)


@pytest.mark.parametrize(
    "prop, kind",
    [
        ("surface elevation", "elevation"),
        ("recurring slope lineae", "slope lineae"),
        ("CO2 frost", "frost"),
        ("smectite", "mineral"),
        ("dust optical depth", "dust opacity"),
        ("subsurface ice", "ground ice"),
        ("K2O abundance", "element"),
    ],
)
def test_properties_fall_into_their_kind(prop: str, kind: str) -> None:
    assert profile("", side("x", prop=prop), side("y", prop=prop)).name == kind
