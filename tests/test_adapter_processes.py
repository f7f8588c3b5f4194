"""Reading in worker processes: order, companions, a hang that is killed, a crash that is survived, pointers kept inside."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from areorag.ingest.adapters import discover, iter_reports, read_path
from areorag.ingest.adapters.base import Adapter, Context, Result, Source
from areorag.ingest.adapters.parallel import Pool
from areorag.ingest.adapters.registry import adapters, get_adapter

from .odl_compare import SAMPLE

LABEL = 'PDS_VERSION_ID = PDS3\nPRODUCT_ID = "{0}"\nINSTRUMENT_ID = CTX\nTARGET_NAME = MARS\nSTART_TIME = 2009-01-01T00:00:00\n{1}END\n'


def test_processes_give_what_one_process_gives() -> None:
    alone = {r.path: r for r in read_path(SAMPLE)}
    together = {r.path: r for r in iter_reports(SAMPLE, workers=2)}
    assert set(alone) == set(together)
    for path, report in alone.items():
        assert report == together[path], path


def test_a_data_file_counts_with_its_label(tmp_path: Path) -> None:
    (tmp_path / "a.lbl").write_text(LABEL.format("A", '^IMAGE = "A.IMG"\n'))
    (tmp_path / "a.img").write_bytes(bytes(1000))
    reports = {Path(r.path).name: r for r in iter_reports(tmp_path, workers=1)}
    assert len(reports) == 2
    assert reports["a.img"].status == "ok" and "counted with its label" in (reports["a.img"].reason or "")


HANG = """
import time, ctypes, os
from areorag.ingest.adapters.base import Result
class Hang:
    name, title, keywords = "hang", "never returns", {}
    def accepts(self, source): return b"HANG" in source.head or b"CRASH" in source.head
    def read(self, source, context):
        if b"CRASH" in source.head:
            os._exit(3)
        while True:
            pass
"""


@pytest.fixture
def third_party(install_adapter: Callable[[str, str], None]) -> None:
    """A third-party adapter installed by an entry point, as a user's package would be."""
    install_adapter("hang", HANG)


def test_third_party_adapter_comes_first_and_fits_the_protocol(third_party: None) -> None:
    assert adapters()[0].name == "hang"
    assert isinstance(adapters()[0], Adapter)
    assert all(isinstance(a, Adapter) for a in adapters())


def test_a_hang_is_killed_and_a_crash_survived_and_the_rest_is_read(third_party: None, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "a_hang.lbl").write_text(LABEL.format("HANG", ""))
    (folder / "b_crash.lbl").write_text(LABEL.format("CRASH", ""))
    for i in range(6):
        (folder / f"c{i}.lbl").write_text(LABEL.format(f"P{i}", ""))
    start = time.monotonic()
    reports = {Path(r.path).name: r for r in iter_reports(folder, workers=2, timeout_s=12.0)}
    assert time.monotonic() - start < 100
    assert len(reports) == 8
    assert reports["a_hang.lbl"].status == "rejected" and "12 s" in (reports["a_hang.lbl"].reason or "")
    assert reports["b_crash.lbl"].status == "rejected" and "ended" in (reports["b_crash.lbl"].reason or "")
    assert sum(len(r.observations) for r in reports.values()) == 6


def test_workers_end_with_the_pool(tmp_path: Path) -> None:
    (tmp_path / "a.lbl").write_text(LABEL.format("A", ""))
    with Pool(1, Context(tmp_path), 30.0, None) as pool:
        assert len(list(pool.map([tmp_path / "a.lbl"]))) == 1
        (worker,) = pool._idle
    assert worker.process.poll() is not None


@pytest.mark.parametrize("pointer", ["../secret.tab", "/etc/passwd", "..\\\\secret.tab", "link.tab"])
def test_no_pointer_leaves_the_ingest_root(tmp_path: Path, pointer: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "secret.tab").write_text('"SECRET01"\r\n')
    (root / "link.tab").symlink_to(tmp_path / "secret.tab")
    table = (
        f'PDS_VERSION_ID = PDS3\n^TABLE = "{pointer}"\nOBJECT = TABLE\n INTERCHANGE_FORMAT = ASCII\n ROWS = 1\n ROW_BYTES = 12\n'
        " OBJECT = COLUMN\n NAME = PRODUCT_ID\n DATA_TYPE = CHARACTER\n START_BYTE = 2\n BYTES = 8\n END_OBJECT = COLUMN\nEND_OBJECT = TABLE\nEND\n"
    )
    (root / "index.lbl").write_text(table)
    for report in read_path(root):
        assert report.observations == []
        assert "SECRET" not in report.model_dump_json()
    assert any("leaves the ingest root" in (r.reason or "") for r in read_path(root))


def test_discover_lists_every_file_once_sorted(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    for name in ("b/2.lbl", "a.lbl", "b/1.lbl"):
        (tmp_path / name).write_text("END\n")
    found = discover([tmp_path, tmp_path / "a.lbl"])
    assert [p.relative_to(tmp_path).as_posix() for p in found] == ["a.lbl", "b/1.lbl", "b/2.lbl"]


def test_an_unknown_adapter_name_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.lbl").write_text(LABEL.format("A", ""))
    (report,) = read_path(tmp_path, adapter="nonsense")
    assert report.status == "rejected" and "no adapter called 'nonsense'" in (report.reason or "")
    assert get_adapter("ctx").name == "ctx"


class Own:
    """An adapter of one's own, used directly."""

    name = "own"
    title = "test"
    keywords: Mapping[str, tuple[str, ...]] = {}

    def accepts(self, source: Source) -> bool:
        return True

    def read(self, source: Source, context: Context) -> Result:
        return Result()


def test_a_plain_class_is_an_adapter() -> None:
    assert isinstance(Own(), Adapter)


def test_a_data_file_of_two_labels_counts_with_the_first_by_name_whoever_was_read_first(tmp_path: Path) -> None:
    slow = "NOTE = (" + ", ".join(f'"{i:08d}"' for i in range(4000)) + ")\n"
    (tmp_path / "a.lbl").write_text(LABEL.format("A", '^IMAGE = "D.IMG"\n' + slow))
    (tmp_path / "b.lbl").write_text(LABEL.format("B", '^IMAGE = "D.IMG"\n'))
    (tmp_path / "d.img").write_bytes(bytes(1000))
    for reports in (
        read_path(tmp_path),
        list(iter_reports(tmp_path, workers=1)),
        list(iter_reports(tmp_path, workers=2)),
    ):
        (data,) = [r for r in reports if r.path.endswith("d.img")]
        assert data.reason == "data file of a.lbl: counted with its label"
        assert len(reports) == 3
