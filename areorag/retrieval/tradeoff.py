"""λ from the Pareto front by the configured language model (Spatial-RAG Eq. 13, METHODS §2); validated, else the default.

What a model returns is used only when it lies on the simplex; otherwise the default stays and the trace says why.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from pydantic import BaseModel

from ..errors import ModelError
from .hybrid import Weights
from .pareto import check_lambda

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..llm.chat import ChatModel

log = logging.getLogger(__name__)
SHOWN = 12
TEXT_LENGTH = 240


class Tradeoff(BaseModel):
    """What the model is asked for."""

    spatial: float
    semantic: float


def model_weights(
    chat: ChatModel | None, question: str, front: Sequence[tuple[float, float, str]], default: Weights
) -> Weights:
    """λ by the model from the front, or `default` with the reason in `source`.

    Parameters
    ----------
    front : (f_s, f_k, text) of the candidates on the front, best first; at most `SHOWN` are shown to the model
    """
    if chat is None or len(front) < 2:
        return default
    from ..llm.prompt import fence, load_prompt

    lines = "\n".join(f"{s:.3f} {k:.3f} {' '.join(text.split())[:TEXT_LENGTH]}" for s, k, text in front[:SHOWN])
    prompt = load_prompt("tradeoff").render(question=fence(question, "QUESTION"), front=fence(lines, "CANDIDATES"))
    try:
        reply = chat.structured(prompt, Tradeoff, max_tokens=64)
    except ModelError as exc:
        log.warning("λ by the model is not used: %s", exc)
        return _because(default, "the model gave none")
    checked = check_lambda(reply.model_dump(), ["spatial", "semantic"])
    if checked is None:
        return _because(default, f"the model's {reply.spatial:g}, {reply.semantic:g} is not on the simplex")
    return Weights(checked["spatial"], checked["semantic"], default.sparse, default.dense, f"by {chat.name}")


def _because(default: Weights, reason: str) -> Weights:
    source = f"{default.source} ({reason})"
    return Weights(default.spatial, default.semantic, default.sparse, default.dense, source)
