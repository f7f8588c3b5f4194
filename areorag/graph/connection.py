"""One connection to Neo4j for the whole package: a given server (``NEO4J_URI``) or the managed one.

`Database` runs named statements in managed transactions (retried by the driver), turns the driver's errors into
one-line ones without secrets, and gives a version stamp of the graph that client-side caches key on.
"""

from __future__ import annotations

import contextlib
import logging
import tempfile
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import SplitResult, urlsplit

from ..errors import AuthenticationError, DatabaseError, DatabaseUnavailableError, UsageError
from ..settings import Settings
from . import cypher

if TYPE_CHECKING:
    from neo4j import Driver, ManagedTransaction

    from .install import Progress

log = logging.getLogger(__name__)

T = TypeVar("T")
Row = dict[str, Any]

_MAX_USER_CYPHER = 100_000
_SCALARS = frozenset({str, int, float, bool, type(None), datetime})
"""What the driver takes as it is."""
_SCHEMES = frozenset({"neo4j", "neo4j+s", "neo4j+ssc", "bolt", "bolt+s", "bolt+ssc"})


class Transaction:
    """Named statements inside one managed transaction (see `Database.transact`)."""

    def __init__(self, inner: ManagedTransaction) -> None:
        self._inner = inner

    def run(self, name: str, /, **params: Any) -> list[Row]:
        """Run ``queries/<name>.cypher``; return its rows."""
        return [_row(record) for record in self._inner.run(cypher.query(name).text, plain(params))]


