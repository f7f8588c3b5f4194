"""Facts by a language model under a schema, checked against the passage: what is not quoted exactly is dropped.

The model returns structured output; nothing it returns is executed, and nothing reaches Cypher but as a parameter.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ...errors import BudgetError, ModelError, SettingsError
from ...graph.ids import ENTITY_LABELS
from ...graph.model import Claim, Fact, Passage
from ...llm.messages import estimate_tokens
from ...llm.prompt import Prompt, fence, load_prompt
from .facts import fact_id

if TYPE_CHECKING:
    from ...llm.chat import ChatModel

ANSWER_TOKENS = 900  # most; a passage gets 200 and four for each of its own
MAX_FACTS = 24


class Schema(BaseModel):
    """What a fact may bind: entity types with what they mean, and roles. Users bring their own as a JSON file."""

    model_config = ConfigDict(extra="forbid")
    name: str
    version: int = 1
    entity_types: dict[str, str] = Field(min_length=1)
    roles: list[str] = Field(min_length=1)

    def label(self, kind: str) -> str:
        """Graph label of a type: the type where the graph has it, else ``Concept``."""
        return kind if kind in ENTITY_LABELS else "Concept"


def load_schema(name: str) -> Schema:
    """A shipped schema by name, or a user's JSON file by path.

    Raises
    ------
    SettingsError
        There is no such schema, or the file is none.
    """
    shipped = resources.files(__package__) / "schemas" / f"{name}.json"
    try:
        if re.fullmatch(r"[\w-]+", name) and shipped.is_file():
            return Schema.model_validate_json(shipped.read_text("utf-8"))
        path = Path(name)
        if path.is_file():
            return Schema.model_validate_json(path.read_text("utf-8"))
    except (ValidationError, ValueError, OSError) as exc:
        raise SettingsError(f"the schema {name} cannot be read: {str(exc).splitlines()[0]}") from None
    raise SettingsError(f"there is no schema {name!r}: use planetary or the path of a JSON file")


class SaidEntity(BaseModel):
    """An entity as the model gives it."""

    name: str = Field(max_length=200)
    type: str = Field("Concept", max_length=40)
    role: str = Field("concept", max_length=40)


class SaidClaim(BaseModel):
    """A claim as the model gives it."""

    subject: str = Field(max_length=200)
    property: str = Field(max_length=200)
    value: str | None = Field(None, max_length=200)
    polarity: Literal["present", "absent"] | None = None
    low: float | None = None
    high: float | None = None
    unit: str | None = Field(None, max_length=30)


class SaidFact(BaseModel):
    """A fact as the model gives it. The schema asks for all parts, or a small model leaves the entities out; an answer
    without them is valid and gives nothing.
    """

    model_config = ConfigDict(json_schema_extra={"required": ["quote", "entities", "claims"]})
    quote: str = Field(max_length=1500)
    entities: list[SaidEntity] = Field(default_factory=list, max_length=20)
    claims: list[SaidClaim] = Field(default_factory=list, max_length=10)


class SaidFacts(BaseModel):
    """The model's whole answer for one passage. `facts` must be there: half an answer may hold some other object."""

    facts: list[SaidFact] = Field(max_length=MAX_FACTS)


@dataclass
class ModelFacts:
    """Checked facts of one passage and what was dropped: quotes not in the text, entities not in the quote."""

    facts: list[Fact] = field(default_factory=list)
    dropped_quotes: int = 0
    dropped_entities: int = 0
    failed: str | None = None


@cache
def _prompt() -> Prompt:
    return load_prompt("extract_facts")


def render(passage: Passage, schema: Schema) -> str:
    """The prompt for one passage."""
    types = "\n".join(f"- {k}: {v}" for k, v in schema.entity_types.items())
    return _prompt().render(types=types, roles=", ".join(schema.roles), passage=fence(passage.text))


def recipe(schema: Schema, chat_name: str) -> str:
    """Names everything that decides what a passage gives: model, prompt, schema."""
    body = json.dumps(schema.model_dump(), sort_keys=True)
    digest = hashlib.sha256(body.encode()).hexdigest()[:8]
    return f"llm:{chat_name}|{_prompt().id}|{schema.name}@{schema.version}#{digest}"


