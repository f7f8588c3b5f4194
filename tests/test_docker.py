"""The compose file and the image, as far as they can be checked without a container engine."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from areorag.graph import home

ROOT = Path(__file__).resolve().parents[1]
yaml = pytest.importorskip("yaml")


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((ROOT / "docker" / "compose.yaml").read_text("utf-8"))
    return loaded


def test_services_have_health_checks_named_volumes_and_secrets(compose: dict[str, Any]) -> None:
    assert set(compose["services"]) == {"neo4j", "app"}
    neo4j, app = compose["services"]["neo4j"], compose["services"]["app"]
    assert neo4j["healthcheck"]["test"][0] == "CMD-SHELL"
    assert app["depends_on"]["neo4j"]["condition"] == "service_healthy"
    assert "HEALTHCHECK" in (ROOT / "docker" / "Dockerfile").read_text("utf-8")
    named = {
        v.split(":")[0] for s in compose["services"].values() for v in s["volumes"] if not v.startswith(("$", "."))
    }
    assert named == set(compose["volumes"])
    used = {name for s in compose["services"].values() for name in s["secrets"]}
    assert used == set(compose["secrets"])
    for secret in compose["secrets"].values():
        assert secret["file"].startswith("./secrets/")


def test_no_password_stands_in_the_file_and_ports_are_on_loopback(compose: dict[str, Any]) -> None:
    for service in compose["services"].values():
        for key, value in service["environment"].items():
            assert "PASSWORD" not in key or key.endswith("_FILE"), key
            assert not re.fullmatch(r"neo4j/.+", str(value))
    assert all(port.startswith("127.0.0.1:") for port in compose["services"]["neo4j"]["ports"])


def test_the_container_closes_load_csv_like_the_managed_server(compose: dict[str, Any]) -> None:
    environment = compose["services"]["neo4j"]["environment"]
    for name in ("dbms.security.allow_csv_import_from_file_urls", "internal.dbms.cypher_ip_blocklist"):
        key = "NEO4J_" + name.replace("_", "__").replace(".", "_")
        wanted = re.search(rf"^{re.escape(name)}=(.*)$", home._CONF, re.M)
        assert wanted
        assert environment[key] == wanted[1]


def test_versions_agree(compose: dict[str, Any]) -> None:
    assert compose["services"]["neo4j"]["image"].startswith("neo4j:2026.08.1")


def test_files_that_the_image_copies_exist() -> None:
    text = (ROOT / "docker" / "Dockerfile").read_text("utf-8")
    for line in re.findall(r"^COPY (?!--from)(.*)$", text, re.M):
        for source in line.split()[:-1]:
            assert (ROOT / source).exists(), source


def test_the_entrypoint_reads_the_secret(tmp_path: Path) -> None:
    secret = tmp_path / "pw"
    secret.write_text("s3cret\n")
    done = subprocess.run(
        ["sh", str(ROOT / "docker" / "entrypoint.sh"), "sh", "-c", 'printf %s "$NEO4J_PASSWORD"'],
        env={"PATH": "/usr/bin:/bin", "NEO4J_PASSWORD_FILE": str(secret)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "s3cret"


def test_compose_itself_accepts_the_file(tmp_path: Path) -> None:
    if shutil.which("docker") is None:
        pytest.skip("no docker command here")
    have = subprocess.run(["docker", "compose", "version"], capture_output=True, check=False)
    if have.returncode != 0:
        pytest.skip("no docker compose here")
    done = subprocess.run(
        ["docker", "compose", "-f", str(ROOT / "docker" / "compose.yaml"), "config", "-q"],
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
