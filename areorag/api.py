"""The Python surface: `AreoRAG` and its asynchronous mirror.

Everything here is thin: it opens the parts lazily, hands a call to the module that does it, and closes what it opened.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import UnknownNameError, UsageError
from .ingest.paths import check_paths
from .retrieval.question import check_question
from .settings import Settings, load_settings

if TYPE_CHECKING:
    from .answer.arp import Asker
    from .answer.model import Answer
    from .graph.connection import Database
    from .graph.model import IngestReport, Observation
    from .llm.embed import Embedder
    from .retrieval.engine import Evidence, Retrieval

Progress = Callable[[str, int, int], None]
CATEGORIES = ("noise", "instrument", "scale", "temporal", "none")


class Hits(list["Evidence"]):
    """Ranked evidence; a list with the reading of the question and the explanation beside it."""

    def __init__(self, retrieval: Retrieval) -> None:
        super().__init__(retrieval.evidence)
        self.retrieval = retrieval

    @property
    def message(self) -> str:
        """What to say when nothing was found."""
        return self.retrieval.message

    @property
    def explanation(self) -> list[dict[str, Any]]:
        """Per candidate: what kept or dropped it."""
        return self.retrieval.explanation


class AreoRAG:
    """A graph with everything that works on it. Use as a context manager; make one with `open`.

    Examples
    --------
    >>> with AreoRAG.open() as areo:                                    # doctest: +SKIP
    ...     areo.ingest(["labels/"])
    ...     print(areo.ask("olivine within 20 km of the western Jezero delta"))
    """

    def __init__(self, db: Database, settings: Settings, *, managed: bool) -> None:
        self.db = db
        self.settings = settings
        self._managed = managed

    @classmethod
    def open(
        cls,
        uri: str | None = None,
        auth: tuple[str, str] | None = None,
        settings: Settings | None = None,
        progress: Progress | None = None,
    ) -> AreoRAG:
        """Open the graph: `uri` and `auth` where given, else ``NEO4J_URI``, else the managed local server.

        Raises
        ------
        DatabaseUnavailableError, AuthenticationError, MigrationError, ServerError
        """
        from .graph.connection import Database

        settings = settings or load_settings()
        if uri is not None:
            changes: dict[str, Any] = {"neo4j_uri": uri}
            if auth is not None:
                from pydantic import SecretStr

                changes |= {"neo4j_username": auth[0], "neo4j_password": SecretStr(auth[1])}
            settings = settings.model_copy(update=changes)
        db = Database.open(settings, progress=progress)
        return cls(db, settings, managed=settings.neo4j_uri is None)

    # ------------------------------------------------------------ parts, made on first use
    @functools.cached_property
    def embedder(self) -> Embedder:
        """The sentence embedder of the settings."""
        from .llm.embed import get_embedder

        return get_embedder(self.settings)

    @functools.cached_property
    def asker(self) -> Asker:
        """Retriever, triage and language model, wired together."""
        from .answer.arp import Asker

        return Asker(self.db, self.settings, self.embedder)

    # ------------------------------------------------------------ the work
    def ingest(
        self,
        paths: Iterable[str | Path],
        *,
        adapter: str | None = None,
        text: bool = False,
        dry_run: bool = False,
        scheduler: str | None = None,
        progress: Progress | None = None,
    ) -> IngestReport:
        """Turn files or folders into the graph; unchanged content changes nothing.

        Raises
        ------
        UsageError
            A path does not exist or is no file, a folder holds no file, or no adapter has that name.
        """
        wanted = check_paths(paths)
        if text:
            from .ingest.text.pipeline import ingest_text

            chat = self.asker.chat
            return ingest_text(self.db, wanted, self.settings, chat=chat, progress=progress, dry_run=dry_run)
        from .ingest.pipeline import ingest_paths

        return ingest_paths(
            self.db, wanted, self.settings, adapter=adapter, progress=progress, scheduler=scheduler, dry_run=dry_run
        )

    def retrieve(
        self, question: str, k: int | None = None, *, selector: str | None = None, explain: bool = False
    ) -> Hits:
        """Ranked evidence for a question, with every score."""
        return Hits(self.asker.retriever.retrieve(check_question(question), k=k, selector=selector, explain=explain))

    def ask(self, question: str, k: int | None = None, *, explain: bool = False) -> Answer:
        """A cited, conflict-aware answer; it is stored in the graph under its id."""
        return self.asker.ask(check_question(question), k=k, explain=explain)

    def answer(self, answer_id: str) -> Answer:
        """An answer given before."""
        from .answer.store import load

        return load(self.db, answer_id)

    def audit_html(self, answer_id: str, path: str | Path) -> Path:
        """Write the audit page of an answer: one self-contained file."""
        from .answer.audit import write_page

        return write_page(self.answer(answer_id), Path(path), self.settings.body)

    def conflicts(
        self, *, category: str | None = None, region: str | None = None, property: str | None = None
    ) -> list[dict[str, Any]]:
        """Conflicts found so far, the latest first.

        Raises
        ------
        UnknownNameError
            Unknown category or place.
        """
        if category is not None and category not in CATEGORIES[:4]:
            raise UnknownNameError(f"unknown category {category!r}: use {', '.join(CATEGORIES[:4])}")
        from .triage.store import list_conflicts

        return list_conflicts(self.db, self.settings, category=category, region=region, property=property)

    def overrule(self, conflict_id: str, *, category: str, why: str, who: str | None = None) -> None:
        """Set a conflict's category by hand; kept with who, when and why, and used by later answers."""
        if category not in CATEGORIES:
            raise UnknownNameError(f"unknown category {category!r}: use {', '.join(CATEGORIES)}")
        if not why.strip():
            raise UsageError("say why: the reason is kept with the decision")
        from .triage.store import overrule

        overrule(self.db, conflict_id, category=category, why=why, who=who)

    def observation(self, id: str) -> Observation:
        """One observation as the contract has it.

        Raises
        ------
        UnknownNameError
            No observation has that id.
        """
        from .graph.reader import observation

        return observation(self.db, id)

    def cypher(self, text: str, /, **params: Any) -> list[dict[str, Any]]:
        """Run your own Cypher, read-only, parameters by name."""
        return self.db.read_text(text, **params)

    def documents(self) -> list[dict[str, Any]]:
        """The texts of the graph. → ``[{id, title, kind, state, passages, facts, failed, source_file, …}]``, by id."""
        from .graph.text_forget import documents

        return documents(self.db)

    def synonyms(
        self, *, threshold: float | None = None, write: bool = False, only: Sequence[str] = ()
    ) -> dict[str, Any]:
        """Names of text facts that mean one thing, and which of them are written as ``:Synonym`` hyperedges.

        Parameters
        ----------
        threshold : least cosine of two names that are compared (default 0.80)
        write : write them; entities are never merged, and `remove_synonyms` takes them back
        only : ids of those to write; () writes all

        Returns
        -------
        ``{synonyms: [{id, label, names, members, score, method, why, written}], written, notes}``
        """
        from .ingest.text.synonyms import COSINE, look_for_synonyms

        threshold = COSINE if threshold is None else threshold
        if not 0 < threshold <= 1:
            raise UsageError("the threshold is a cosine: give a number above 0 and at most 1")
        return look_for_synonyms(
            self.db, self.embedder, self.asker.chat, threshold=threshold, write=write, only=list(only)
        )

    def remove_synonyms(self, ids: Sequence[str] | None = None) -> int:
        """Take ``:Synonym`` hyperedges back, all of them by default; the names stay as they are. → how many."""
        from .ingest.text.synonyms import remove_synonyms

        return remove_synonyms(self.db, ids)

    def forget(self, ids: Sequence[str]) -> dict[str, Any]:
        """Remove observations and documents; tombstones keep where they came from.

        A document is named by its id (`documents`) or its file, a corpus with all its documents by its file.

        Returns
        -------
        ``{forgotten, documents, unknown}``: observations and documents removed, the latter of them, and unknown names
        """
        from .graph.forget import forget
        from .graph.text_forget import find_documents, forget_documents
        from .ingest.text.readers import document_id

        result = forget(self.db, list(ids), self.settings)
        names = {name: (name, document_id(Path(name))) for name in result["unknown"] if "\0" not in name}
        known = find_documents(self.db, [i for pair in names.values() for i in pair])
        found = {name: [d for i in pair for d in known.get(i, ())] for name, pair in names.items()}
        n = forget_documents(self.db, [d for ds in found.values() for d in ds])
        unknown = [name for name in result["unknown"] if not found.get(name)]
        return {"forgotten": result["forgotten"] + n, "documents": n, "unknown": unknown}

    def restore(self, ids: Sequence[str]) -> dict[str, Any]:
        """Lift tombstones, so that ingesting the files again brings the observations back. → ``{restored, unknown, files}``."""
        from .graph.forget import restore

        return restore(self.db, list(ids))

    def tombstones(self) -> list[dict[str, Any]]:
        """What was forgotten, the latest first. → ``[{id, forgotten_at, source_file, answers}]``."""
        from .graph.forget import tombstones

        return tombstones(self.db)

    def verify(self) -> dict[str, Any]:
        """Check the invariants of the graph. → ``{checks, problems, digest}``."""
        from .graph.verify import verify

        return verify(self.db)

    def browser_url(self) -> str | None:
        """Where Neo4j Browser of the managed server is; None for a server of your own."""
        if not self._managed:
            return None
        from .graph.server import ManagedServer

        return ManagedServer(self.settings).browser_url()

    def close(self) -> None:
        """Close the connection. The managed server goes on running (``areorag db stop`` stops it)."""
        self.db.close()

    def __enter__(self) -> AreoRAG:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"AreoRAG({self.db.uri!r})"


