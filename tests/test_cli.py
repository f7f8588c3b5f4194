"""The command line: help, errors of one line, exit codes, settings."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main

from areorag.cli import app

HEAVY = ("neo4j", "onnxruntime", "jgo", "mocpy", "astropy", "spherely", "scipy", "numpy", "torch", "pyogrio", "matplotlib", "rich.progress", "openai", "lxml")  # fmt: skip


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    if hasattr(command, "commands"):
        for name, inner in command.commands.items():
            yield from commands(inner, (*path, name))
        if command.invoke_without_command and path:
            yield path, command
    else:
        yield path, command


ALL = list(commands(typer.main.get_command(app)))


def run(*args: str, env: dict[str, str] | None = None, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "areorag", *args], capture_output=True, text=True, timeout=120, check=False, cwd=cwd,
        env={k: v for k, v in os.environ.items() if not k.startswith(("AREORAG_", "NEO4J_"))} | (env or {}),
    )  # fmt: skip


@pytest.mark.parametrize("path", [p for p, _ in ALL], ids=" ".join)
def test_every_command_explains_itself_with_an_example(path: tuple[str, ...]) -> None:
    command = dict(ALL)[path]
    assert command.help
    assert (command.epilog or "").startswith(f"Example: areorag {' '.join(path)}")


def test_contract_commands_exist() -> None:
    names = {" ".join(p) for p, _ in ALL}
    wanted = [
        "ingest",
        "ask",
        "retrieve",
        "observation",
        "conflicts",
        "audit",
        "forget",
        "verify",
        "bench",
        "demo",
        "settings",
    ]
    wanted += [f"db {x}" for x in ("start", "stop", "status", "reset", "browser")]
    wanted += [
        f"eval {x}"
        for x in ("adapters", "conflict", "intent", "selection", "facts", "extraction", "spatial", "regions", "city")
    ]
    wanted += [f"train {x}" for x in ("embedding", "plausibility", "conflict")]
    assert set(wanted) <= names


def test_help_imports_nothing_heavy() -> None:
    code = "import sys; from areorag.cli import app; print([m for m in sys.modules if m in set(sys.argv[1:])])"
    done = subprocess.run([sys.executable, "-c", code, *HEAVY], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("args", "env", "code", "words"),
    [
        (["ask", "  "], {"NEO4J_URI": "bolt://127.0.0.1:1"}, 2, "question is empty"),
        (["ask", "x" * 50_000], {}, 2, "more than 20,000"),
        (["ask", "olivine"], {"NEO4J_URI": "bolt://127.0.0.1:1"}, 1, "no Neo4j"),
        (["ingest", "/no/such/folder"], {"NEO4J_URI": "bolt://127.0.0.1:1"}, 2, "does not exist"),
        (["db", "status"], {"NEO4J_URI": "bolt://127.0.0.1:1", "NEO4J_PASSWORD": "s3cret"}, 1, "127.0.0.1:1"),
        (["settings"], {"AREORAG_CURVATURE": "1"}, 2, "curvature"),
        (["settings"], {"AREORAG_EPSILON": "abc"}, 2, "epsilon"),
        (["bench", "--scale", "huge"], {}, 2, "unknown scale"),
        (["ingest", "x", "--nonsense"], {}, 2, "nonsense"),
        (["frobnicate"], {}, 2, "frobnicate"),
    ],
)
def test_wrong_use_is_one_clear_line(args: list[str], env: dict[str, str], code: int, words: str) -> None:
    done = run(*args, env=env)
    assert done.returncode == code, done.stderr
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert "s3cret" not in done.stderr + done.stdout


def test_settings_mask_secrets_and_name_their_origin(tmp_path: Path) -> None:
    (tmp_path / "areorag.toml").write_text("k = 9\n")
    done = run(
        "settings", "--json", "-", env={"NEO4J_PASSWORD": "s3cret", "AREORAG_LLM_API_KEY": "s3cret2"}, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr
    values = json.loads(done.stdout)
    assert values["k"] == {"value": 9, "from": "areorag.toml"}
    assert values["neo4j_password"]["from"] == "environment"
    assert values["eta"] == {"value": -0.5, "from": "default"}
    assert "s3cret" not in done.stdout


def test_json_to_a_missing_folder_is_refused(tmp_path: Path) -> None:
    done = run("settings", "--json", str(tmp_path / "no" / "x.json"))
    assert done.returncode == 2
    assert "does not exist" in done.stderr
