"""Vocabulary of what is measured: minerals, elements, oxides and properties with aliases in nine languages.

Shared by question reading (AreoRAG §III-C, spatial intent), text extraction and claim comparison. Facts live in
``data/minerals.txt``, ``data/chemistry.tsv`` and ``data/properties.tsv``; season words of either hemisphere are in
`SEASON_LS`. Pure: no database, no model.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib import resources

LATIN = "0-9A-Za-zÀ-ɏЀ-ӿ"
"""Characters that continue a word in scripts that separate words (Latin, Cyrillic, digits)."""

SEASON_LS: dict[tuple[str, str], tuple[float, float]] = {
    ("north", "spring"): (0.0, 90.0),
    ("north", "summer"): (90.0, 180.0),
    ("north", "autumn"): (180.0, 270.0),
    ("north", "winter"): (270.0, 360.0),
    ("south", "autumn"): (0.0, 90.0),
    ("south", "winter"): (90.0, 180.0),
    ("south", "spring"): (180.0, 270.0),
    ("south", "summer"): (270.0, 360.0),
}
"""Solar-longitude window, degrees, of each season of each hemisphere of Mars."""

_OPEN_SYMBOLS = frozenset(
    {
        *("Na", "Mg", "Al", "Si", "Cl", "Ca", "Ti", "Cr", "Mn", "Fe", "Ni", "Zn", "Br", "Ar", "Kr", "Xe"),
        *("Th", "Sr", "Rb", "Ge", "Pb", "Cu", "Li", "Ba"),
    }
)


def fold(text: str) -> str:
    """Lower-case and strip accents of Latin letters, one character for one: offsets stay valid.

    >>> fold("Glace d’Été") == "glace d'ete"
    True
    """
    return "".join(_fold_char(c) for c in text)


@lru_cache(maxsize=4096)
def _fold_char(char: str) -> str:
    if char in "\u2019\u2018\u02bc\u00b4`":
        return "'"
    if char in "ёЁ":
        return "е"
    low = char.lower()
    if len(low) != 1:
        low = char
    if ord(low) < 0x250 or 0x1E00 <= ord(low) < 0x1F00:
        base = unicodedata.normalize("NFD", low)[0]
        return base if base.isalnum() else low
    return low


@dataclass(frozen=True)
class Term:
    """One entry. `kind` is mineral, group, element, oxide or property; `broader` names its groups."""

    name: str
    kind: str
    category: str
    aliases: tuple[str, ...] = ()
    broader: tuple[str, ...] = ()
    symbol: str | None = None


@dataclass(frozen=True)
class Hit:
    """A term found in a text: ``text[start:end] == surface``."""

    start: int
    end: int
    surface: str
    term: Term


@dataclass
class Lexicon:
    """Terms by folded name or alias; `find` scans a text, longest match first."""

    terms: dict[str, Term]
    index: dict[str, str]
    symbols: dict[str, str]
    _patterns: list[re.Pattern[str]] = field(default_factory=list)

    def get(self, name: str | None) -> Term | None:
        """The term for a name, alias or chemical symbol (symbols: exact case first); None when unknown.

        >>> get_lexicon().get("sulphates").name
        'sulfate'
        """
        if not name:
            return None
        if name in self.symbols:
            return self.terms[self.symbols[name]]
        key = fold(name.strip())
        hit = self.index.get(key) or self.index.get(key.rstrip("s"))
        return self.terms[hit] if hit else None

    def same(self, a: str, b: str) -> bool:
        """True when the two names mean one term (or are the same folded string)."""
        ta, tb = self.get(a), self.get(b)
        if ta is not None and tb is not None:
            return ta.name == tb.name
        return fold(a.strip()).rstrip("s") == fold(b.strip()).rstrip("s")

    def narrower(self, name: str) -> list[str]:
        """Names of the members of a group, nested groups included; [] for a term without members."""
        term = self.get(name)
        out: list[str] = []
        frontier = [] if term is None else [term.name]
        while frontier:
            for member in self._members.get(_group_key(frontier.pop()), ()):
                if member not in out:
                    out.append(member)
                    frontier.append(member)
        return out

    @cached_property
    def _members(self) -> dict[str, list[str]]:
        """Names of the direct members by the key of their group."""
        members: dict[str, list[str]] = {}
        for term in self.terms.values():
            for key in dict.fromkeys(_group_key(b) for b in term.broader):
                members.setdefault(key, []).append(term.name)
        return members

    def find(self, text: str, *, symbols: bool = True) -> list[Hit]:
        """Terms in `text`, in order, none overlapping, the longest reading of each place.

        Element symbols count only in exact case (``Cl``, ``K2O``) and never as the first word.
        """
        hits = list(self._words(text))
        if symbols:
            hits += self._symbol_hits(text)
        hits.sort(key=lambda h: (h.start - h.end, h.start))
        taken: list[Hit] = []
        for hit in hits:
            if all(hit.end <= t.start or hit.start >= t.end for t in taken):
                taken.append(hit)
        return sorted(taken, key=lambda h: h.start)

    def _words(self, text: str) -> Iterator[Hit]:
        folded = fold(text)
        for pattern in self._patterns:
            for match in pattern.finditer(folded):
                key = match.group().replace("\n", " ")
                name = self.index.get(key) or self.index.get(re.sub(r"[\s-]+", " ", key))
                if name:
                    yield Hit(match.start(), match.end(), text[match.start() : match.end()], self.terms[name])

    def _symbol_hits(self, text: str) -> list[Hit]:
        out = []
        for match in re.finditer(r"(?<![A-Za-z0-9/])[A-Z][A-Za-z0-9/]*(?![A-Za-z0-9])", text):
            token = match.group()
            name = self.symbols.get(token)
            if name is None or (len(token) <= 2 and (token not in _OPEN_SYMBOLS or match.start() == 0)):
                continue
            out.append(Hit(match.start(), match.end(), token, self.terms[name]))
        return out

    def of_kind(self, *kinds: str) -> list[Term]:
        """All terms of the kinds given, e.g. ``of_kind("mineral")``."""
        return [t for t in self.terms.values() if t.kind in kinds]


def _group_key(name: str) -> str:
    return fold(name).rstrip("s")


def _lines(name: str) -> Iterable[str]:
    text = resources.files(__package__).joinpath("data", name).read_text("utf-8")
    return (line for line in text.splitlines() if line.strip() and not line.startswith("#"))


def _read_minerals() -> Iterator[Term]:
    for line in _lines("minerals.txt"):
        group, members = line.split(":", 1)
        yield Term(group.strip(), "group", "mineral group")
        for member in members.split(","):
            yield Term(member.strip(), "mineral", "mineral", broader=(group.strip(),))


def _read_chemistry() -> Iterator[Term]:
    for line in _lines("chemistry.tsv"):
        symbol, name, *rest = line.split("\t")
        aliases = tuple(a.strip() for a in (rest[0] if rest else "").split(";") if a.strip())
        kind = "element" if re.fullmatch(r"[A-Z][a-z]?", symbol) else "oxide"
        yield Term(name.strip(), kind, "element" if kind == "element" else "oxide", aliases, symbol=symbol)


def _read_properties() -> Iterator[Term]:
    for line in _lines("properties.tsv"):
        name, category, *rest = line.split("\t")
        aliases = tuple(a.strip() for a in (rest[0] if rest else "").split(";") if a.strip())
        kind = {"mineral": "mineral", "mineral group": "group", "element": "element"}.get(category, "property")
        yield Term(name.strip(), kind, category, aliases)


def _merge(old: Term, new: Term) -> Term:
    aliases = tuple(dict.fromkeys((*old.aliases, *new.aliases)))
    broader = tuple(dict.fromkeys((*old.broader, *new.broader)))
    kind = old.kind if new.kind == "property" else new.kind
    return Term(old.name, kind, old.category, aliases, broader, old.symbol or new.symbol)


def _compile(keys: Iterable[str]) -> list[re.Pattern[str]]:
    words, glued = [], []
    for key in keys:
        if re.search(r"[぀-ヿ㐀-鿿]", key):
            glued.append(re.escape(key))
        elif len(key) > 2:
            words.append(re.sub(r"(?:\\ |\\-)+", r"[\\s-]+", re.escape(key)))
    words.sort(key=len, reverse=True)
    glued.sort(key=len, reverse=True)
    out = []
    if words:
        out.append(re.compile(f"(?<![{LATIN}])(?:{'|'.join(words)})(?![{LATIN}])"))
    if glued:
        out.append(re.compile("|".join(glued)))
    return out


@lru_cache(maxsize=1)
def get_lexicon() -> Lexicon:
    """The shipped lexicon, read once.

    >>> len(get_lexicon().of_kind("mineral")) >= 250
    True
    """
    terms: dict[str, Term] = {}
    by_fold: dict[str, str] = {}
    for term in (*_read_properties(), *_read_minerals(), *_read_chemistry()):
        same = by_fold.get(fold(term.name)) or by_fold.get(fold(term.name) + "s")
        if same:
            terms[same] = _merge(terms[same], term)
        else:
            terms[term.name] = term
            by_fold[fold(term.name)] = term.name
    index: dict[str, str] = {}
    symbols: dict[str, str] = {}
    for term in terms.values():
        index[fold(term.name)] = term.name
        if term.symbol:
            symbols[term.symbol] = term.name
    for term in terms.values():
        for alias in term.aliases:
            index.setdefault(fold(alias), term.name)
    for key in list(index):
        index.setdefault(re.sub(r"[\s-]+", " ", key), index[key])
        if terms[index[key]].kind in ("mineral", "group") and re.fullmatch(r"[a-z-]+", key) and key[-1] not in "sx":
            index.setdefault(key + "s", index[key])
    return Lexicon(terms, index, symbols, _compile(index))