def expected_tokens(passage: Passage, schema: Schema) -> tuple[int, int]:
    """Prompt and answer tokens that a passage will take, roughly: the estimate of ``--dry-run``."""
    return estimate_tokens([render(passage, schema)]), min(answer_limit(passage), 60 + len(passage.text) // 2)


def answer_limit(passage: Passage) -> int:
    """Most answer tokens of one passage: facts repeat its words as quotes, names and claims, but not without end."""
    return min(ANSWER_TOKENS, 200 + 4 * estimate_tokens([passage.text]))


def find_quote(text: str, quote: str) -> tuple[int, int] | None:
    """Where the quote stands in the text: exactly, or with other white space; None when it does not."""
    quote = quote.strip().strip('"“”')
    if len(quote) < 3:
        return None
    at = text.find(quote)
    if at >= 0:
        return at, at + len(quote)
    words = [re.escape(w) for w in quote.split()]
    if not words or len(words) > 400:
        return None
    found = re.search(r"\s+".join(words), text)
    return found.span() if found else None


def check_facts(said: SaidFacts, passage: Passage, schema: Schema) -> ModelFacts:
    """Keep what the passage says: exact quotes, names that stand in their quote, numbers that stand in it too."""
    out = ModelFacts()
    for item in said.facts:
        place = find_quote(passage.text, item.quote)
        if place is None:
            out.dropped_quotes += 1
            continue
        quote = passage.text[place[0] : place[1]]
        low = " ".join(quote.casefold().split())
        entities: list[tuple[str, str, str]] = []
        for e in item.entities:
            name = " ".join(e.name.split())
            if not name or name.casefold() not in low:
                out.dropped_entities += 1
                continue
            role = e.role if e.role in schema.roles else "concept"
            entities.append((role, schema.label(e.type if e.type in schema.entity_types else "Concept"), name))
        entities = list(dict.fromkeys(entities))
        if len({n.casefold() for _, _, n in entities}) < 2:
            out.dropped_entities += len(entities)
            continue
        start = passage.start + place[0]
        fact = Fact(
            id=fact_id(passage.id, start, quote),
            document_id=passage.document_id,
            passage_id=passage.id,
            start=start,
            end=start + len(quote),
            quote=quote,
            text=" ".join(quote.split()),
            entities=entities,
            confidence=0.7,
        )
        fact.claims = _claims(fact, item.claims, low)
        out.facts.append(fact)
    out.facts = list({f.id: f for f in out.facts}.values())
    return out


def _claims(fact: Fact, said: list[SaidClaim], low: str) -> list[Claim]:
    out = []
    for i, c in enumerate(said):
        if c.subject.casefold() not in low or not c.property.strip():
            continue
        numbers = all(n is None or _stands(n, low) for n in (c.low, c.high))
        out.append(
            Claim(
                id=f"{fact.id}#{i}",
                subject=" ".join(c.subject.split()),
                property=" ".join(c.property.split()),
                value=c.value,
                polarity=c.polarity,
                low=c.low if numbers else None,
                high=c.high if numbers else None,
                unit=c.unit if numbers else None,
                text=fact.text,
            )
        )
    return out


def _stands(number: float, text: str) -> bool:
    return any(form in text for form in (f"{number:g}", f"{number:,g}", f"{number:.1f}", f"{number:.2f}"))


def ask_facts(chat: ChatModel, passage: Passage, schema: Schema) -> ModelFacts:
    """Facts of one passage from a model. A reply that stays invalid gives none, and says so.

    Raises
    ------
    BudgetError
        The run's budget is used up.
    """
    try:
        said = chat.structured(render(passage, schema), SaidFacts, max_tokens=answer_limit(passage), items="facts")
    except BudgetError:
        raise
    except ModelError as exc:
        return ModelFacts(failed=str(exc))
    return check_facts(said, passage, schema)
