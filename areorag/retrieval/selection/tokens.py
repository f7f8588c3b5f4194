"""Words, stems and capitalised phrases: the lexical ground that BM25, entity linking and sub-queries share.

Pure functions over strings; no model, no language pack. Text is folded (compatibility form, accents dropped) before
anything is compared, so that *André De Toth* and *Andre DeToth* meet. Serves GeoRAG §2.B stage 1 and 2.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

_WORD = re.compile(r"[^\W_]+")
_LETTERS = str.maketrans(
    {"ß": "ss", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "æ": "ae", "Æ": "Ae", "ı": "i", "’": "'"}
)

_FUNCTION = (
    "the a an of in on at and or to for by with from as is was are were be it he she his her hers its their them they "
    "this that these those which who whom whose what when where how why did do does has have had not no yes i we you "
    "one two three first last new if but so than then there here also into about over under during after before both "
    "each other another between can could would will may might shall should must been being am s t "
    "de la le el los las der die das von van du di"
)
FUNCTION_WORDS = frozenset(_FUNCTION.split())
"""Words that carry no demand of their own."""

_FILLING = "name named many much same person people called"
QUESTION_WORDS = FUNCTION_WORDS | frozenset(_FILLING.split())
"""Function words and the filling of questions."""

_SUFFIXES = ("ing", "edly", "ied", "ies", "ed", "es", "ly", "er", "or", "ion", "ment", "s")
_JOINING = "of the de la von van and for du di der del al bin le el"
_JOINERS = frozenset(_JOINING.split())


class Word(NamedTuple):
    """One word of a text: folded and in lower case, with its place and how it was written."""

    text: str
    start: int
    end: int
    capital: bool


class Phrase(NamedTuple):
    """A capitalised phrase: `key` is its words joined without spaces, in lower case."""

    key: str
    start: int
    end: int
    words: int


def fold(text: str) -> str:
    """Compatibility form without accents; letters that Unicode does not decompose are spelled out.

    Offsets in the result are those every function here reports.
    """
    if text.isascii():
        return text
    text = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    return "".join(c for c in text if not unicodedata.combining(c))


def words(folded: str) -> list[Word]:
    """The words of an already folded text, in order. A word is a run of letters and digits."""
    return [
        Word(m[0].lower(), m.start(), m.end(), m[0][0].isupper() or m[0][0].isdigit()) for m in _WORD.finditer(folded)
    ]


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """A light English stem, so that *director*, *directed* and *directing* meet; short words are left alone."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 4:
            word = word[: -len(suffix)]
            break
    if len(word) > 4 and word.endswith("e"):
        word = word[:-1]
    if len(word) > 5 and word[-1] == word[-2]:
        word = word[:-1]
    return word


def stems(text: str, *, stop: frozenset[str] = frozenset()) -> list[str]:
    """Stems of the words of `text` that are not in `stop`, in order, repeats kept."""
    return [stem(w.text) for w in words(fold(text)) if w.text not in stop]


def letters(text: str) -> str:
    """Letters and digits of `text` only, folded, in lower case: what is left is blind to spacing and hyphens."""
    return "".join(w.text for w in words(fold(text)))


def grams(text: str, n: int = 5) -> list[str]:
    """Character n-grams of `letters(text)`: a match survives glued words and broken hyphenation."""
    run = letters(text)
    return [run[i : i + n] for i in range(len(run) - n + 1)] or ([run] if run else [])


def phrases(folded: str) -> list[Phrase]:
    """Capitalised phrases of an already folded text (names of people, places, works, organisations).

    A single capitalised word that opens a sentence is not taken for a name, nor is a word under four letters.
    """
    found: list[Phrase] = []
    run: list[re.Match[str]] = []
    for match in _WORD.finditer(folded):
        gap = folded[run[-1].end() : match.start()] if run else ""
        named = match[0][0].isupper() and _joins(gap, run[-1][0]) if run else False
        if named or (run and match[0] in _JOINERS and not gap.strip()):
            run.append(match)
        else:
            _close(folded, run, found)
            run = [match] if match[0][0].isupper() else []
    _close(folded, run, found)
    return found


def _joins(gap: str, before: str) -> bool:
    mark = gap.strip()
    return mark in ("", "'", "-") or (mark == "." and len(before) <= 2)


def _close(folded: str, run: list[re.Match[str]], found: list[Phrase]) -> None:
    """Trim a finished run of capitalised words and keep it when it can be a name."""
    while run and run[-1][0].lower() in _JOINERS:
        run = run[:-1]
    while run:
        before = folded[: run[0].start()].rstrip()
        opens = not before or before[-1] in '.!?"'
        if not (opens and run[0][0].lower() in FUNCTION_WORDS):
            break
        run = run[1:]
    if not run:
        return
    if len(run) == 1:
        only = run[0][0]
        before = folded[: run[0].start()].rstrip()
        if len(only) < 4 or only.lower() in FUNCTION_WORDS or not before or before[-1] in '.!?"':
            return
    found.append(Phrase("".join(m[0].lower() for m in run), run[0].start(), run[-1].end(), len(run)))
