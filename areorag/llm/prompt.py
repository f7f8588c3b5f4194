"""Prompts are files (``llm/prompts/*.md``): reviewable, versioned, hashed into every trace.

The first line of a file is ``<!-- version N: what it is for -->``; placeholders are ``{{name}}``. Text from sources
goes in through `fence`, which marks it as data; a placeholder inside source text stays what it is, text.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from importlib import resources

from ..errors import ModelError

_HEAD = re.compile(r"<!--\s*version\s+(\d+)\s*:\s*(.*?)\s*-->\s*\n", re.S)
_SLOT = re.compile(r"\{\{(\w+)\}\}")
_INVISIBLE = dict.fromkeys(
    [*range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2065), 0xFEFF, *range(0xE0000, 0xE0080)]
)


@dataclass(frozen=True)
class Prompt:
    """One prompt file."""

    name: str
    version: int
    purpose: str
    text: str
    sha256: str

    @property
    def id(self) -> str:
        """What a trace records: ``name@version#hash``."""
        return f"{self.name}@{self.version}#{self.sha256[:12]}"

    def render(self, **values: str) -> str:
        """Fill the placeholders in one pass.

        Raises
        ------
        ModelError
            A placeholder has no value or a value has no placeholder.
        """
        slots = set(_SLOT.findall(self.text))
        if slots != set(values):
            wrong = ", ".join(sorted(slots ^ set(values)))
            raise ModelError(f"prompt {self.name} does not match its values: {wrong}")
        return _SLOT.sub(lambda m: values[m[1]], self.text)


@cache
def load_prompt(name: str) -> Prompt:
    """The prompt ``llm/prompts/<name>.md``.

    Raises
    ------
    ModelError
        There is no such file, or it has no version line.
    """
    source = resources.files(__package__) / "prompts" / f"{name}.md"
    if not re.fullmatch(r"[a-z_0-9]+", name) or not source.is_file():
        raise ModelError(f"there is no prompt file {name}.md")
    raw = source.read_text("utf-8")
    head = _HEAD.match(raw)
    if head is None:
        raise ModelError(f"prompt file {name}.md does not begin with <!-- version N: purpose -->")
    return Prompt(name, int(head[1]), head[2], raw[head.end() :], hashlib.sha256(raw.encode()).hexdigest())


def visible(text: str) -> str:
    """Text as a person sees it: no zero-width, bidirectional-control, tag or control characters."""
    text = text.translate(_INVISIBLE)
    return "".join(c for c in text if c in "\n\t" or unicodedata.category(c)[0] != "C")


def fence(text: str, label: str = "SOURCE") -> str:
    """`text` between two marks that it cannot contain: what stands between them is data, never an instruction."""
    clean = visible(text)
    tag = hashlib.sha256(clean.encode("utf-8", "replace")).hexdigest()[:10]
    while tag in clean:
        tag = hashlib.sha256(tag.encode()).hexdigest()[:10]
    return f"<<{label} {tag}>>\n{clean}\n<<END {label} {tag}>>"
