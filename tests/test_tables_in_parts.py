"""Long tables come in parts, and structure files stand in for the columns they hold."""

from __future__ import annotations

import bz2
import gzip
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from areorag.evaluate.bench_ingest import index_table
from areorag.ingest.adapters import iter_reports, read_path
from areorag.ingest.readers.tables import read_delimited

ROWS = 2300


def test_parts_hold_what_the_whole_holds(tmp_path: Path) -> None:
    index_table(tmp_path, ROWS)
    (whole,) = [r for r in iter_reports(tmp_path, workers=2) if r.observations]
    parts = [r for r in iter_reports(tmp_path, workers=2, parts=True) if r.path == whole.path]
    assert [p.more for p in parts] == [True] * (len(parts) - 1) + [False]
    assert len(parts) >= 3
    assert max(len(p.observations) for p in parts) < ROWS / 2
    assert [o for p in parts for o in p.observations] == whole.observations
    assert (parts[-1].status, parts[-1].reason, parts[-1].sha256) == (whole.status, whole.reason, whole.sha256)
    (alone,) = [r for r in read_path(tmp_path) if r.observations]
    assert alone == whole


def test_a_slow_taker_is_not_the_readers_fault(tmp_path: Path) -> None:
    index_table(tmp_path, 4000)
    taken = 0
    for report in iter_reports(tmp_path, workers=1, parts=True, timeout_s=8.0):
        if not taken:
            time.sleep(9.0)  # longer than the reader may take for its next part
        taken += len(report.observations)
        assert report.status == "ok", report.reason
    assert taken == 4000


BREAKS = """
import os
from areorag.graph.model import Observation, ProductRef
from areorag.ingest.adapters.base import Result

def some(k):
    return [Observation(id=f"X{k}{i}", kind="orbital", product=ProductRef(data_id="X"), text="x") for i in range(3)]

class Breaks:
    name, title, keywords = "breaks", "gives two parts, then fails", {}
    def accepts(self, source): return source.head.startswith(b"BREAKS")
    def read(self, source, context):
        return Result(batches=self.parts(source))
    def parts(self, source):
        yield some(1)
        yield some(2)
        if b"DIES" in source.head:
            os._exit(3)
        raise ValueError("the third part is bad")
"""


@pytest.fixture
def breaking(install_adapter: Callable[[str, str], None]) -> None:
    install_adapter("breaks", BREAKS)


def test_what_breaks_half_way_is_partial_and_says_how_far_it_was_read(breaking: None, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a.txt").write_text("BREAKS")
    (folder / "b.txt").write_text("BREAKS and DIES")
    reports = {Path(r.path).name: r for r in iter_reports(folder, workers=1)}
    assert reports["a.txt"].status == "partial"
    assert "observation 6" in (reports["a.txt"].reason or "") and "third part" in (reports["a.txt"].reason or "")
    assert len(reports["a.txt"].observations) == 6
    assert reports["b.txt"].status == "partial"
    assert "observation 3" in (reports["b.txt"].reason or "") and "ended" in (reports["b.txt"].reason or "")
    (alone,) = read_path(folder / "a.txt")
    assert (alone.status, alone.reason, len(alone.observations)) == ("partial", reports["a.txt"].reason, 6)


COLUMNS = """OBJECT = COLUMN
  NAME = PRODUCT_ID
  DATA_TYPE = CHARACTER
  START_BYTE = 2
  BYTES = 26
END_OBJECT = COLUMN
OBJECT = COLUMN
  NAME = CENTER_LATITUDE
  DATA_TYPE = ASCII_REAL
  START_BYTE = 30
  BYTES = 7
END_OBJECT = COLUMN
"""
MORE = """OBJECT = COLUMN
  NAME = CENTER_LONGITUDE
  DATA_TYPE = ASCII_REAL
  START_BYTE = 38
  BYTES = 7
END_OBJECT = COLUMN
"""


def index_with(folder: Path, pointer: str, own: str = "") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "INDEX.LBL").write_text(
        'PDS_VERSION_ID = PDS3\nRECORD_TYPE = FIXED_LENGTH\nRECORD_BYTES = 47\nFILE_RECORDS = 2\n^INDEX_TABLE = "INDEX.TAB"\n'
        "INSTRUMENT_ID = CTX\nINSTRUMENT_HOST_NAME = MRO\nTARGET_NAME = MARS\nOBJECT = INDEX_TABLE\n INTERCHANGE_FORMAT = ASCII\n"
        f" ROWS = 2\n ROW_BYTES = 47\n COLUMNS = 3\n{own}{pointer}\nEND_OBJECT = INDEX_TABLE\nEND\n"
    )
    rows = [("P01_001418_1747_XI_05S222W", -5.3, 222.1), ("P01_001427_1820_XI_02N121W", 2.02, 121.3)]
    lines = [f'"{name:<26}",{lat:7.2f},{lon:7.2f}\r\n' for name, lat, lon in rows]
    (folder / "INDEX.TAB").write_text("".join(lines), newline="")
    return folder / "INDEX.LBL"


