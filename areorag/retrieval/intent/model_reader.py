"""Reading with a language model, checked by the grammar (AreoRAG §III-C; Spatial-RAG §4.2: geometry, function, ε).

The model fills the same fields as structured output, step by step as the prompt asks. What it returns is validated:
an unknown place, instrument or impossible number falls back to the grammar's reading. Where both are sound and differ
the model's is used for names and relation, the grammar's for numbers written in the question (a model miscounts), and
every difference is listed in `SpatialIntent.disagreements`.
"""

from __future__ import annotations

import logging
from datetime import date
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict

from ...errors import ModelError
from ...planet.instruments import get_instrument
from .grammar import parse_intent
from .limits import check_usable, outside
from .model import CONTRACT_FIELDS, Exclude, IntentKind, Relation, SpatialIntent

if TYPE_CHECKING:
    from ...llm.chat import ChatModel
    from ...planet.gazetteer import Gazetteer
    from ...settings import Settings

log = logging.getLogger(__name__)

_FROM_GRAMMAR = ("geometry", "distance_m", "ls_deg", "mars_years", "sols", "dates", "resolution_m")
"""Fields that are numbers in the question: the grammar's reading stands where it has one."""
_NAMES = ("places", "instruments", "platforms", "kinds", "properties", "relation", "compare")


def understand(
    question: str, *, settings: Settings, gazetteer: Gazetteer | None = None, chat: ChatModel | None = None
) -> SpatialIntent:
    """The reading of a question: by grammar, and by the configured model where there is one.

    Parameters
    ----------
    chat : a model to use instead of the configured one (`llm.chat.ChatModel`)

    Raises
    ------
    EmptyQuestionError, UnusableQuestionError
        No words; or the only place or constraint in them is impossible.
    """
    by_grammar = parse_intent(question, gazetteer=gazetteer, body=settings.body)
    model = chat
    if model is None and settings.llm != "none":
        from ...llm.chat import get_chat

        model = get_chat(settings)
    if model is None:
        return check_usable(by_grammar)
    try:
        answer = _ask(model, question)
    except ModelError as exc:
        log.warning("the model's reading is not used: %s", exc)
        read = by_grammar.model_copy(update={"disagreements": [f"the model gave no usable reading: {exc}"]})
        return check_usable(read)
    return check_usable(merge(by_grammar, answer, gazetteer, settings.body))


def merge(by_grammar: SpatialIntent, answer: dict[str, Any], gazetteer: Gazetteer | None, body: str) -> SpatialIntent:
    """The model's reading checked against the grammar's; differences are listed, never hidden."""
    from ...planet.gazetteer import Gazetteer as _Gazetteer

    places = gazetteer if gazetteer is not None else _Gazetteer.load(body)
    fields: dict[str, Any] = {}
    notes: list[str] = []
    for name in CONTRACT_FIELDS:
        ours, theirs = getattr(by_grammar, name), answer.get(name)
        checked = _checked(name, theirs, places, notes)
        if name == "exclude":
            fields[name] = _merge_exclude(ours, checked)
            continue
        if name in _FROM_GRAMMAR and ours not in (None, []):
            if checked not in (None, []) and _plain(checked) != _plain(ours):
                notes.append(f"{name}: the model read {_plain(checked)}, the question's own numbers say {_plain(ours)}")
            continue
        if checked is None or (checked == [] and ours):
            if ours not in (None, [], False):
                notes.append(f"{name}: the grammar read {_plain(ours)}, the model nothing")
            continue
        if _plain(checked) != _plain(ours):
            notes.append(f"{name}: the model read {_plain(checked)}, the grammar {_plain(ours)}")
        fields[name] = checked
    if fields.get("instruments"):
        fields["instruments"] = [i for i in fields["instruments"] if i not in by_grammar.exclude.instruments]
    try:
        merged = SpatialIntent.model_validate({**by_grammar.model_dump(), **fields})
    except ValueError as exc:
        reason = str(exc).splitlines()[0]
        return by_grammar.model_copy(update={"disagreements": [*notes, f"the model's reading is not valid: {reason}"]})
    if merged.ls_deg and not by_grammar.ls_windows:
        merged.ls_windows = [merged.ls_deg]
    return merged.model_copy(update={"source": "model", "disagreements": notes})


