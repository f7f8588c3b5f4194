# ruff: noqa: E501  (word lists read better on one line)
"""`parse_intent`: the deterministic reading of a question (AreoRAG §III-C; Spatial-RAG §4.2: geometry, function, ε).

Order matters and is fixed: what is written in numbers and units first (geometry, time, resolution), then names
(places of several words, platforms, instruments, kinds, properties, places), then what joins them (exclusions,
distance, relation). Every recogniser takes its words, so "between Ls 240 and 330" can no longer be a relation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ...errors import EmptyQuestionError
from ...planet.bodies import Body, get_body
from ...planet.lexicon import fold, get_lexicon
from .dates import read_dates
from .geometry import read_geometry
from .measures import Distance, read_distance, read_resolution
from .model import Sols, SpatialIntent
from .negation import read_exclusions
from .order import read_order
from .origins import read_institutions, read_levels
from .places import Place, PlaceIndex, odd_word, place_index, read_long_names, read_places, unresolved_names
from .relations import read_relation
from .scan import B0, B1, Scan, rx, word
from .sensors import (
    Item,
    mission_of,
    read_instruments,
    read_kinds,
    read_platforms,
    read_techniques,
)
from .times import Window, merge_windows, read_ls, read_mars_years, read_seasons, read_sols, read_storm

if TYPE_CHECKING:
    from ...planet.gazetteer import Gazetteer

_COMPARE = (
    r"agree(?:s|d|ment|ing)?|disagree\w*|consisten\w+|inconsisten\w+|contradict\w*|compar(?:e|es|ed|ing|ison|isons|able)|versus|vs\.?|"
    r"differ(?:s|ed|ence|ences|ent|ently|ing)?|discrepan\w+|conflict\w*|match(?:es|ed)?|mismatch\w*|in\s+line\s+with|corroborat\w+|reconcil\w+|confirm(?:s|ed)?|"
    r"contrast(?:s|ed|ing)?|at\s+odds|the\s+same\s+as|side\s+by\s+side|(?:tell|paint|show|give)\w*\s+the\s+same|same\s+story|"
    r"coincid\w+|concuerd\w+|compara\w*|diferenci\w+|difier\w+|discrepanci\w+|comparer|comparez|comparaison|differen(?:ce|ces|t)|different|concordent|d'accord|divergen\w+|"
    r"vergleich\w*|unterschied\w*|unterscheid\w*|ubereinstimm\w*|stimm\w+|widersprech\w*|widerspruch|confront\w+|differenz\w*|differisc\w+|concordan\w*|concordam|accordo|"
    r"diferenca\w*|diferem|сравн\w+|различ\w+|отлич\w+|соглас\w+|совпада\w+|расход\w+|противореч\w+"
)
_COMPARE_GLUED = r"比较|对比|差异|差别|一致|不同|矛盾|比べ|比較|違い|相違"
_COMPARE_THAN = r"(?:higher|lower|warmer|colder|larger|smaller|brighter|darker|more|less|greater|thicker|stronger|weaker)\b[^.;?]{0,60}\bthan\s+(?:(?:in|at|during|over|from|for|on|by|my|mars)\b|[a-z]+'s\b)"
_BEARING = r"-(?:bearing|rich|poor|free)\s+(?:unit|layer|rock|terrain|outcrop|deposit|bed|material|plain|sediment)"


@lru_cache(maxsize=8)
def _index_of(key: int, holder: _Holder) -> PlaceIndex:
    return place_index(holder.gazetteer.features)


class _Holder:
    """Carries a gazetteer through the cache; equal when it is the same object."""

    def __init__(self, gazetteer: Any) -> None:
        self.gazetteer = gazetteer

    def __hash__(self) -> int:
        return id(self.gazetteer)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Holder) and other.gazetteer is self.gazetteer


def index_for(gazetteer: Gazetteer) -> PlaceIndex:
    """The name index of a gazetteer, built once."""
    return _index_of(id(gazetteer), _Holder(gazetteer))


def parse_intent(
    question: str,
    *,
    gazetteer: Gazetteer | None = None,
    body: str | Body = "Mars",
    instruments: Iterable[str] = (),
) -> SpatialIntent:
    """Read a question by grammar, gazetteer and lexicon; no model, no database.

    Parameters
    ----------
    question : any of nine languages; typing errors are forgiven
    gazetteer : names of places; default: the shipped one of `body`
    body : whose radius turns degrees into metres and whose gazetteer is read
    instruments : further instrument names (those of the graph that the registry does not know)

    Raises
    ------
    EmptyQuestionError
        There are no words.
    """
    if not question or not question.strip():
        raise EmptyQuestionError("the question is empty. Ask for example: Which HiRISE images show Jezero?")
    the_body = get_body(body)
    if gazetteer is None:
        from ...planet.gazetteer import Gazetteer as _Gazetteer

        gazetteer = _Gazetteer.load(the_body)
    return _Parse(question, the_body, index_for(gazetteer), tuple(instruments)).run()


class _Parse:
    """One reading; the steps share the scan and the intent."""

    def __init__(self, question: str, body: Body, index: PlaceIndex, extra: tuple[str, ...]) -> None:
        self.scan = Scan(question[:4000])
        self.index = index
        self.extra = extra
        self.metres_per_degree = body.radius_m * 3.141592653589793 / 180.0
        self.intent = SpatialIntent(question=question, body=body.name)

    def run(self) -> SpatialIntent:
        """All steps in their order."""
        scan, intent = self.scan, self.intent
        intent.compare = self._compare()
        intent.order = read_order(scan)
        storm, storm_years = read_storm(scan)
        windows = read_ls(scan)
        intent.mars_years = list(dict.fromkeys(read_mars_years(scan) + storm_years))
        sols = read_sols(scan)
        intent.geometry = read_geometry(scan)
        intent.dates = storm if storm is not None else read_dates(scan)
        intent.resolution_m = read_resolution(scan, self.metres_per_degree)
        places = read_long_names(scan, self.index)
        items = read_platforms(scan) + read_instruments(scan, self.extra) + read_levels(scan) + read_kinds(scan)
        items += read_institutions(scan)
        hide = self._hide_seasons()
        places = sorted(places + read_places(scan, self.index), key=lambda p: p.start)
        for span in hide:
            scan.taken.remove(span)
        items += self._properties()
        items += self._misspelt()
        north = self._hemisphere(places)
        wanted, excluded = read_seasons(scan, north)
        self._times(windows, wanted, excluded, storm, storm_years)
        self._names(places, items, sols)
        return intent

    def _compare(self) -> bool:
        low = self.scan.low
        return bool(rx(word(_COMPARE)).search(low) or rx(_COMPARE_GLUED).search(low) or rx(_COMPARE_THAN).search(low))

    def _hide_seasons(self) -> list[tuple[int, int, str]]:
        """Season words with their hemispheres, hidden while places are read ("northern spring" is no South)."""
        probe = Scan(self.scan.original, taken=list(self.scan.taken))
        before = len(probe.taken)
        read_seasons(probe, None)
        hidden = probe.taken[before:]
        self.scan.taken += hidden
        return hidden

    def _properties(self) -> list[Item]:
        scan = self.scan
        out = []
        hits = get_lexicon().find(scan.text)
        for hit in hits:
            if not scan.free(hit.start, hit.end) or _false_property(scan, hit.start, hit.end, hit.term.name):
                continue
            if rx(rf"^{_BEARING}").search(scan.right(hit.end, 30)) and len(hits) > 1:
                continue
            name = _property_name(hit.surface, hit.term.name, hit.term.kind)
            scan.take(hit.start, hit.end, "properties", name)
            out.append(Item("properties", name, hit.start, hit.end))
        if any(i.name != "dust" and "dust" in i.name for i in out):
            out = [i for i in out if i.name != "dust"]
        return out

    def _misspelt(self) -> list[Item]:
        """Lexicon terms with typing errors among the words nobody else took ("olivne", "themal inertia")."""
        scan, out = self.scan, []
        tokens = list(scan.iter(rf"{B0}[a-z]{{3,}}{B1}"))
        for i, token in enumerate(tokens):
            for size in (2, 1):
                group = tokens[i : i + size]
                start, end = group[0].start(), group[-1].end()
                words = [t.group() for t in group]
                if len(group) < size or not scan.free(start, end) or scan.low[start:end] != " ".join(words):
                    continue
                if not any(odd_word(w) for w in words) or (size == 1 and len(token.group()) < 6):
                    continue
                name = _nearest_term(" ".join(words))
                if name is not None:
                    scan.take(start, end, "properties", name)
                    out.append(Item("properties", name, start, end))
                    break
        return out

    def _hemisphere(self, places: Sequence[Place]) -> bool | None:
        """True north, False south, None unknown: of the first place, else of the geometry."""
        if places:
            return places[0].lat >= 0
        lats = _latitudes(self.intent.geometry)
        return None if not lats or min(lats) * max(lats) < 0 else sum(lats) >= 0

    def _times(
        self, ls: list[Window], wanted: list[Window], excluded: list[Window], storm: object, storm_years: list[int]
    ) -> None:
        intent = self.intent
        windows = ls or wanted
        intent.ls_deg, intent.ls_windows = merge_windows(windows)
        if excluded:
            intent.exclude.ls_deg = excluded[0]

    def _names(self, places: list[Place], items: list[Item], sols: Sols | None) -> None:
        scan, intent = self.scan, self.intent
        items = items + [Item("places", p.name, p.start, p.end) for p in places]
        out = read_exclusions(scan, items)
        kept = [i for i in items if i not in out]
        distances = read_distance(scan, self.metres_per_degree, bool(places) or intent.geometry is not None)
        for step in ("instruments", "platforms", "kinds", "properties", "places", "institutions", "levels"):
            setattr(intent, step, _unique(i.name for i in kept if i.field == step))
            setattr(intent.exclude, step, _unique(i.name for i in out if i.field == step))
        intent.places = [p for p in intent.places if p not in intent.exclude.places]
        for place in places:
            if place.part and place.name in intent.places:
                intent.parts[place.name] = place.part
        self._distance(distances, out)
        used = list({p.name: p for p in reversed(places) if p.name in intent.places}.values())[::-1]
        used.sort(key=lambda p: p.start)
        intent.relation = read_relation(
            scan, used, geometry=intent.geometry, distance=intent.distance_m is not None, compare=intent.compare
        )
        intent.techniques = [] if intent.instruments else read_techniques(scan)
        if sols is not None:
            sols.mission = mission_of(intent.platforms, intent.instruments or intent.exclude.instruments, intent.places)
            intent.sols = sols
        intent.unresolved = unresolved_names(scan, places)
        intent.readings = sorted(scan.readings, key=lambda r: (r.start, r.end))

    def _distance(self, distances: list[Distance], excluded: list[Item]) -> None:
        for distance in distances:
            near_excluded = any(i.field == "places" and 0 <= i.start - distance.end < 12 for i in excluded)
            if not distance.negated and not near_excluded and self.intent.is_spatial:
                self.intent.distance_m = round(distance.metres, 6)
                return


@lru_cache(maxsize=4096)
def _nearest_term(text: str) -> str | None:
    """The lexicon term within the edit distance its length allows, or None."""
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    allowed = 1 if len(text) <= 8 else 2
    hit = process.extractOne(text, _term_keys(" " in text), scorer=OSA.distance, score_cutoff=allowed)
    if hit is None or hit[0][0] != text[0]:
        return None
    term = get_lexicon().get(str(hit[0]))
    return None if term is None else _property_name(str(hit[0]), term.name, term.kind)


@lru_cache(maxsize=2)
def _term_keys(several: bool) -> list[str]:
    return [k for k in get_lexicon().index if k.isascii() and len(k) >= 6 and (" " in k) == several]


def _unique(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))


def _latitudes(geometry: dict[str, Any] | None) -> list[float]:
    if geometry is None:
        return []
    flat: list[float] = []

    def walk(value: Any) -> None:
        if value and isinstance(value[0], int | float):
            flat.append(float(value[1]))
        else:
            for child in value:
                walk(child)

    walk(geometry["coordinates"])
    return flat


def _property_name(surface: str, name: str, kind: str) -> str:
    """The lexicon's name; an English plural or symbol stays as written, so that people see their own word."""
    if surface in get_lexicon().symbols:
        return surface
    low = fold(surface).replace("sulph", "sulf").replace("haem", "hem")
    if kind in ("mineral", "group") and low.rstrip("s") == fold(name).rstrip("s") and surface.isascii():
        return low if surface.islower() or surface.istitle() else surface if low == fold(name) else low
    return name


def _false_property(scan: Scan, start: int, end: int, name: str) -> bool:
    """Words that are lexicon terms elsewhere: "dust storm" read as a date, "water" in "water ice" is longer anyway."""
    left, right = scan.left(start, 20), scan.right(end, 20)
    if name in ("gold", "tin", "silver", "lime", "lead metal", "mercury metal") and not rx(
        r"(?:of|and|,|element)\s*$"
    ).search(left):
        return True
    if name == "polygons" and not rx(r"terrain|ground|pattern").search(scan.low[start:end]):
        return True
    if name == "dust" and rx(r"^\s+(?:on\s+(?:solar|the)|storm|season)").search(right):
        return True
    if name in ("composition", "mineralogy") and rx(r"^\s+(?:maps?|index|parameter)").search(right):
        return False
    if name == "dust storms" and rx(r"^\s*-?\s*season").search(right):
        return True
    return name == "layers" and rx(r"^\s+of\b").search(right) is not None
