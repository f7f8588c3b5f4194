"""Canonical names: platforms, instruments, institutions and targets as the instrument registry writes them.

Labels name one craft in many ways (``MRO``, ``MARS_RECONNAISSANCE_ORBITER``); conflict triage and retrieval need one.
What is not known here keeps the label's own words (AreoRAG §III-B, normal form).
"""

from __future__ import annotations

import re
from functools import lru_cache

from ..planet.instruments import InstrumentSpec, all_instruments, get_instrument
from .normalise import is_null_word

_PLATFORMS: dict[str, tuple[str, ...]] = {
    "MRO": ("mars reconnaissance orbiter", "mro"),
    "MGS": ("mars global surveyor", "mgs"),
    "Mars Odyssey": ("2001 mars odyssey", "mars odyssey", "odyssey", "ody", "m01", "ody1", "mo"),
    "Mars Express": ("mars express", "mex", "mars-express"),
    "TGO": ("trace gas orbiter", "tgo", "exomars trace gas orbiter", "em16 tgo", "exomars 2016", "exomars tgo"),
    "MAVEN": ("maven", "mars atmosphere and volatile evolution"),
    "Hope": ("hope", "emm", "emirates mars mission", "hope probe"),
    "Tianwen-1": ("tianwen-1", "tianwen 1", "tw-1", "hx1-or", "tianwen-1 orbiter"),
    "Zhurong": ("zhurong", "zhurong rover", "hx1-ro", "tianwen-1 rover", "祝融号", "祝融", "祝融号火星车"),
    "Curiosity": ("curiosity", "msl", "mars science laboratory", "msl rover", "the mars science laboratory curiosity rover"),
    "Perseverance": ("perseverance", "m2020", "mars 2020", "mars2020", "m20", "mars 2020 perseverance rover", "mars 2020 rover"),
    "Ingenuity": ("ingenuity", "mars helicopter"),
    "Opportunity": ("opportunity", "mer1", "mer 1", "mer-b", "mer b", "mars exploration rover 1", "mars exploration rover b"),
    "Spirit": ("spirit", "mer2", "mer 2", "mer-a", "mer a", "mars exploration rover 2", "mars exploration rover a"),
    "InSight": ("insight", "nsyt", "insight lander", "insight mars lander mission"),
    "Phoenix": ("phoenix", "phx", "phoenix mars lander", "phoenix lander"),
    "Pathfinder": ("pathfinder", "mars pathfinder", "mpf", "mpfl", "mars pathfinder lander"),
    "Sojourner": ("sojourner", "mpfr", "microrover flight experiment"),
    "Viking Orbiter 1": ("viking orbiter 1", "vo1"),
    "Viking Orbiter 2": ("viking orbiter 2", "vo2"),
    "Viking Lander 1": ("viking lander 1", "vl1"),
    "Viking Lander 2": ("viking lander 2", "vl2"),
    "Mariner 9": ("mariner 9", "mr9", "mariner9"),
    "Mariner 6": ("mariner 6", "mr6"),
    "Mariner 7": ("mariner 7", "mr7"),
    "Phobos 2": ("phobos 2", "phb2"),
    "Cassini": ("cassini", "co", "cassini orbiter"),
    "Magellan": ("magellan", "mgn"),
    "Galileo": ("galileo", "go", "galileo orbiter"),
    "Voyager 1": ("voyager 1", "vg1"),
    "Voyager 2": ("voyager 2", "vg2"),
    "LRO": ("lunar reconnaissance orbiter", "lro"),
    "SELENE": ("selene", "selene main orbiter", "kaguya", "sln"),
    "MESSENGER": ("messenger", "mess"),
}  # fmt: skip
_IN_SITU = {
    "Zhurong", "Curiosity", "Perseverance", "Ingenuity", "Opportunity", "Spirit", "InSight", "Phoenix", "Pathfinder",
    "Sojourner", "Viking Lander 1", "Viking Lander 2",
}  # fmt: skip
MISSION_OF = {
    "Curiosity": "MSL", "Perseverance": "M2020", "Ingenuity": "M2020", "Opportunity": "MER-B", "Spirit": "MER-A",
    "InSight": "InSight", "Phoenix": "Phoenix", "Pathfinder": "MPF", "Sojourner": "MPF", "Zhurong": "Zhurong",
    "Viking Lander 1": "VL1", "Viking Lander 2": "VL2",
}  # fmt: skip
LANDERS = {"InSight", "Phoenix", "Pathfinder", "Viking Lander 1", "Viking Lander 2"}
"""Platforms that never moved: their position is the landing site."""

