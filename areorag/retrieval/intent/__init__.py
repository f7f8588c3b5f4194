"""Reading a question: `parse_intent` (grammar, always) and `understand` (with a language model where there is one)."""

from .grammar import parse_intent
from .model import Exclude, Reading, Sols, SpatialIntent

__all__ = ["Exclude", "Reading", "Sols", "SpatialIntent", "parse_intent"]
