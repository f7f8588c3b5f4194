"""The audit page: self-contained, safe against what sources say, and readable in a real browser."""

from __future__ import annotations

import html
import os
import re
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from areorag.answer.audit import page, write_page
from areorag.answer.model import Answer, ConflictView, Sentence, Source, Trace
from areorag.errors import UsageError
from areorag.graph.model import Claim

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)><a href="javascript:alert(3)">'
ARTEFACTS = Path(__file__).resolve().parents[1] / "ci-artifacts"


def rect(w: float, e: float, s: float, n: float) -> dict[str, Any]:
    return {"type": "Polygon", "coordinates": [[[w, s], [e, s], [e, n], [w, n], [w, s]]]}


def make(
    text: str = "Clay bands.", footprint: dict[str, Any] | None = None, lon: float = 77.4, lat: float = 18.5
) -> Answer:
    claim = Claim(id="1", subject="the fan", property="smectite", polarity="present", text=text)
    a = Source(n=1, id="CRISM_1", kind="orbital", instrument="CRISM", resolution_m=18.0, claims=[claim], text=text,
               lon_deg=lon, lat_deg=lat, footprint=footprint or rect(77.3, 77.5, 18.4, 18.6), scores={"f_s": 1.0},
               sha256="ab" * 32, source_file="crism/a.lbl")  # fmt: skip
    b = Source(n=2, id="PIXL_2", kind="insitu", instrument="PIXL", lon_deg=lon, lat_deg=lat, claims=[claim])
    conflict = ConflictView(
        letter="A", id="c-1", category="scale", property="smectite", a=1, b=2, a_id="CRISM_1", b_id="PIXL_2",
        p={"scale": 0.9}, explanation="18 m pixel against a 0.12 mm beam. " + text, confidence_before=(0.5, 0.5),
        confidence_after=(0.7, 0.7), kept=(True, True),
    )  # fmt: skip
    sentences = [Sentence(text=f"CRISM reports {text}", cites=[1, 2], conflicts=["A"])]
    return Answer(
        id="a-1", question=f"What is there? {text}", created=datetime(2026, 1, 1, tzinfo=UTC), text="x",
        sentences=sentences, sources=[a, b], conflicts=[conflict], trace=Trace(stages=[("hyperedges", 2)]),
    )  # fmt: skip


def test_page_loads_nothing_from_outside() -> None:
    text = page(make())
    assert "default-src 'none'" in html.unescape(text)
    assert not re.findall(r'(?:src|href)="(?!#)', text)
    assert "<script" not in text


def test_text_of_sources_never_becomes_markup() -> None:
    text = page(make(HOSTILE))
    assert "<script" not in text
    assert "<img" not in text
    assert 'href="javascript' not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


def test_no_evidence_gives_a_page_that_says_so() -> None:
    answer = Answer(
        id="a-2", question="q", created=datetime(2026, 1, 1, tzinfo=UTC), text="Nothing was found.", found=False
    )
    text = page(answer)
    assert "Nothing was found." in text
    assert "so nothing is cited" in text


@pytest.mark.parametrize(
    ("lon", "lat", "footprint"),
    [
        (10.0, 89.0, {"type": "Polygon", "coordinates": [[[0, 85], [90, 85], [180, 85], [-90, 85], [0, 85]]]}),
        (179.5, -10.0, {"type": "MultiPolygon", "coordinates": [rect(179, 180, -11, -9)["coordinates"], rect(-180, -179, -11, -9)["coordinates"]]}),
        (0.0, 0.0, rect(-180, 180, -90, 90)),
        (5.0, 5.0, {"type": "LineString", "coordinates": [[5, 5], [6, 20]]}),
    ],
)  # fmt: skip
def test_map_has_finite_numbers_at_poles_and_antimeridian(lon: float, lat: float, footprint: dict[str, Any]) -> None:
    text = page(make(footprint=footprint, lon=lon, lat=lat))
    drawing = text[text.index("<svg viewBox") : text.index("</svg>")]
    assert "nan" not in drawing.lower().replace("antimeridian", "")
    assert "inf" not in re.sub(r"[a-z]*inf[a-z]+", "", drawing.lower())
    assert 'id="foot-1"' in drawing


def test_writing_to_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a folder"):
        write_page(make(), tmp_path)


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
def test_page_reads_well_in_a_real_browser(tmp_path: Path) -> None:
    target = write_page(make(HOSTILE), tmp_path / "audit.html")
    ARTEFACTS.mkdir(exist_ok=True)
    shot = ARTEFACTS / "audit.png"
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
             "--disable-background-networking", "--disable-component-update", "--enable-logging=stderr", "--v=0"]  # fmt: skip
    env = os.environ | {"HOME": str(tmp_path)}

    def run(*extra: str) -> subprocess.CompletedProcess[str]:
        command = [str(CHROMIUM), *flags, f"--user-data-dir={tmp_path / 'profile'}", *extra, target.as_uri()]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True, env=env)

    dom = run("--dump-dom")
    assert "18 m pixel against a 0.12 mm beam" in dom.stdout
    assert "CONSOLE" not in dom.stderr, dom.stderr
    run("--window-size=1250,2200", f"--screenshot={shot}")
    assert shot.stat().st_size > 40_000