@pytest.mark.parametrize(
    ("label_in", "name", "named", "end"),
    [
        (".", "CTX_INDEX.FMT", "CTX_INDEX.FMT", ""),
        (".", "ctx_index.fmt", "CTX_INDEX.FMT", "END\n"),
        (".", "CTX_INDEX.FMT", "ctx_index.fmt", ""),
        ("../LABEL", "ctx_index.fmt", "CTX_INDEX.FMT", ""),
        ("../label", "CTX_INDEX.FMT", "CTX_INDEX.FMT", "END\r\n"),
    ],
)
def test_columns_are_read_from_the_structure_file(
    tmp_path: Path, label_in: str, name: str, named: str, end: str
) -> None:
    index = tmp_path / "volume" / "INDEX"
    index_with(index, f' ^STRUCTURE = "{named}"')
    where = (index / label_in).resolve()
    where.mkdir(exist_ok=True)
    (where / name).write_text(COLUMNS + MORE + end)
    reports = {Path(r.path).name: r for r in read_path(tmp_path / "volume")}
    label = reports["INDEX.LBL"]
    assert (label.status, len(label.observations)) == ("ok", 2), label.reason
    assert label.observations[1].position_lon_deg == pytest.approx(-121.3)
    assert reports[name].status == "rejected" and "structure of a table" in (reports[name].reason or "")


def test_structures_may_name_structures_but_not_themselves(tmp_path: Path) -> None:
    index_with(tmp_path, ' ^structure = "A.FMT"')
    (tmp_path / "A.FMT").write_text(COLUMNS + '^STRUCTURE = "B.FMT"\n')
    (tmp_path / "B.FMT").write_text(MORE)
    report = next(r for r in read_path(tmp_path) if r.path.endswith("INDEX.LBL"))
    assert (report.status, len(report.observations)) == ("ok", 2)
    (tmp_path / "B.FMT").write_text(MORE + '^STRUCTURE = "A.FMT"\n')
    report = next(r for r in read_path(tmp_path) if r.path.endswith("INDEX.LBL"))
    assert report.status == "partial" and "nested" in (report.reason or "")


def test_a_missing_structure_is_named(tmp_path: Path) -> None:
    index_with(tmp_path / "a", ' ^STRUCTURE = "GONE.FMT"')
    index_with(tmp_path / "b", ' ^STRUCTURE = "GONE.FMT"', own=COLUMNS)
    reports = {Path(r.path).parent.name: r for r in read_path(tmp_path) if r.path.endswith("INDEX.LBL")}
    assert reports["a"].status == "rejected" and "GONE.FMT" in (reports["a"].reason or "")
    assert "LABEL folder" in (reports["a"].reason or "")
    assert (reports["b"].status, len(reports["b"].observations)) == ("partial", 2)
    assert "GONE.FMT" in (reports["b"].reason or "")
    assert any("GONE.FMT" in w for w in reports["b"].observations[0].warnings)


@pytest.mark.parametrize("pointer", ["../OUTSIDE.FMT", "/etc/passwd", "LINK.FMT"])
def test_no_structure_is_read_outside_the_ingest_root(tmp_path: Path, pointer: str) -> None:
    root = tmp_path / "root"
    index_with(root, f' ^STRUCTURE = "{pointer}"')
    (tmp_path / "OUTSIDE.FMT").write_text(COLUMNS)
    (root / "LINK.FMT").symlink_to(tmp_path / "OUTSIDE.FMT")
    report = next(r for r in read_path(root) if r.path.endswith("INDEX.LBL"))
    assert report.observations == []


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda b: gzip.compress(b), "compressed"),
        (lambda b: bz2.compress(b), "compressed"),
        (lambda b: b.decode().encode("utf-16"), "UTF-16"),
    ],
)
def test_what_must_be_unpacked_or_saved_anew_says_so(
    tmp_path: Path, change: Callable[[bytes], bytes], says: str
) -> None:
    label = index_with(tmp_path, "", own=COLUMNS + MORE)
    label.write_bytes(change(label.read_bytes()))
    report = next(r for r in read_path(tmp_path) if r.path.endswith("INDEX.LBL"))
    assert report.status == "rejected" and says in (report.reason or "")


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_byte_order_marks_change_nothing(tmp_path: Path, ends: str, mark: str) -> None:
    label = index_with(tmp_path, "", own=COLUMNS + MORE)
    text = label.read_text()
    label.write_bytes((mark + text.replace("\n", ends)).encode())
    report = next(r for r in read_path(tmp_path) if r.path.endswith("INDEX.LBL"))
    assert (report.status, len(report.observations)) == ("ok", 2), report.reason
    rows = list(read_delimited((mark + "site,drive\n3,1004\n3,1010\n").replace("\n", ends)))
    assert rows == [{"site": "3", "drive": "1004"}, {"site": "3", "drive": "1010"}]
