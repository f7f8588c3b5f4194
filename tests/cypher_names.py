"""Finds the labels, relationship types and properties that a Cypher statement names, for the schema test.

A small reader of patterns, not a parser: strings and comments are removed, node and relationship patterns give each
variable its labels or types, and ``variable.property`` or ``{property: …}`` are looked up there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_STRINGS = re.compile(r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"")
_COMMENT = re.compile(r"//[^\n]*")
_NAME = r"[A-Za-z_]\w*"
_NODE = re.compile(
    rf"\(\s*(?P<var>{_NAME})?\s*(?::\s*(?P<labels>{_NAME}(?:\s*[:|&]\s*{_NAME})*))?\s*(?P<map>\{{[^{{}}]*\}})?\s*\)"
)
_REL = re.compile(
    rf"-\[\s*(?P<var>{_NAME})?\s*:\s*(?P<types>{_NAME}(?:\s*\|\s*{_NAME})*)\s*(?:\*[\d.]*)?\s*(?P<map>\{{[^{{}}]*\}})?\s*\]"
)
_LABEL_OF = re.compile(rf"(?<![\w.:)\]])(?P<var>{_NAME})(?P<labels>(?::[A-Z]\w*)+)")
_PROPERTY = re.compile(rf"(?<![\w.$])(?P<var>{_NAME})\.(?P<prop>{_NAME})(?!\s*\()")
_KEY = re.compile(rf"(?:\{{|,)\s*(?P<key>{_NAME})\s*:")


@dataclass
class Names:
    """What a statement names. `node_props` and `rel_props` are (labels or types of the variable, property)."""

    labels: set[str] = field(default_factory=set)
    types: set[str] = field(default_factory=set)
    node_props: set[tuple[frozenset[str], str]] = field(default_factory=set)
    rel_props: set[tuple[frozenset[str], str]] = field(default_factory=set)


def names(text: str) -> Names:
    """Names in one statement."""
    text = _STRINGS.sub("''", _COMMENT.sub("", text))
    found = Names()
    nodes: dict[str, set[str]] = {}
    rels: dict[str, set[str]] = {}
    for match in _REL.finditer(text):
        types = set(re.findall(_NAME, match["types"]))
        found.types |= types
        if match["var"]:
            rels.setdefault(match["var"], set()).update(types)
        for key in _KEY.findall(match["map"] or ""):
            found.rel_props.add((frozenset(types), key))
    for match in _NODE.finditer(text):
        labels = set(re.findall(_NAME, match["labels"] or ""))
        if not labels and not match["map"] and not _is_pattern(text, match):
            continue
        found.labels |= labels
        if match["var"]:
            nodes.setdefault(match["var"], set()).update(labels)
        for key in _KEY.findall(match["map"] or ""):
            found.node_props.add((frozenset(labels), key))
    for match in _LABEL_OF.finditer(text):
        if match["var"] in nodes:
            labels = set(re.findall(_NAME, match["labels"]))
            found.labels |= labels
            nodes[match["var"]] |= labels
    for match in _PROPERTY.finditer(text):
        if match["var"] in nodes:
            found.node_props.add((frozenset(nodes[match["var"]]), match["prop"]))
        elif match["var"] in rels:
            found.rel_props.add((frozenset(rels[match["var"]]), match["prop"]))
    return found


def _is_pattern(text: str, match: re.Match[str]) -> bool:
    """Whether ``(x)`` stands in a path, not in a call or an expression."""
    before, after = text[: match.start()].rstrip(), text[match.end() :].lstrip()
    return before.endswith(("-", ">", "<-", "MATCH", "MERGE", "CREATE")) or after.startswith(("-", "<-"))