class AsyncAreoRAG:
    """`AreoRAG` for asyncio: the same methods, awaited; the work runs in a thread.

    Examples
    --------
    >>> async with await AsyncAreoRAG.open() as areo:                   # doctest: +SKIP
    ...     answer = await areo.ask("olivine in Jezero")
    """

    def __init__(self, inner: AreoRAG) -> None:
        self._inner = inner

    @classmethod
    async def open(cls, *args: Any, **kwargs: Any) -> AsyncAreoRAG:
        """As `AreoRAG.open`."""
        return cls(await asyncio.to_thread(AreoRAG.open, *args, **kwargs))

    async def ingest(self, paths: Iterable[str | Path], **kwargs: Any) -> IngestReport:
        """As `AreoRAG.ingest`."""
        return await asyncio.to_thread(self._inner.ingest, paths, **kwargs)

    async def retrieve(self, question: str, k: int | None = None, **kwargs: Any) -> Hits:
        """As `AreoRAG.retrieve`."""
        return await asyncio.to_thread(self._inner.retrieve, question, k, **kwargs)

    async def ask(self, question: str, k: int | None = None, **kwargs: Any) -> Answer:
        """As `AreoRAG.ask`."""
        return await asyncio.to_thread(self._inner.ask, question, k, **kwargs)

    async def answer(self, answer_id: str) -> Answer:
        """As `AreoRAG.answer`."""
        return await asyncio.to_thread(self._inner.answer, answer_id)

    async def audit_html(self, answer_id: str, path: str | Path) -> Path:
        """As `AreoRAG.audit_html`."""
        return await asyncio.to_thread(self._inner.audit_html, answer_id, path)

    async def conflicts(self, **kwargs: Any) -> list[dict[str, Any]]:
        """As `AreoRAG.conflicts`."""
        return await asyncio.to_thread(self._inner.conflicts, **kwargs)

    async def overrule(self, conflict_id: str, **kwargs: Any) -> None:
        """As `AreoRAG.overrule`."""
        await asyncio.to_thread(self._inner.overrule, conflict_id, **kwargs)

    async def observation(self, id: str) -> Observation:
        """As `AreoRAG.observation`."""
        return await asyncio.to_thread(self._inner.observation, id)

    async def cypher(self, text: str, /, **params: Any) -> list[dict[str, Any]]:
        """As `AreoRAG.cypher`."""
        return await asyncio.to_thread(self._inner.cypher, text, **params)

    async def documents(self) -> list[dict[str, Any]]:
        """As `AreoRAG.documents`."""
        return await asyncio.to_thread(self._inner.documents)

    async def synonyms(self, **kwargs: Any) -> dict[str, Any]:
        """As `AreoRAG.synonyms`."""
        return await asyncio.to_thread(self._inner.synonyms, **kwargs)

    async def remove_synonyms(self, ids: Sequence[str] | None = None) -> int:
        """As `AreoRAG.remove_synonyms`."""
        return await asyncio.to_thread(self._inner.remove_synonyms, ids)

    async def forget(self, ids: Sequence[str]) -> dict[str, Any]:
        """As `AreoRAG.forget`."""
        return await asyncio.to_thread(self._inner.forget, ids)

    async def restore(self, ids: Sequence[str]) -> dict[str, Any]:
        """As `AreoRAG.restore`."""
        return await asyncio.to_thread(self._inner.restore, ids)

    async def tombstones(self) -> list[dict[str, Any]]:
        """As `AreoRAG.tombstones`."""
        return await asyncio.to_thread(self._inner.tombstones)

    async def verify(self) -> dict[str, Any]:
        """As `AreoRAG.verify`."""
        return await asyncio.to_thread(self._inner.verify)

    async def close(self) -> None:
        """As `AreoRAG.close`."""
        await asyncio.to_thread(self._inner.close)

    async def __aenter__(self) -> AsyncAreoRAG:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.close()