class Database:
    """A connection to the graph. Use as a context manager; `open` makes one.

    Examples
    --------
    >>> with Database.open(load_settings()) as db:             # doctest: +SKIP
    ...     db.read("observation_by_id", id="ESP_037330_1990")
    """

    def __init__(self, driver: Driver, uri: str, database: str) -> None:
        self._driver = driver
        self.uri = uri
        self.database = database
        self._server_version: str | None = None

    # ------------------------------------------------------------ opening
    @classmethod
    def open(cls, settings: Settings, *, migrate: bool = True, progress: Progress | None = None) -> Database:
        """Connect to ``NEO4J_URI`` where it is set, else start or share the managed server; migrate the schema.

        Raises
        ------
        DatabaseUnavailableError, AuthenticationError, ServerError, MigrationError
            One line each: what is wrong and what to do.
        """
        if settings.neo4j_uri:
            secret = settings.neo4j_password.get_secret_value() if settings.neo4j_password else None
            db = cls.connect(settings.neo4j_uri, settings.neo4j_username, secret, settings.neo4j_database)
        else:
            from .home import USER
            from .server import ManagedServer

            server = ManagedServer(settings)
            state = server.start(progress)
            db = cls.connect(state["uri"], USER, server.password(), "neo4j")
        try:
            if migrate:
                from .migrate import migrate as run_migrations

                run_migrations(db)
        except BaseException:
            db.close()
            raise
        return db

    @classmethod
    def connect(cls, uri: str, user: str, password: str | None, database: str = "neo4j") -> Database:
        """Connect to one server and check that it answers; no migration.

        Raises
        ------
        DatabaseUnavailableError, AuthenticationError
        """
        from neo4j import GraphDatabase
        from neo4j.exceptions import DriverError, Neo4jError

        shown = _without_secrets(uri)
        parts = _split(uri)
        if parts.scheme not in _SCHEMES or not parts.hostname:
            raise DatabaseUnavailableError(
                f"{shown} is not an address of a Neo4j. NEO4J_URI looks like  neo4j://host:7687  or  bolt://host:7687"
            )
        if parts.username or parts.password:
            raise DatabaseUnavailableError(
                f"NEO4J_URI must not hold a user name or password ({shown}); set NEO4J_USERNAME and NEO4J_PASSWORD"
            )
        try:
            driver = GraphDatabase.driver(
                uri,
                auth=(user, password) if password is not None else None,
                connection_timeout=10,
                notifications_min_severity="OFF",
                telemetry_disabled=True,
                user_agent="areorag",
            )
        except (DriverError, ValueError) as exc:
            raise DatabaseUnavailableError(
                f"{shown} cannot be used as an address ({type(exc).__name__}). "
                "NEO4J_URI looks like  neo4j://host:7687  or  bolt://host:7687"
            ) from None
        try:
            with driver.session(database=database) as session:
                session.run("CYPHER 5 RETURN 1").consume()
        except (DriverError, Neo4jError, OSError, UnicodeEncodeError) as exc:
            driver.close()
            raise _translate(exc, shown, "connect") from None
        return cls(driver, shown, database)

    @classmethod
    @contextlib.contextmanager
    def temporary(cls, settings: Settings, *, progress: Progress | None = None) -> Iterator[Database]:
        """A throw-away managed database for an evaluation: its own home and ports, gone at the end.

        The user's own database and ``NEO4J_URI`` are left alone.
        """
        from .server import ManagedServer

        with tempfile.TemporaryDirectory(prefix="areorag-") as folder:
            changes = {"home": Path(folder) / "home", "neo4j_uri": None, "bolt_port": 0, "http_port": 0}
            own = settings.model_copy(update=changes)
            server = ManagedServer(own, train=False)
            try:
                with cls.open(own, progress=progress) as db:
                    yield db
            finally:
                server.stop()

    def close(self) -> None:
        """Close the connection; a managed server goes on running."""
        self._driver.close()

    def __enter__(self) -> Database:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Database({self.uri!r}, {self.database!r})"

    # ------------------------------------------------------------ named statements
    def read(self, name: str, /, **params: Any) -> list[Row]:
        """Run ``queries/<name>.cypher`` in a read transaction; return its rows as dicts.

        One statement needs no explicit transaction: it is sent in one exchange instead of three. What the driver holds
        worth a retry is run again in a managed transaction, which retries.
        """
        from neo4j import READ_ACCESS
        from neo4j.exceptions import DriverError, Neo4jError

        text, values = cypher.query(name).text, plain(params)
        try:
            with self._driver.session(database=self.database, default_access_mode=READ_ACCESS) as session:
                return [_row(record) for record in session.run(text, values)]
        except (DriverError, Neo4jError) as exc:
            if not exc.is_retryable():
                raise _translate(exc, self.uri, name) from None
        except (OSError, UnicodeEncodeError) as exc:
            raise _translate(exc, self.uri, name) from None
        return self._managed(lambda tx: tx.run(name, **params), name, write=False)

    def write(self, name: str, /, **params: Any) -> list[Row]:
        """Run ``queries/<name>.cypher`` in a write transaction; return its rows as dicts."""
        return self._managed(lambda tx: tx.run(name, **params), name, write=True)

    def stream(self, name: str, /, **params: Any) -> Iterator[Row]:
        """Rows of ``queries/<name>.cypher`` one by one, for results too long to hold; not retried."""
        from neo4j import READ_ACCESS
        from neo4j.exceptions import DriverError, Neo4jError

        text = cypher.query(name).text
        try:
            with self._driver.session(database=self.database, default_access_mode=READ_ACCESS) as session:
                for record in session.run(text, plain(params)):
                    yield _row(record)
        except (DriverError, Neo4jError, OSError, UnicodeEncodeError) as exc:
            raise _translate(exc, self.uri, name) from None

    def transact(self, work: Callable[[Transaction], T], *, write: bool = True) -> T:
        """Run several named statements in one transaction, all or nothing; `work` may be called again on a retry."""
        return self._managed(work, "transaction", write=write)

    def _managed(self, work: Callable[[Transaction], T], name: str, *, write: bool) -> T:
        from neo4j import READ_ACCESS, WRITE_ACCESS
        from neo4j.exceptions import DriverError, Neo4jError

        mode = WRITE_ACCESS if write else READ_ACCESS
        try:
            with self._driver.session(database=self.database, default_access_mode=mode) as session:
                run = session.execute_write if write else session.execute_read
                return run(lambda inner: work(Transaction(inner)))
        except (DriverError, Neo4jError, OSError, UnicodeEncodeError) as exc:
            raise _translate(exc, self.uri, name) from None

    # ------------------------------------------------------------ Cypher from outside
    def read_text(self, text: str, /, **params: Any) -> list[Row]:
        """Run a person's own Cypher, read-only: a statement that writes is refused by the server.

        Raises
        ------
        UsageError
            Empty, longer than 100,000 characters, or more than the server accepts as reading.
        DatabaseError
            The statement is wrong.
        """
        from neo4j import READ_ACCESS
        from neo4j.exceptions import ClientError, DriverError, Neo4jError

        if not text.strip():
            raise UsageError("the Cypher statement is empty")
        if len(text) > _MAX_USER_CYPHER:
            raise UsageError(f"the Cypher statement is longer than {_MAX_USER_CYPHER:,} characters")
        try:
            with self._driver.session(database=self.database, default_access_mode=READ_ACCESS) as session:
                return session.execute_read(lambda tx: [_row(r) for r in tx.run(text, plain(params))])
        except ClientError as exc:
            if exc.code == "Neo.ClientError.Statement.AccessMode":
                raise UsageError("this Cypher writes; only reading is allowed here") from None
            raise _translate(exc, self.uri, "cypher") from None
        except (DriverError, Neo4jError, OSError, UnicodeEncodeError) as exc:
            raise _translate(exc, self.uri, "cypher") from None

    def schema_text(self, text: str, /, **params: Any) -> list[Row]:
        """Run one statement of a migration, by itself (schema changes share a transaction with nothing)."""
        from neo4j.exceptions import DriverError, Neo4jError

        try:
            with self._driver.session(database=self.database) as session:
                return session.execute_write(lambda tx: [_row(r) for r in tx.run(text, plain(params))])
        except (DriverError, Neo4jError, OSError, UnicodeEncodeError) as exc:
            raise _translate(exc, self.uri, "migration") from None

    def transact_text(self, statements: list[tuple[str, Row]], then: tuple[str, Row]) -> None:
        """Run the statements of a data migration and one named statement in one transaction, all or nothing."""
        from neo4j.exceptions import DriverError, Neo4jError

        def work(inner: ManagedTransaction) -> None:
            for text, params in statements:
                inner.run(text, plain(params)).consume()
            Transaction(inner).run(then[0], **then[1])

        try:
            with self._driver.session(database=self.database) as session:
                session.execute_write(work)
        except (DriverError, Neo4jError, OSError, UnicodeEncodeError) as exc:
            raise _translate(exc, self.uri, "migration") from None

    # ------------------------------------------------------------ what is there
    def version(self) -> str:
        """Stamp of the graph's content: the same while nothing is written, another after any write by anyone.

        It is the server's own bookmark of its last transaction, so writes from outside AreoRAG count too.
        """
        from neo4j import READ_ACCESS
        from neo4j.exceptions import DriverError, Neo4jError

        try:
            with self._driver.session(database=self.database, default_access_mode=READ_ACCESS) as session:
                session.run("CYPHER 5 RETURN 1").consume()
                return "+".join(sorted(session.last_bookmarks().raw_values))
        except (DriverError, Neo4jError, OSError, UnicodeEncodeError) as exc:
            raise _translate(exc, self.uri, "version") from None

    def server_version(self) -> str:
        """Version of the Neo4j server, as ``2026.08.1``."""
        if self._server_version is None:
            self._server_version = str(self.read("server_version")[0]["version"])
        return self._server_version

    def counts(self) -> dict[str, int]:
        """Nodes by label and relationships by type (``-[TYPE]->``), for ``areorag db status``."""
        return {row["what"]: row["n"] for row in self.read("counts")}


