"""Candidate names of rover targets in one document, with the contexts they stand in (AreoRAG §III-B.1, O_target).

Targets are an open class: every sol adds names of rocks, soils and drill holes that no list has yet. A candidate is a
run of capitalised words; whether it names a target is a question about all its occurrences in the document together.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from .lexicons import element_names, instruments, known_places, known_targets, minerals
from .spans import Zones

_WORD = r"(?:[A-Z][a-zé'’]+[A-Za-zé]*|[A-Z]\.(?=\s|$|[^A-Za-z.]))"
_TAIL = r"(?:[_-]?\d{1,2}[a-z]?(?![\d.%]))?(?:_[A-Za-z0-9]{1,12})*"
_RUN = re.compile(
    rf"(?<![A-Za-z0-9.])((?:La |El |De |Le |St\. |Mt\. )?[A-Z][a-zé]+(?:[A-Z][a-zé]+)?(?:_[A-Z]?[A-Za-z0-9]+)*"
    rf"(?:(?:[ ]|-(?=[A-Z]))[A-Z][a-zé]+(?:_[A-Za-z0-9]+)*){{0,3}}(?: [A-Z]\.| 2(?![\d.])|(?<=[a-z])\d(?![\d.]))?)"
    rf"(?![A-Za-z0-9])"
)
#: Capitalised words that are never (part of) a target's name at its edge.
STOP = frozenset(
    """The A An In On At Of For From By With And Or But As To This These Those That It Its We Our They Their There Here
    Is Are Was Were When While Where Which Who What How Why If Then Than Thus However Therefore Moreover Although
    Because Since After Before During Between Both Each Some Most Many Several Other Others Another All Any Such Also
    Only Even Not No Nor Yet Still Just More Less First Second Third Fourth Fifth One Two Three Four Five Six Seven
    Eight Nine Ten Recent Recently Previous Previously Additional Additionally Finally Furthermore Interestingly
    Similarly Indeed Instead Overall Generally Typically Specifically Unfortunately Nevertheless Nonetheless Despite
    Figure Figures Fig Figs Table Tables Section References Reference Acknowledgements Acknowledgments Acknowledgement
    Introduction Background Discussion Discussions Results Result Methods Method Methodology Conclusion Conclusions
    Summary Data Analysis Analyses Observations Observation Overview Implications Interpretation Interpretations Future
    Work Context Setting Settings Geologic Geological Geology Experimental Samples Sample Targets Target Rock Rocks
    Soil Soils Sol Sols Mars Martian Earth Moon Lunar Planet Planets Planetary Space Science Sciences Scientific
    Institute Institut University Universite Université Univ Laboratory Laboratories Lab Center Centre College School
    Department Dept Division National Research Technology Observatory Museum Academy Agency Survey Society Conference
    Symposium Meeting Workshop Abstract Abstracts Journal Letters Nature Icarus Review Reviews Press Suppl Supplement
    Team Mission Missions Project Program Programme Rover Rovers Orbiter Lander Laser Camera Imager Spectrometer
    Spectroscopy Instrument Instruments Exploration Express Global Surveyor Reconnaissance Odyssey Curiosity
    Opportunity Spirit Phoenix Pathfinder Perseverance Sojourner Viking Mariner Insight InSight Using Used Based Given
    Note Notes See Here Results Comparison Comparing Compared Composition Compositions Compositional Chemical Chemistry
    Mineral Minerals Mineralogy Mineralogical Elemental Elements Element Images Image Imaging Color Colour Left Right
    Top Bottom Upper Lower Middle North South East West Northern Southern Eastern Western Red Green Blue Black White
    Yellow Orange Grey Gray Brown Group Class Type Phase Phases Stage Unit Units Region Regions Area Areas Site Sites
    Example Examples List Number Total Average Mean Median High Low Higher Lower New Old Large Small Early Late
    January February March April May June July August September October November December Monday Tuesday Wednesday
    Thursday Friday Saturday Sunday France French Germany German Spain Italy Canada Canadian Japan China Australia
    Australian California Arizona Mexico Texas York Washington Europe European America American England London Paris
    Toulouse Nantes Grenoble Orsay Pasadena Houston Tucson Alamos Flagstaff Boulder Hawaii Massachusetts Maryland
    Hampshire Tennessee Arizona Colorado Nevada Utah Indiana Illinois Michigan Ohio Virginia Florida Noachian Hesperian
    Amazonian Archean Paleozoic Mesozoic Cenozoic Cretaceous Jurassic Triassic Holocene Pleistocene Quaternary
    Laboratoire Lowell Jacobs Caltech Brown Cornell Stony Brook Smithsonian Lunar Los Ames Goddard Johnson Jet
    Propulsion Part Acta Spectrochim Spectrochimica Geochim Cosmochim Geophys Int Phys Chem Geol Lett Res Sci Rev
    Proc Bull Meteorit Planet Am Soc Eng Mineralogist Meteoritics Copyright Dr Prof Mr Ms Inc Ltd Team Teams
    Traverse Pass Loop Waypoint Campaign Location Locations Point Points Shot Shots Spot Spots Line Lines Peak Peaks
    Model Models Modeling Map Maps Mapping Plot Plots Principal Component Components Independent Partial Least Squares
    Raman Infrared Visible Near Thermal Emission Alpha Particle Electron Microprobe Gamma Ray Neutron Neutrons Gas
    Fines Drill Drilling Drilled Hole Tailings Dump Pile Powder Full Mini Bedrock Outcrop Outcrops Sandstone Mudstone
    Siltstone Conglomerate Conglomerates Basalt Basaltic Igneous Sedimentary Diagenetic Hydrated Alkaline Felsic Mafic
    Vein Veins Nodule Nodules Dune Dunes Ripple Ripples Sand Dust Ice Water Atmosphere Atmospheric Climate
    Stratigraphy Stratigraphic Stratigraphical Facies Formation Member Members Mount Crater Craters""".split()
)
_GEO = (
    r"craters?|Craters?|Planum|Planitia|Mons|Montes|Vallis|Valles|Terra|Patera|Chasma|Fossae|Palus|Bay|Rise|Landing|"
    r"Formation|formation|Fm|Group|Dunes?|dunes?|dune field|Quadrangle|quadrangle"
)
_UNIT = r"members?|Members?|units?|outcrops?|waypoints?|localit(?:y|ies)|areas?|regions?|mudstones?|sandstones?|facies|sites?"
_OBJECT = (
    r"targets?|rocks?|soils?|drill(?:ed|ing|s)?|drill[- ]holes?|samples?|tailings|powders?|cuttings|fines|floats?|"
    r"pebbles?|veins?|boulders?|conglomerates?|nodules?|clasts?|meteorites?|basalts?|blocks?|holes?|mini-drill|"
    r"points?|rasters?|surfaces?|materials?|analys[ie]s|spectr(?:um|a)|compositions?|observations?|location"
)
LEFT = {
    "target_word": re.compile(
        r"(?i)\btargets?(?:,? (?:named|called|known as|dubbed|such as|like|of|on|names?:?|is|include|were|at))?[\s:;,]*[\"'“‘(]*$"
    ),
    "named": re.compile(r"(?i)\b(?:named|called|dubbed|known as|nicknamed|informally)\s+[\"'“‘(]*$"),
    "object": re.compile(rf"(?i)\b(?:{_OBJECT})(?:,| at| on| of| from| in| for| named)?\s+(?:the )?[\"'“‘(]*$"),
    "sol": re.compile(r"(?i)\bsols? \d+(?:[-–]\d+)?[,)]?\s+(?:[a-z]{1,12}\s+){0,2}[\"'“‘(]*$"),
    "eg": re.compile(r"(?:e\.g\.|i\.e\.|such as|including|include|like),?\s+(?:the )?[\"'“‘(]*$"),
    "quote": re.compile(r"[\"“‘']$"),
    "at": re.compile(r"\b[Aa]t (?:the )?[\"“‘]*$"),
    "on": re.compile(r"\b[Oo]n (?:the )?[\"“‘]*$"),
    "of": re.compile(r"\bof (?:the )?[\"“‘]*$"),
    "in": re.compile(r"\b[Ii]n (?:the )?[\"“‘]*$"),
    "for": re.compile(r"\bfor (?:the )?[\"“‘]*$"),
    "from": re.compile(r"\bfrom (?:the )?[\"“‘]*$"),
    "near": re.compile(
        r"\b(?:near|around|between|above|below|beneath|toward|towards|through|across|along|within) (?:the )?[\"“‘]*$"
    ),
    "and": re.compile(r"\b(?:and|or|,) (?:the )?[\"“‘]*$"),
    "the": re.compile(r"\b[Tt]he [\"“‘]*$"),
    "paren": re.compile(r"\($"),
    "panel": re.compile(r"(?:\(?[A-Za-z0-9]\)|[,;:]) $"),
    "drill": re.compile(
        r"(?i)\b(?:drill\w*|scoop\w*|brush\w*|sampled?|tailings|fines|DRT)\s+(?:[a-z]{1,10}\s+){0,3}[\"“‘(]*$"
    ),
    "start": re.compile(r"(?:^|[.!?:;]\s+)$"),
    "initial": re.compile(r"[A-Z]\.\s?$"),
    "caps": re.compile(r"[A-Z][a-z]+ $"),
}
RIGHT = {
    "sol": re.compile(r"(?i)^[\"'”’)]*\s*[,(]?\s*(?:[a-z ]{0,14})?[,(\s]sols?\b\s?~?\d"),
    "object": re.compile(rf"^[\"'”’)]*\s(?:[a-z-]{{1,12}} )?(?:{_OBJECT})\b"),
    "target": re.compile(r"(?i)^[\"'”’)]*\s(?:rock |soil |drill )?targets?\b"),
    "drill": re.compile(
        r"(?i)^[\"'”’)]*\s\(?(?:mini-?)?(?:drill|scoop|tailings|dump|cuttings|fines|hole|sample|powder)"
    ),
    "unit": re.compile(rf"^[\"'”’)]*\s(?:{_UNIT})\b"),
    "geo": re.compile(rf"^\s(?:{_GEO})\b"),
    "number": re.compile(r"^\s?(?:#|point |\()\d"),
    "panel": re.compile(r"^\s?\([A-Za-z0-9]{1,2}\)"),
    "possessive": re.compile(r"^['’]s\b"),
    "verb": re.compile(
        r"^[\"'”’)]*,?\s(?:is|was|has|shows?|contains?|exhibits?|appears?|displays?|plots?|had|reveals?|were|and)\b"
    ),
    "affil": re.compile(r"^\s?\d|^,? (?:[A-Z]\.|et al)"),
    "colon": re.compile(r"^:"),
    "quote": re.compile(r"^[\"”’]"),
    "comma": re.compile(r"^,? (?:and |or )?[\"“]?[A-Z]"),
    "ccam": re.compile(r"^[\"']?_?(?:CCAM|MCAM)|^[^.]{0,30}\(?(?:ccam|mcam|CCAM)\d"),
    "caps": re.compile(r"^ [A-Z][a-z]+"),
    "mult": re.compile(r"^\s?\([^)]{0,40}(?:wt|ppm|%|Sol|sol|target|group|Fig|MAHLI|ChemCam|APXS)"),
}
_PLACE_WORDS = frozenset(
    "Crater Planum Planitia Mons Montes Vallis Valles Terra Patera Chasma Fossae Palus Bay Rise Landing Formation "
    "Dunes Plateau Ridge Buttes Park Basin Sea Ocean Island Islands State Desert Quadrangle Gorge".split()
)


@dataclass
class Candidate:
    """One name of a document and every place it stands."""

    name: str
    places: list[tuple[int, int]] = field(default_factory=list)
    features: dict[str, float] = field(default_factory=dict)
    listed_with: set[str] = field(default_factory=set)


def normal(name: str) -> str:
    """Name for look-ups: underscores as spaces, no trailing point number or instrument suffix."""
    name = re.sub(r"_(?:CCAM|RP|DW|LW|APXS|DRT|\d+)+$", "", name.replace("’", "'"))
    name = re.sub(r"(?:_CCAM|_RP|_DW)$", "", name)
    return re.sub(r"[ _]?\d{1,2}$", "", name.replace("_", " ")).removesuffix("'s").strip(" -.")


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    """Strip words that cannot begin or end a name; an empty result has start == end."""
    words = [(m.start() + start, m.end() + start) for m in re.finditer(r"[^\s]+", text[start:end])]
    while words and text[words[0][0] : words[0][1]].rstrip(".") in STOP:
        words.pop(0)
    while words and text[words[-1][0] : words[-1][1]].rstrip(".") in STOP:
        words.pop()
    return (words[0][0], words[-1][1]) if words else (start, start)


def _spans(text: str, zones: Zones) -> dict[str, list[tuple[int, int]]]:
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    chemistry = minerals() | set(element_names())
    for m in _RUN.finditer(text):
        start, end = m.span(1)
        whole = text[start:end]
        if normal(whole) not in known_targets() and whole not in known_targets():
            start, end = _trim(text, start, end)
        if end - start < 3 or zones.in_authors(start) or zones.in_references(start):
            continue
        name = text[start:end]
        words = [w.lower() for w in re.split(r"[ _]", name)]
        if name in instruments() or all(w in chemistry or w.rstrip("s") in chemistry for w in words):
            continue
        found[name].append((start, end))
    return found


def find_candidates(text: str, zones: Zones) -> dict[str, Candidate]:
    """Candidate names with document-level features (see `features`)."""
    spans = _spans(text, zones)
    everywhere = Counter(re.findall(r"[A-Za-z][a-zé]+", text))
    out = {name: Candidate(name, places) for name, places in spans.items()}
    _coordination(text, out)
    for candidate in out.values():
        candidate.features = _features(text, zones, candidate, everywhere)
    return out


def _coordination(text: str, candidates: dict[str, Candidate]) -> None:
    """Names that share a list: "A (sol 1), B, and C"."""
    order = sorted((a, b, c.name) for c in candidates.values() for a, b in c.places)
    gap = re.compile(
        r"^(?:['’]s)?[\"”’]?\s?(?:\([^()]{0,40}\)|\[\d+\])?\s?(?:,|;| and| or|,? and|/|&)\s?(?:the |and |or )?(?:[a-z]\) )?[\"“‘]?$"
    )
    for (_, end, name), (start, _, other) in zip(order, order[1:], strict=False):
        if name != other and start - end < 60 and gap.match(text[end:start]):
            candidates[name].listed_with.add(other)
            candidates[other].listed_with.add(name)


def _features(text: str, zones: Zones, candidate: Candidate, words: Counter[str]) -> dict[str, float]:
    """Document-level features of one name: shares over its occurrences (suffix ~) and whether any has it."""
    name = candidate.name
    n = len(candidate.places)
    sums: Counter[str] = Counter()
    for start, end in candidate.places:
        left, right = text[max(0, start - 60) : start], text[end : end + 60]
        for key, pattern in LEFT.items():
            sums[f"l_{key}"] += bool(pattern.search(left))
        for key, pattern in RIGHT.items():
            sums[f"r_{key}"] += bool(pattern.search(right))
    out: dict[str, float] = {"bias": 1.0}
    for key, value in sums.items():
        if value:
            out[key] = 1.0
            out[key + "~"] = value / n
    parts = re.split(r"[ _]", name)
    base = normal(name)
    out["known"] = float(base in known_targets() or name in known_targets())
    out["place"] = float(base in known_places() or any(p in _PLACE_WORDS for p in parts[-1:]))
    out["underscore"] = float("_" in name)
    out["digit"] = float(name[-1].isdigit())
    out["words"] = min(len(parts), 4) / 4
    out["once"] = float(n == 1)
    out["many"] = min(n, 8) / 8
    out["common"] = float(any(words[p.lower()] > 0 for p in parts if len(p) > 2))
    out["stop_inside"] = float(any(p in STOP for p in parts))
    out["short"] = float(len(name) < 5)
    out["before_body"] = float(candidate.places[0][0] < zones.header_end + 5)
    out["listed"] = float(bool(candidate.listed_with))
    return {k: v for k, v in out.items() if v}
