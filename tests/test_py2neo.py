"""The bridge for old notebooks: a py2neo Graph on our server, where py2neo is installed."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import pytest

from areorag.errors import MissingExtraError
from areorag.graph import py2neo_graph
from areorag.graph.bridge import address_of
from areorag.graph.connection import Database
from areorag.settings import Settings

pytestmark = pytest.mark.db
HAVE = importlib.util.find_spec("py2neo") is not None


def test_the_address_is_that_of_the_running_server(db: Database, settings: Settings) -> None:
    uri, user, password, database = address_of(settings)
    with Database.connect(uri, user, password, database) as other:
        assert other.counts() == db.counts()


@pytest.mark.skipif(HAVE, reason="py2neo is installed")
def test_without_py2neo_the_extra_is_named(settings: Settings) -> None:
    with pytest.raises(MissingExtraError, match=r"areorag\[py2neo\]"):
        py2neo_graph(settings)


@pytest.mark.skipif(not HAVE, reason="py2neo is not installed (pip install 'areorag[py2neo]')")
def test_py2neo_reads_our_graph(db: Database, settings: Settings) -> None:
    db.schema_text("CYPHER 5 CREATE (:Entity {id: 'concept:old', name: 'old notebook'})")
    script = (  # in a process of its own: py2neo warns about itself
        "import sys\nfrom areorag.graph import py2neo_graph\nfrom areorag.settings import load_settings\n"
        "g = py2neo_graph(load_settings(home=sys.argv[1], neo4j_version=sys.argv[2]))\n"
        "print(g.run('MATCH (e:Entity) RETURN e.name AS name').data())\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script, str(settings.home), settings.neo4j_version],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "old notebook" in done.stdout