def _checked(name: str, value: Any, gazetteer: Gazetteer, notes: list[str]) -> Any:
    """The model's value where it is possible, else None with a note."""
    if value is None or value == "":
        return None
    if name == "places":
        known = []
        for place in value if isinstance(value, list) else [value]:
            feature = gazetteer.find(str(place), fuzzy=False)
            if feature is None:
                notes.append(f"places: the model named {place!r}, which the gazetteer does not know")
            else:
                known.append(feature.parent if feature.status == "part" and feature.parent else feature.name)
        return list(dict.fromkeys(known))
    if name == "instruments":
        found = []
        for instrument in value if isinstance(value, list) else [value]:
            spec = get_instrument(str(instrument))
            found.append(
                "MOC" if spec is not None and spec.name.startswith("MOC-") else spec.name if spec else str(instrument)
            )
        return list(dict.fromkeys(found))
    if name in _QUANTITIES:
        reason = _impossible(name, value)
        if reason is not None:
            notes.append(f"{name}: the model's {value!r} is not used: {reason}")
            return None
        return tuple(value) if name == "ls_deg" else float(value) if name == "distance_m" else value
    if name == "exclude":
        return value if isinstance(value, dict) else None
    return value


_QUANTITIES = {
    "ls_deg": "solar longitude",
    "mars_years": "Mars Year",
    "distance_m": "distance",
    "resolution_m": "resolution",
    "dates": "year",
}


def _impossible(name: str, value: Any) -> str | None:
    """Why the model's numbers cannot be; None where they can."""
    values = value if isinstance(value, list | tuple) else [value]
    if name in ("ls_deg", "dates", "resolution_m") and len(values) != 2:
        return "it is no pair"
    if name == "dates":
        try:
            values = [None if v is None else date.fromisoformat(str(v)[:10]).year for v in values]
        except ValueError:
            return "the calendar has no such day"
    if (name == "ls_deg" and None in values) or not all(v is None or isinstance(v, int | float) for v in values):
        return "it is no number"
    return outside(_QUANTITIES[name], *values)


def _merge_exclude(ours: Exclude, theirs: Any) -> dict[str, Any]:
    """Exclusions of both: leaving out is never undone by the other reading."""
    out = ours.model_dump()
    for key in ("instruments", "platforms", "places", "kinds"):
        extra = theirs.get(key) if isinstance(theirs, dict) else None
        out[key] = list(dict.fromkeys([*out[key], *(str(v) for v in extra or ())]))
    out["kinds"] = [k for k in out["kinds"] if k in ("orbital", "insitu", "derived")]
    return out


def _plain(value: Any) -> Any:
    if hasattr(value, "model_dump"):
        return value.model_dump()
    if isinstance(value, tuple):
        return list(value)
    return value


def _ask(model: ChatModel, question: str) -> dict[str, Any]:
    """Structured output of the contract's fields; what is absent or null is not in the result."""
    from ...llm.prompt import fence, load_prompt

    prompt = load_prompt("intent").render(question=fence(question, "QUESTION"))
    reply = model.structured(prompt, ModelReading)
    return {k: v for k, v in reply.model_dump(mode="json").items() if v is not None}


class ModelReading(BaseModel):
    """What a model may answer: the contract's fields, all optional; numbers in the question are the grammar's."""

    model_config = ConfigDict(extra="ignore")

    places: list[str] | None = None
    relation: Relation | None = None
    distance_m: float | None = None
    ls_deg: tuple[float, float] | None = None
    mars_years: list[int] | None = None
    dates: tuple[str | None, str | None] | None = None
    resolution_m: tuple[float | None, float | None] | None = None
    instruments: list[str] | None = None
    platforms: list[str] | None = None
    kinds: list[IntentKind] | None = None
    properties: list[str] | None = None
    compare: bool | None = None
    exclude: Exclude | None = None
