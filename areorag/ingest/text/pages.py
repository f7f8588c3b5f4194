"""HTML to text as a stream: no tree is built, no entity of a document type is expanded, nothing is fetched.

Depth, length and number of elements are not limited, the file's size is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...errors import TextError
from .charsets import HEAD, declared_in, decoded
from .pieces import Document

_BLOCK = frozenset(
    (
        *("p", "div", "section", "article", "li", "tr", "table", "ul", "ol", "h1", "h2", "h3", "h4", "h5", "h6", "br"),
        *("blockquote", "pre", "figure", "figcaption", "header", "footer", "main", "dd", "dt", "caption"),
    )
)
_UNSEEN = frozenset({"script", "style", "noscript", "template", "nav", "head"})
_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr")
)
_PIECE = 65_536
MAX_BYTES = 64 * 1024 * 1024  # the parser keeps what it was fed until the end
_TITLE = 500


def _hides(tag: str, attributes: Any) -> bool:
    if tag in _UNSEEN or "hidden" in attributes:
        return True
    style = attributes.get("style")
    if not style:
        return False
    style = style[:2000].replace(" ", "").lower()
    return "display:none" in style or "visibility:hidden" in style


class _Visible:
    """Target of lxml's parser: collects visible text, a line end at blocks, and the title."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.title = ""
        self._open: list[tuple[str, bool]] = []
        self._hidden = 0
        self._in_title = False

    def start(self, tag: str, attributes: Any) -> None:
        self._in_title = tag == "title" and not self.title
        if tag in _BLOCK and not self._hidden:
            self.parts.append("\n")
        if tag not in _VOID:
            hides = _hides(tag, attributes)
            self._open.append((tag, hides))
            self._hidden += hides

    def end(self, tag: str) -> None:
        self._in_title = False
        if tag not in _VOID and any(name == tag for name, _ in reversed(self._open[-64:])):
            while True:
                name, hides = self._open.pop()
                self._hidden -= hides
                if name == tag:
                    break
        if tag in _BLOCK and not self._hidden:
            self.parts.append("\n")

    def data(self, text: str) -> None:
        if self._in_title and len(self.title) < _TITLE:
            self.title += text
        if not self._hidden:
            self.parts.append(text)

    def comment(self, text: str) -> None: ...

    def pi(self, target: str, data: str | None = None) -> None: ...

    def close(self) -> None: ...


def _tidy(m: re.Match[str]) -> str:
    return "\n" if "\n" in m[0] else " "


def read_page(path: Path, doc: Document) -> Iterator[str]:
    """The visible text of a page, piece by piece; white space is one space, or one line end where a block ends.

    Raises
    ------
    TextError
        It cannot be read as HTML, or is larger than 64 MB.
    """
    from lxml import etree

    if path.stat().st_size > MAX_BYTES:
        raise TextError(f"{path.name} is an HTML file of more than {MAX_BYTES >> 20} MB. Split it or save it as text")

    target = _Visible()
    seen: Any = target  # the stubs want a target's methods to take bytes too
    parser: Any = etree.HTMLParser(target=seen, encoding="utf-8", no_network=True, huge_tree=True)
    carry, begun = "", False
    with path.open("rb") as f:
        encoding = declared_in(f.read(HEAD), doc)
        f.seek(0)
        try:
            for block in decoded(f, encoding, doc.warnings):
                for at in range(0, len(block), _PIECE):
                    parser.feed(block[at : at + _PIECE].encode("utf-8", "replace"))
                text = re.sub(r"\s+", _tidy, carry + "".join(target.parts))
                target.parts.clear()
                kept = text.rstrip()
                carry = text[len(kept) :]
                kept = kept if begun else kept.lstrip()
                if kept:
                    begun = True
                    yield kept
                _set_title(doc, target)
            parser.close()
        except (etree.ParserError, etree.XMLSyntaxError, ValueError, AssertionError) as exc:
            raise TextError(
                f"{path.name} cannot be read as HTML: {' '.join(str(exc).split()) or 'no element'}"
            ) from None
    rest = re.sub(r"\s+", _tidy, carry + "".join(target.parts)).rstrip()
    _set_title(doc, target)
    if rest:
        yield rest if begun else rest.lstrip()


def _set_title(doc: Document, target: _Visible) -> None:
    title = " ".join(target.title.split())
    if title:
        doc.title = title[:_TITLE]
