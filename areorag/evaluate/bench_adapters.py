"""Speed of the label readers and adapters, as ratios to ``pvl`` measured in the same run (issue "Ingest": Speed).

Inputs are the ordinary PDS3 labels of the shipped sample archive, copied under new product ids, and a generated index
table. ``labels_per_s`` counts whole observations out of two worker processes, not parses alone.
"""

from __future__ import annotations

import logging
import re
import tempfile
import time
from importlib import resources
from pathlib import Path
from typing import Any

from ..errors import LabelError

logger = logging.getLogger(__name__)
LABELS = {"small": 600, "paper": 2000, "million": 10_000}
ROWS = {"small": 3000, "paper": 30_000, "million": 30_000}
PVL_SAMPLE = 24


def _sample_labels() -> list[tuple[str, str]]:
    root = resources.files("areorag.sample").joinpath("archive")
    out = []
    for folder in ("hirise", "crism", "msl", "mola", "derived"):
        directory = root.joinpath(folder)
        if directory.is_dir():
            items = sorted(directory.iterdir(), key=lambda p: p.name)
            out += [(i.name, i.read_text("utf-8")) for i in items if i.name.lower().endswith(".lbl")]
    if not out:
        raise LabelError("the sample archive has no labels to measure on")
    return out


def _copies(labels: list[tuple[str, str]], count: int, folder: Path) -> None:
    for i in range(count):
        name, text = labels[i % len(labels)]
        changed = re.sub(r'(PRODUCT_ID\s*=\s*"?)([A-Z0-9_]+)', rf"\g<1>\g<2>X{i}", text, count=1)
        (folder / f"{Path(name).stem}_{i}.lbl").write_text(changed, "utf-8")


def _parse_rates(labels: list[tuple[str, str]]) -> dict[str, float]:
    from ..ingest.readers.odl import parse_fast
    from ..ingest.readers.pds3 import parse_pvl

    texts = [text for _, text in labels]
    start = time.perf_counter()
    rounds = 10
    for _ in range(rounds):
        for text in texts:
            parse_fast(text)
    fast = rounds * len(texts) / (time.perf_counter() - start)
    chosen = texts[:PVL_SAMPLE]
    start = time.perf_counter()
    for text in chosen:
        parse_pvl(text)
    slow = len(chosen) / (time.perf_counter() - start)
    return {"fast_per_s": round(fast, 1), "pvl_per_s": round(slow, 2), "ratio_to_pvl": round(fast / slow, 1)}


def _index_rows(folder: Path, rows: int) -> None:
    columns = [("PRODUCT_ID", "CHARACTER", 26), ("START_TIME", "TIME", 24), ("INSTRUMENT_ID", "CHARACTER", 6)]
    columns += [("SOLAR_LONGITUDE", "ASCII_REAL", 7), ("SCALED_PIXEL_WIDTH", "ASCII_REAL", 6)]
    for corner in ("UPPER_LEFT", "UPPER_RIGHT", "LOWER_LEFT", "LOWER_RIGHT"):
        columns += [(f"{corner}_LONGITUDE", "ASCII_REAL", 8), (f"{corner}_LATITUDE", "ASCII_REAL", 7)]
    described, start = [], 1
    for name, kind, width in columns:
        described.append(
            f"OBJECT = COLUMN\n NAME = {name}\n DATA_TYPE = {kind}\n START_BYTE = {start}\n BYTES = {width}\nEND_OBJECT = COLUMN"
        )
        start += width + 1
    header = 'PDS_VERSION_ID = PDS3\n^INDEX_TABLE = "INDEX.TAB"\nDATA_SET_ID = "MRO-M-CTX-2-EDR-L0-V1.0"\n'
    header += 'SPACECRAFT_NAME = "MARS RECONNAISSANCE ORBITER"\nTARGET_NAME = MARS\nOBJECT = INDEX_TABLE\n'
    header += f" INTERCHANGE_FORMAT = ASCII\n ROWS = {rows}\n ROW_BYTES = {start + 1}\n"
    (folder / "INDEX.LBL").write_text(header + "\n".join(described) + "\nEND_OBJECT = INDEX_TABLE\nEND\n", "utf-8")
    with (folder / "INDEX.TAB").open("w", encoding="utf-8", newline="") as out:
        for i in range(rows):
            lat, lon = -80 + 160 * ((i * 0.618034) % 1.0), 360 * ((i * 0.381966) % 1.0)
            cells = [f"B{i:06d}_{int(lon):03d}W_CTX", f"2009-{1 + i % 12:02d}-{1 + i % 28:02d}T00:38:16.057", "CTX"]
            cells += [f"{i % 360:.2f}", "5.50"]
            for x, y in ((0.3, 0.5), (-0.3, 0.5), (0.3, -0.5), (-0.3, -0.5)):
                cells += [f"{(lon + x) % 360:.3f}", f"{lat + y:.3f}"]
            line = ",".join(c[:w].ljust(w) for c, (_, _, w) in zip(cells, columns, strict=True))
            out.write(line.ljust(start - 1) + "\r\n")


def _timed(folder: Path, workers: int) -> tuple[float, int]:
    from ..ingest.adapters import iter_reports

    start = time.perf_counter()
    count = sum(len(r.observations) for r in iter_reports(folder, workers=workers, timeout_s=300.0))
    return time.perf_counter() - start, count


def run(scale: str = "small") -> dict[str, Any]:
    """Measure; → figures with the ratio to pvl, labels a second on two processes, and index rows a second."""
    labels = _sample_labels()
    out: dict[str, Any] = {"parse": _parse_rates(labels)}
    with tempfile.TemporaryDirectory(prefix="areorag-bench-") as name:
        folder = Path(name)
        (folder / "labels").mkdir()
        _copies(labels, LABELS[scale], folder / "labels")
        seconds, count = _timed(folder / "labels", 2)
        out["read"] = {
            "labels": count,
            "seconds": round(seconds, 2),
            "labels_per_s": round(count / seconds, 1),
            "processes": 2,
        }
        (folder / "index").mkdir()
        _index_rows(folder / "index", ROWS[scale])
        seconds, count = _timed(folder / "index", 2)
        out["index"] = {"rows": count, "seconds": round(seconds, 2), "rows_per_s": round(count / seconds, 1)}
    return out
