"""Address and credentials of the server in use, for other clients on the same machine."""

from __future__ import annotations

from ..settings import Settings


def address_of(settings: Settings) -> tuple[str, str, str, str]:
    """(URI, user, password, database) of ``NEO4J_URI``, else of the managed server, which is started."""
    if settings.neo4j_uri:
        secret = settings.neo4j_password.get_secret_value() if settings.neo4j_password else ""
        return settings.neo4j_uri, settings.neo4j_username, secret, settings.neo4j_database
    from .home import USER
    from .server import ManagedServer

    server = ManagedServer(settings)
    return str(server.start()["uri"]), USER, server.password(), "neo4j"