# ---------------------------------------------------------------- helpers
class Plain(dict[str, Any]):
    """Parameters that hold nothing but what the driver takes: they are not looked through again."""


def plain(value: Any) -> Any:
    """Parameters as the driver takes them: numpy arrays and scalars become lists and numbers, sets sorted lists."""
    kind = type(value)
    if kind in _SCALARS or kind is Plain:
        return value
    if kind is dict:
        return {key: item if type(item) in _SCALARS else plain(item) for key, item in value.items()}
    if kind is list or kind is tuple:
        if value and type(value[0]) in _SCALARS and type(value[-1]) in _SCALARS:  # vectors, ids: nothing to convert
            return value if kind is list else list(value)
        return [plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return [plain(item) for item in sorted(value)]
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    return str(value) if isinstance(value, Path) else value


def _row(record: Any) -> Row:
    return {key: _native(value) for key, value in record.data().items()}


def _native(value: Any) -> Any:
    if hasattr(value, "to_native"):
        return value.to_native()
    if isinstance(value, dict):
        return {key: _native(item) for key, item in value.items()}
    if isinstance(value, list) and value and not isinstance(value[0], (float, int, str)):
        return [_native(item) for item in value]
    return value


def _split(uri: str) -> SplitResult:
    """Parts of an address; all empty where it is none ("bolt://[::")."""
    try:
        return urlsplit(uri)
    except ValueError:
        return urlsplit("")


def _without_secrets(uri: str) -> str:
    """The address without user, password and query."""
    parts = _split(uri)
    try:
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        port = ""
    return f"{parts.scheme}://{parts.hostname or ''}{port}" if parts.scheme else "the given address"


def _translate(exc: Exception, uri: str, what: str) -> DatabaseError:
    """The driver's error as one of ours: one line, no secret, what to do."""
    from neo4j.exceptions import AuthError, ConfigurationError, ServiceUnavailable, SessionExpired

    if isinstance(exc, UnicodeEncodeError):
        return DatabaseError("the text is not valid Unicode (a lone surrogate); write it in UTF-8")
    code = str(getattr(exc, "code", "") or "")
    if isinstance(exc, AuthError) or "Security.Unauthorized" in code or "AuthenticationRateLimit" in code:
        return AuthenticationError(
            f"Neo4j at {uri} refused the user name or password. Set NEO4J_USERNAME and NEO4J_PASSWORD"
        )
    if "DatabaseNotFound" in code:
        return DatabaseError(f"Neo4j at {uri} has no database of that name. Set NEO4J_DATABASE")
    if isinstance(exc, (ServiceUnavailable, SessionExpired, ConfigurationError, OSError)):
        reason = "connection refused" if "refused" in str(exc).lower() else "no answer"
        return DatabaseUnavailableError(
            f"no Neo4j at {uri} ({reason}). Start one with  areorag db start  or set NEO4J_URI"
        )
    detail = str(getattr(exc, "message", None) or exc).strip().split("\n")[0][:300]
    return DatabaseError(f"Neo4j refused {what}: {detail}")
