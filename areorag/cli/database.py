"""``areorag db``: the managed local Neo4j."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from .common import HomeOption, JsonOption, console, progress_bars, settings_for, write_json

app = typer.Typer(
    help="The managed local Neo4j: start, stop, status, reset, browser.", no_args_is_help=True, rich_markup_mode=None
)


def _server(home: Any) -> Any:
    from ..graph.server import ManagedServer

    return ManagedServer(settings_for(home))


@app.command(epilog="Example: areorag db start --home ~/mars-db")
def start(home: HomeOption = None, json: JsonOption = None) -> None:
    """Start the server (or find it running) and bring the schema up to date."""
    from ..graph.connection import Database

    settings = settings_for(home)
    with progress_bars() as bars, Database.open(settings, progress=bars) as db:
        uri = db.uri
    write_json(json, {"uri": uri})
    if json != "-":
        console().print(f"Neo4j answers at {uri}")


@app.command(epilog="Example: areorag db stop")
def stop(home: HomeOption = None) -> None:
    """Stop the server; data stay."""
    console().print(_server(home).stop() or "stopped")


@app.command(epilog="Example: areorag db status --json -")
def status(home: HomeOption = None, json: JsonOption = None) -> None:
    """Address, version and counts."""
    from ..errors import DatabaseError

    settings = settings_for(home)
    state: dict[str, Any]
    if settings.neo4j_uri:
        state = {"running": True, "uri": settings.neo4j_uri, "managed": False}
    else:
        state = dict(_server(home).status()) | {"managed": True}
    if state.get("running"):
        from ..graph.connection import Database

        try:
            with Database.open(settings, migrate=False) as db:
                state |= {"uri": db.uri, "neo4j": db.server_version(), "counts": db.counts()}
        except DatabaseError as exc:
            if settings.neo4j_uri:
                raise
            state |= {"error": str(exc)}
    write_json(json, state)
    if json == "-":
        return
    out = console()
    for key, value in state.items():
        if key == "counts":
            out.print("counts  " + "  ".join(f"{k} {v:,}" for k, v in value.items()))
        else:
            out.print(f"{key}  {value}")
    if not state.get("running"):
        out.print("not running. Start it with  areorag db start")


@app.command(epilog="Example: areorag db reset --yes")
def reset(
    home: HomeOption = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete the managed database with everything in it."""
    from ..errors import UsageError

    settings = settings_for(home)
    if settings.neo4j_uri:
        raise UsageError("NEO4J_URI is set: reset only deletes the managed database. Unset it first")
    if not yes:
        typer.confirm(f"Delete the database in {settings.home}?", abort=True)
    _server(home).reset()
    console().print("deleted")


@app.command(epilog="Example: areorag db browser")
def browser(home: HomeOption = None, json: JsonOption = None) -> None:
    """Say where Neo4j Browser is and how to log in."""
    server = _server(home)
    server.start()
    info = {"url": server.browser_url(), "user": "neo4j", "password_file": str(server.password_file)}
    write_json(json, info)
    if json != "-":
        console().print(f"Neo4j Browser  {info['url']}\nuser neo4j, password in  {info['password_file']}")
