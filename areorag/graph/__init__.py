"""The graph store: managed Neo4j, connection, migrations, reading and writing the hypergraph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..settings import Settings


def py2neo_graph(settings: Settings | None = None) -> Any:
    """A py2neo ``Graph`` on the server that AreoRAG uses, for people with old notebooks.

    py2neo is at its end of life; AreoRAG itself does not use it.

    Raises
    ------
    MissingExtraError
        py2neo is not installed.
    DatabaseError
        No server, or the password is refused.
    """
    from ..errors import MissingExtraError
    from ..settings import load_settings
    from .bridge import address_of

    try:
        from py2neo import Graph
    except ImportError:
        raise MissingExtraError("py2neo", "py2neo") from None
    uri, user, password, database = address_of(settings or load_settings())
    return Graph(uri, auth=(user, password), name=database)
