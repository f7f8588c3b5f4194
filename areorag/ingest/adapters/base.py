"""The adapter protocol: one file in, observations and a plain-words verdict out (AreoRAG §III-B, Ada_*).

An adapter says whether a file is its kind (`accepts`) and reads it (`read`). Third parties register theirs under the
entry-point group ``areorag.adapters``. A `Source` gives lazy, bounded access to one file; a `Context` gives what a file
alone does not say (rover positions) and keeps every file pointer inside the ingest root.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

from ...errors import LabelError, RejectedFileError
from ...graph.model import Observation
from ..draft import Draft, Season, finish
from ..readers.pds3 import Label, read_label
from ..readers.structure import include_structures
from ..readers.xml import Tree, read_xml
from .localisation import Places
from .sniff import sniff
from .view import View

HEAD_BYTES = 1 << 16
MAX_JSON_BYTES = 256 << 20
Status = Literal["ok", "partial", "rejected"]


@dataclass(slots=True)
class Context:
    """What the files around a file contribute: rover positions by mission, site and drive."""

    root: Path
    places: Places = field(default_factory=Places)
    _folders: dict[Path, dict[str, str]] = field(default_factory=dict)

    def resolve(self, source: Path, name: str) -> Path | None:
        """The file a label names, beside the label, case ignored; None when absent or outside the ingest root."""
        if not name or "\x00" in name or len(name) > 255:
            return None
        bare = name.replace("\\", "/").rsplit("/", 1)[-1].strip()
        if bare in ("", ".", ".."):
            return None
        found = self._listing(source.parent).get(bare.lower())
        if found is None or found == source.name:
            return None
        candidate = source.parent / found
        try:
            real = candidate.resolve(strict=True)
        except (OSError, RuntimeError):
            return None
        return candidate if real.is_file() and real.is_relative_to(self.root.resolve()) else None

    def _listing(self, folder: Path) -> dict[str, str]:
        """Names in a folder by their lower-case form, listed once."""
        known = self._folders.get(folder)
        if known is None:
            try:
                known = {name.lower(): name for name in sorted(os.listdir(folder), reverse=True)}
            except OSError:
                known = {}
            if len(self._folders) > 256:
                self._folders.clear()
            self._folders[folder] = known
        return known


class Source:
    """One file: its path, its kind by content, and its content in the forms adapters ask for (each read once)."""

    def __init__(self, path: Path, root: Path) -> None:
        self.path = path
        self.root = root

    @property
    def name(self) -> str:
        """File name."""
        return self.path.name

    @property
    def stem(self) -> str:
        """File name up to the last dot."""
        return self.path.stem

    @cached_property
    def relative(self) -> str:
        """Path below the ingest root, with ``/``."""
        try:
            return self.path.relative_to(self.root).as_posix()
        except ValueError:
            return self.path.name

    @cached_property
    def head(self) -> bytes:
        """The first 64 KB."""
        try:
            with self.path.open("rb") as stream:
                return stream.read(HEAD_BYTES)
        except OSError as exc:
            raise LabelError(f"{self.name} cannot be read: {exc.strerror}") from exc

    @cached_property
    def kind(self) -> str:
        """Kind by content; see `sniff`."""
        return sniff(self.head)

    @cached_property
    def sha256(self) -> str:
        """Digest of the whole file."""
        digest = hashlib.sha256()
        try:
            with self.path.open("rb") as stream:
                while block := stream.read(1 << 20):
                    digest.update(block)
        except OSError as exc:
            raise LabelError(f"{self.name} cannot be read: {exc.strerror}") from exc
        return digest.hexdigest()

    @cached_property
    def label(self) -> Label:
        """The PDS3 or ISIS label, with the structures it keeps in other files."""
        label = read_label(self.path)
        include_structures(label, self.path, self.root)
        return label

    @cached_property
    def view(self) -> View:
        """Keyword index of the label."""
        return View(self.label.root)

    @cached_property
    def tree(self) -> Tree:
        """The XML document."""
        return Tree(read_xml(self.path))

    @cached_property
    def json(self) -> Any:
        """The JSON document; NaN and infinities are refused."""
        try:
            if self.path.stat().st_size > MAX_JSON_BYTES:
                raise LabelError(f"JSON of more than {MAX_JSON_BYTES >> 20} MB")
            data = self.path.read_bytes()
        except OSError as exc:
            raise LabelError(f"{self.name} cannot be read: {exc.strerror}") from exc
        return parse_json(data)

    def text(self, limit: int = 64 << 20) -> str:
        """Decoded text of the file (UTF-8, else GB18030 for Chinese tables, else latin-1)."""
        try:
            with self.path.open("rb") as stream:
                data = stream.read(limit).removeprefix(b"\xef\xbb\xbf")
        except OSError as exc:
            raise LabelError(f"{self.name} cannot be read: {exc.strerror}") from exc
        for encoding in ("utf-8", "gb18030"):
            try:
                return data.decode(encoding)
            except UnicodeDecodeError:
                continue
        return data.decode("latin-1")


def _no_constant(name: str) -> Any:
    return None


def parse_json(data: bytes) -> Any:
    """JSON of bytes; the words NaN and Infinity, which are no JSON, become null.

    Raises
    ------
    LabelError
        Not JSON.
    """
    try:
        return json.loads(data.decode("utf-8-sig", "replace"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as exc:
        raise LabelError(f"not JSON: {str(exc)[:120]}") from exc


@dataclass(slots=True)
class Result:
    """What an adapter made of a file. ``companions`` are files read with it, which need no report of their own.

    A long table gives its observations in ``batches``, after those of ``observations``; it is read while they are
    taken, and `status` and `reason` may change until the last one is.
    """

    observations: list[Observation] = field(default_factory=list)
    status: Status = "ok"
    reason: str | None = None
    companions: list[Path] = field(default_factory=list)
    batches: Iterator[list[Observation]] | None = None


@runtime_checkable
class Adapter(Protocol):
    """One product family.

    ``keywords`` says which keyword feeds which field of the observation; ``docs/adapters.md`` is generated from it.
    """

    @property
    def name(self) -> str:
        """Short name, unique."""
        ...

    @property
    def title(self) -> str:
        """What it reads, in words."""
        ...

    @property
    def keywords(self) -> Mapping[str, tuple[str, ...]]:
        """Observation field → keywords that feed it, strongest first."""
        ...

    def accepts(self, source: Source) -> bool:
        """Whether the file is of this family (content, never the extension)."""
        ...

    def read(self, source: Source, context: Context) -> Result:
        """Observations of the file.

        Raises
        ------
        RejectedFileError
            The file gives no observation; the message is the reason.
        LabelError
            The file cannot be read.
        """
        ...


def rejected(reason: str) -> RejectedFileError:
    """The error that means "no observation here", with the reason."""
    return RejectedFileError(reason)


def complete(draft: Draft, source: Source, context: Context, computed: Season | None = None) -> Observation:
    """Finish a draft of a source."""
    return finish(draft, source_file=source.relative, sha256=source.sha256, computed=computed)


def single(draft: Draft, source: Source, context: Context, companions: list[Path] | None = None) -> Result:
    """Result of a file that holds one product."""
    observation = complete(draft, source, context)
    return Result(
        [observation],
        "partial" if draft.problems else "ok",
        "; ".join(draft.problems) or None,
        companions or [],
    )
