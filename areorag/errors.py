"""Every error AreoRAG raises, in one tree.

::

    AreoRAGError                      exit code 1
    ├── UsageError                    exit code 2: what was asked makes no sense
    │   ├── EmptyQuestionError
    │   ├── UnusableQuestionError     its only place or constraint is impossible (latitude 95)
    │   └── UnknownNameError          a place, id, selector, adapter … that does not exist
    ├── SettingsError
    ├── DatabaseError
    │   ├── DatabaseUnavailableError  no server answers
    │   ├── AuthenticationError
    │   ├── MigrationError            a migration was edited after it ran, or failed
    │   └── ServerError               the managed server could not be started or stopped
    ├── LabelError                    a label or table cannot be read
    │   └── RejectedFileError         a file that gives no observation, with the reason
    ├── GeometryError                 coordinates or geometry out of their domain
    ├── HyperbolicError               a vector off the manifold, a non-finite number, an empty set
    ├── TextError                     a document cannot be read
    ├── ModelError                    a language model or embedder is missing or failed
    │   └── BudgetError               calls, tokens or seconds are used up
    ├── SelectionError                evidence selection got something it cannot work on
    └── MissingExtraError             an optional dependency is not installed

A message is one line: what is wrong, then what to do about it.
"""

from __future__ import annotations


class AreoRAGError(Exception):
    """Root of all errors raised by AreoRAG."""

    exit_code: int = 1


class UsageError(AreoRAGError):
    """What was asked makes no sense as it stands (wrong use)."""

    exit_code = 2


class EmptyQuestionError(UsageError):
    """The question has no words."""


class UnusableQuestionError(UsageError):
    """The question's only place or constraint is impossible (latitude 95, Ls 400)."""


class UnknownNameError(UsageError):
    """A place, id, selector or other name is not known."""


class SettingsError(AreoRAGError):
    """A setting is missing or has a value outside its domain."""

    exit_code = 2


class DatabaseError(AreoRAGError):
    """Neo4j refused or failed."""


class DatabaseUnavailableError(DatabaseError):
    """No Neo4j server answers at the address."""


class AuthenticationError(DatabaseError):
    """Neo4j refused the user name or password."""


class MigrationError(DatabaseError):
    """A migration failed, or its file was edited after it had run."""


class ServerError(DatabaseError):
    """The managed local Neo4j could not be installed, started or stopped."""


class LabelError(AreoRAGError):
    """A label, table or catalogue reply cannot be read."""


class RejectedFileError(LabelError):
    """A file that gives no observation; the message is the reason."""


class GeometryError(AreoRAGError, ValueError):
    """Coordinates or a geometry outside their domain."""


class HyperbolicError(AreoRAGError, ValueError):
    """A vector off the manifold, a non-finite number or an empty set."""


class TextError(AreoRAGError):
    """A text document cannot be read."""


class ModelError(AreoRAGError):
    """A language model or embedder is missing or failed."""


class BudgetError(ModelError):
    """A budget of calls, tokens or seconds is used up."""


class SelectionError(AreoRAGError, ValueError):
    """Evidence selection got something it cannot work on."""


class MissingExtraError(AreoRAGError):
    """An optional dependency is not installed; the message names the extra."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"{package} is not installed. Install it with  pip install 'areorag[{extra}]'")