PRIMARY = {
    "Cassini": "Saturn", "Galileo": "Jupiter", "Juno": "Jupiter", "Magellan": "Venus", "MESSENGER": "Mercury",
    "LRO": "Moon", "SELENE": "Moon", "Mercury Planetary Orbiter": "Mercury", "New Horizons": "Pluto", "Dawn": "Ceres",
}  # fmt: skip
"""The planet under which a mission's sky, star and ring observations are filed."""

_INSTRUMENTS: dict[tuple[str | None, str], str] = {
    (None, "mro ctx"): "CTX", (None, "context camera"): "CTX", (None, "moc"): "MOC-NA",
    ("Curiosity", "mast left"): "Mastcam", ("Curiosity", "mast right"): "Mastcam",
    ("Curiosity", "mast camera left"): "Mastcam", ("Curiosity", "mast camera right"): "Mastcam",
    ("Curiosity", "chemcam libs"): "ChemCam", ("Curiosity", "chemcam rmi"): "ChemCam RMI",
    ("Curiosity", "chemcam remote micro imager"): "ChemCam RMI", ("Curiosity", "chemcam soh"): "ChemCam",
    ("Curiosity", "ccam"): "ChemCam", ("Curiosity", "mhli"): "MAHLI",
    ("Curiosity", "chemistry camera remote micro imager"): "ChemCam RMI", ("Curiosity", "chemistry camera"): "ChemCam",
    ("Perseverance", "mast camera zoom left"): "Mastcam-Z", ("Perseverance", "mast camera zoom right"): "Mastcam-Z",
    ("Perseverance", "mast camera zoom"): "Mastcam-Z", ("Perseverance", "zcam"): "Mastcam-Z",
    ("Perseverance", "mast cam z"): "Mastcam-Z", ("Perseverance", "mastcamz"): "Mastcam-Z",
    ("Perseverance", "spectrometer and micro imager suite"): "SuperCam", ("Perseverance", "supercam rmi"): "SuperCam",
    ("Perseverance", "radar imager for mars subsurface exploration"): "RIMFAX",
    ("Perseverance", "sherloc watson"): "WATSON", ("Perseverance", "watson"): "WATSON",
    ("Perseverance", "sherloc aci"): "SHERLOC", ("Perseverance", "pixl mcc"): "PIXL",
    ("Perseverance", "edlcam"): "EDL cameras", ("Perseverance", "edl cameras"): "EDL cameras",
    ("Perseverance", "mars 2020 entry descent and landing camera suite"): "EDL cameras",
    ("InSight", "radiometer"): "HP3", ("InSight", "rad"): "HP3", ("InSight", "hp3 rad"): "HP3", ("InSight", "hp3"): "HP3",
    ("InSight", "seismometer"): "SEIS", ("InSight", "instrument context camera"): "ICC", ("InSight", "icc"): "ICC",
    ("InSight", "heat flow and physical properties probe"): "HP3", ("InSight", "magnetometer"): "IFG",
    ("Zhurong", "mcs"): "MCS-Zhurong", ("Zhurong", "气象测量仪"): "MCS-Zhurong", ("Zhurong", "火星气象测量仪"): "MCS-Zhurong",
    ("Zhurong", "多光谱相机"): "MSCam", ("Zhurong", "导航地形相机"): "NaTeCam", ("Zhurong", "次表层探测雷达"): "RoPeR",
    ("Zhurong", "火星车次表层探测雷达"): "RoPeR", ("Zhurong", "火星表面成分探测仪"): "MarSCoDe",
    ("Zhurong", "火星表面磁场探测仪"): "RoMAG", ("Zhurong", "表面磁场探测仪"): "RoMAG", ("Zhurong", "rosper"): "RoPeR",
    ("Zhurong", "nagcam"): "NaTeCam", ("Zhurong", "natecam a"): "NaTeCam", ("Zhurong", "natecam b"): "NaTeCam",
    ("MGS", "mars orbiter camera"): "MOC-NA",
    ("Mars Odyssey", "thermal emission imaging system"): "THEMIS",
    ("Phoenix", "tt"): "Phoenix telltale", ("Mariner 6", "uvs"): "UVS", ("Mariner 7", "uvs"): "UVS",
}  # fmt: skip

_INSTITUTIONS: tuple[tuple[str, str], ...] = (
    (r"university of arizona|\buofa\b|hirise team|^ua$", "University of Arizona"),
    (r"malin space|\bmsss\b|mro_ctx_team|mro_marci_team|mgs_moc_team", "MSSS"),
    (r"johns hopkins|applied physics lab|\bjhu", "JHU/APL"),
    (r"goddard|\bgsfc\b|mgs_mola_team", "NASA GSFC"),
    (r"jet propulsion|\bjpl\b|multimission", "JPL"),
    (r"arizona state|\basu\b|ody_thm_team", "Arizona State University"),
    (r"geological survey|\busgs\b|astrogeology", "USGS"),
    (r"\bdlr\b|deutsches zentrum|german aerospace", "DLR"),
    (r"freie universit|fu berlin", "FU Berlin"),
    (r"bern\b|\bube\b", "University of Bern"),
    (r"sapienza|\bsou?c\b|sharad", "Sapienza University of Rome"),
    (r"cornell", "Cornell University"),
    (r"los alamos|\blanl\b", "LANL"),
    (r"brown univ", "Brown University"),
    (r"washington univ", "Washington University in St. Louis"),
    (r"\blism\b|\bjaxa\b", "JAXA"),
    (r"\bcnsa\b|\bgras\b|china national space|国家航天局|探月", "CNSA"),
)


