"""PDS4 labels: XML read with lxml, no entities, no network, no huge trees; looked up by local name (AreoRAG §III-B)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...errors import LabelError

MAX_XML_BYTES = 32 << 20
_DOCTYPE = re.compile(rb"<!DOCTYPE|<!ENTITY", re.I)


def parse_xml(data: bytes) -> Any:
    """Root element of an XML document.

    Raises
    ------
    LabelError
        Not well-formed, too large, or with a document type (no label has one; entities are never expanded).
    """
    from lxml import etree

    if len(data) > MAX_XML_BYTES:
        raise LabelError(f"XML of {len(data)} bytes: the limit is {MAX_XML_BYTES}")
    if _DOCTYPE.search(data[:65536]):
        raise LabelError("XML with a document type declaration is refused")
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, huge_tree=False, load_dtd=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as exc:
        raise LabelError(f"XML is not well formed: {str(exc)[:160]}") from exc
    if root is None:
        raise LabelError("XML has no root element")
    return root


def read_xml(path: Path) -> Any:
    """Root element of the file; see `parse_xml`."""
    try:
        return parse_xml(path.read_bytes())
    except OSError as exc:
        raise LabelError(f"{path.name} cannot be read: {exc.strerror}") from exc


def local(element: Any) -> str:
    """Name of an element without its namespace."""
    tag = element.tag
    return tag.rsplit("}", 1)[-1] if isinstance(tag, str) else ""


def prefix(element: Any) -> str:
    """Namespace prefix of an element, "" for the default one."""
    return element.prefix or ""


def value(element: Any) -> str | None:
    """Text of an element, None when it is empty or ``xsi:nil``."""
    if element is None or any(
        k.endswith("}nil") and v.strip().lower() in ("true", "1") for k, v in element.attrib.items()
    ):
        return None
    out = (element.text or "").strip()
    return out or None


def unit(element: Any) -> str | None:
    """``unit`` attribute in any spelling, or None."""
    for key, text in element.attrib.items():
        if key.rsplit("}", 1)[-1].lower() in ("unit", "units"):
            return str(text)
    return None


class Tree:
    """Lookups by local name in one document; `path` steps are separated by ``/`` and match at any depth."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self._by_name: dict[str, list[Any]] = {}
        for element in root.iter():
            name = local(element)
            if name:
                self._by_name.setdefault(name.lower(), []).append(element)

    def all(self, path: str, below: Any = None) -> list[Any]:
        """Elements at a path such as ``Target_Identification/name``, in document order."""
        steps = [s.lower() for s in path.split("/")]
        out = []
        for element in self._by_name.get(steps[-1], []):
            node = element.getparent()
            ok = True
            for step in reversed(steps[:-1]):
                if node is None or local(node).lower() != step:
                    ok = False
                    break
                node = node.getparent()
            if ok and (below is None or self._inside(element, below)):
                out.append(element)
        return out

    @staticmethod
    def _inside(element: Any, ancestor: Any) -> bool:
        node = element
        while node is not None:
            if node is ancestor:
                return True
            node = node.getparent()
        return False

    def first(self, *paths: str, below: Any = None) -> Any:
        """The first element with a value at any of the paths, or None."""
        for path in paths:
            for element in self.all(path, below):
                if value(element) is not None:
                    return element
        return None

    def get(self, *paths: str, below: Any = None) -> str | None:
        """Value of `first`."""
        return value(self.first(*paths, below=below))

    def texts(self, path: str, below: Any = None) -> list[str]:
        """Values of all elements at a path."""
        return [v for v in (value(e) for e in self.all(path, below)) if v is not None]

    def names(self) -> Iterator[str]:
        """Local names present, lower case."""
        return iter(self._by_name)
