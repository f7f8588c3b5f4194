"""Spatiotemporal retrieval from question to ranked evidence (AreoRAG §III-C; Spatial-RAG §4; GeoRAG for the last step).

Stages (`stages.Run`): intent → sparse spatial C_s in the database → semantic constraints C_k → hybrid scores → Pareto
front, λ → plausibility and adaptive expansion over hyperedges → OEM region vector → feedback prior → coverage selection, or
the order that the question asks for. `Retriever` holds what stays warm between questions.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..errors import EmptyQuestionError
from . import plausibility
from .columns import Columns, ColumnStore
from .expansion import Triple
from .feedback import Feedback
from .intent.model import SpatialIntent
from .model import Evidence, Nearest, Retrieval
from .stages import Run

if TYPE_CHECKING:
    from ..graph.connection import Database
    from ..llm.chat import ChatModel
    from ..llm.embed import Embedder
    from ..planet.gazetteer import Gazetteer
    from ..settings import Settings
    from .spatial import SpatialIndex

STAGES = ("sparse", "dense", "semantic", "pareto", "plausibility", "expansion", "oem", "feedback", "coverage")
"""Stages that `Retriever.without` can leave out."""


class Retriever:
    """Warm retrieval over one database. Thread-safe for reading.

    Parameters
    ----------
    gazetteer : names of places; default the shipped one of the settings' body
    without : stages to leave out (`STAGES`)
    chat : a language model to use instead of the configured one
    """

    def __init__(
        self,
        db: Database,
        settings: Settings,
        embedder: Embedder,
        *,
        gazetteer: Gazetteer | None = None,
        without: Sequence[str] = (),
        chat: ChatModel | None = None,
    ) -> None:
        from ..planet.gazetteer import Gazetteer as _Gazetteer

        self.db, self.settings, self.embedder = db, settings, embedder
        self.gazetteer = gazetteer if gazetteer is not None else _Gazetteer.load(settings.body)
        self.without = frozenset(without)
        self.columns = ColumnStore(db, settings, embedder)
        self._spatial: tuple[Columns, SpatialIndex] | None = None
        self.model = plausibility.load(embedder.name)
        self._chat = chat
        self._lock = threading.Lock()
        self._vectors: dict[str, npt.NDArray[np.float32]] = {}
        self._feedback: tuple[str, Feedback] | None = None

    # ------------------------------------------------------------ the question
    def understand(self, question: str) -> SpatialIntent:
        """The reading: grammar always, the configured language model where there is one."""
        from .intent.model_reader import understand

        return understand(question, settings=self.settings, gazetteer=self.gazetteer, chat=self.chat)

    @property
    def chat(self) -> ChatModel | None:
        """The language model, or None."""
        if self._chat is None and self.settings.llm != "none":
            from ..llm.chat import get_chat

            self._chat = get_chat(self.settings)
        return self._chat

    def retrieve(
        self,
        question: str | SpatialIntent,
        k: int | None = None,
        selector: str | None = None,
        explain: bool = False,
    ) -> Retrieval:
        """Ranked evidence for a question (or for a reading of one).

        Parameters
        ----------
        k : pieces to keep (default: the setting)
        selector : how the kept ones are chosen (`retrieval.selection.SELECTORS`; default: the setting)
        explain : say for each candidate what kept or dropped it

        Raises
        ------
        EmptyQuestionError, DatabaseError
        """
        run = Run(self, k or self.settings.k, selector or self.settings.selector, explain)
        with run.clock("intent"):
            if isinstance(question, str) and not question.strip():
                raise EmptyQuestionError("the question is empty. Ask for example: Which HiRISE images show Jezero?")
            intent = question if isinstance(question, SpatialIntent) else self.understand(question)
        return run.go(intent)

    # ------------------------------------------------------------ shared, warm
    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """(n, dim) embeddings; entity names and repeated questions stay in memory."""
        missing = [t for t in dict.fromkeys(texts) if t not in self._vectors]
        if missing:
            made = np.asarray(self.embedder.embed(missing), dtype=np.float32)
            with self._lock:
                if len(self._vectors) > 50_000:
                    self._vectors.clear()
                for text, vector in zip(missing, made, strict=True):
                    self._vectors[text] = vector
        found = [self._vectors.get(t) for t in texts]
        if any(v is None for v in found):
            return np.asarray(self.embedder.embed(list(texts)), dtype=np.float32)
        return np.stack([v for v in found if v is not None]) if found else np.zeros((0, self.embedder.dim), np.float32)

    def forget_vectors(self, texts: Sequence[str]) -> None:
        """Drop embeddings from memory (benchmarks: a repeated question must not be free)."""
        with self._lock:
            for text in texts:
                self._vectors.pop(text, None)

    def spatial(self, columns: Columns) -> SpatialIndex:
        """Spatial search over the same state of the graph as `columns`."""
        from .spatial import SpatialIndex

        with self._lock:
            if self._spatial is None or self._spatial[0] is not columns:
                self._spatial = (columns, SpatialIndex(self.db, self.settings.body, check_every_s=float("inf")))
            return self._spatial[1]

    def pin_spatial(self, columns: Columns, index: SpatialIndex) -> None:
        """Use this spatial index with pinned columns (evaluations)."""
        self._spatial = (columns, index)

    def feedback(self, stamp: str) -> Feedback:
        """Coupling 3 as it acts now; empty when switched off."""
        if not self.settings.feedback or "feedback" in self.without:
            return Feedback()
        if self._feedback is None or self._feedback[0] != stamp:
            self._feedback = (stamp, Feedback.load(self.db))
        return self._feedback[1]


__all__ = ["STAGES", "Evidence", "Nearest", "Retrieval", "Retriever", "Triple"]