def fold(name: str) -> str:
    """Lower case, punctuation and underscores to single blanks."""
    return " ".join(re.sub(r"[^0-9a-z一-鿿]+", " ", name.casefold()).split())


@lru_cache(maxsize=1)
def _platform_index() -> dict[str, str]:
    out: dict[str, str] = {}
    for canonical, aliases in _PLATFORMS.items():
        for alias in (canonical, *aliases):
            out.setdefault(fold(alias), canonical)
    for spec in all_instruments():
        for platform in spec.platforms:
            out.setdefault(fold(platform), platform)
    return out


@lru_cache(maxsize=1024)
def platform(*names: str | None) -> str | None:
    """Canonical platform of the first name that is known, else the first name as written."""
    index = _platform_index()
    given = [n.strip() for n in names if n and not is_null_word(n)]
    for name in given:
        hit = index.get(fold(name))
        if hit:
            return hit
    return _tidy(given[0]) if given else None


def known_platform(name: str | None) -> str | None:
    """Canonical platform, or None when the name is not known."""
    return _platform_index().get(fold(name)) if name else None


def is_in_situ(platform_name: str | None) -> bool:
    """Whether a canonical platform works on the surface."""
    return platform_name in _IN_SITU


@lru_cache(maxsize=2048)
def instrument(name: str | None, platform_name: str | None = None) -> tuple[str | None, InstrumentSpec | None]:
    """(canonical name, registry facts) of an instrument; a name the registry does not know is kept as written."""
    if not name or is_null_word(name):
        return None, None
    key = fold(name)
    for trial in (key, re.sub(r"\b(left|right|string [ab]|front|rear|lower|upper|a|b)\b", " ", key)):
        trial = " ".join(trial.split())
        alias = _INSTRUMENTS.get((platform_name, trial)) or _INSTRUMENTS.get((None, trial))
        if alias:
            return alias, get_instrument(alias, platform_name)
    rover = platform_name in {"Curiosity", "Opportunity", "Spirit", "Perseverance"}
    if rover and (key.startswith("nav ") or "navcam" in key or "navigation camera" in key):
        return "Navcam", get_instrument("Navcam", platform_name)
    if rover and ("haz" in key):
        return "Hazcam", get_instrument("Hazcam", platform_name)
    if rover and ("pancam" in key or "panoramic camera" in key) and platform_name in {"Opportunity", "Spirit"}:
        return "Pancam", get_instrument("Pancam", platform_name)
    if "visual imaging subsystem" in key and (platform_name or "").startswith("Viking"):
        return "Viking VIS", get_instrument("Viking VIS", platform_name)
    spec = get_instrument(name, platform_name)
    if spec is not None and (platform_name is None or platform_name in spec.platforms):
        return spec.name, spec
    spec = get_instrument(key, platform_name)
    if spec is not None and (platform_name is None or platform_name in spec.platforms):
        return spec.name, spec
    return _tidy(name), None


@lru_cache(maxsize=1024)
def institution(*names: str | None) -> str | None:
    """Canonical institution of the first name that says anything; unknown ones keep their words in title case."""
    for name in names:
        if not name or is_null_word(name):
            continue
        for pattern, canonical in _INSTITUTIONS:
            if re.search(pattern, name, re.I):
                return canonical
    for name in names:
        if name and not is_null_word(name) and " " in name.strip():
            return _tidy(name)
    return None


def target(name: str) -> str:
    """A target as a name: ``MARS`` is Mars, ``Sorrel_Springs`` Sorrel Springs; mixed and lower case stay as written."""
    words = " ".join(name.replace("_", " ").split())
    if not words.isupper():
        return words
    return " ".join(w if any(c.isdigit() for c in w) else w.capitalize() for w in words.split())


def _tidy(name: str) -> str:
    """Words of a label as a name: shouting multi-word names in title case, acronyms as they are."""
    words = " ".join(name.replace("_", " ").split()) if name.isupper() or name.islower() else " ".join(name.split())
    if words.isupper() and len(words.split()) > 1:
        return " ".join(w if any(c.isdigit() for c in w) else w.capitalize() for w in words.split())
    return words.capitalize() if words.islower() and len(words.split()) == 1 else words
