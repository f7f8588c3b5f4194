"""Damaged labels give reports, never exceptions, hangs, NaN or coordinates out of range.

``AREORAG_FUZZ=100000`` runs the full size; the default is a CI-sized piece. Inputs that ever failed are kept below.
"""

from __future__ import annotations

import json
import logging
import os
import random
from pathlib import Path

import pytest

from areorag.errors import UsageError
from areorag.evaluate.fuzz_adapters import faults, mutate, run, seed_files, write_record
from areorag.ingest.adapters import read_path

SIZE = int(os.environ.get("AREORAG_FUZZ", "60"))


@pytest.fixture(autouse=True)
def quiet(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL)


@pytest.mark.parametrize("seed", range(2))
def test_mutated_labels_are_read_or_refused(seed: int) -> None:
    from .odl_compare import SAMPLE, SHARED

    seeds = [p for p in sorted(SAMPLE.rglob("*")) if p.is_file() and p.stat().st_size < 2500]
    for name in ("archive", "bug_inputs"):
        if (SHARED / name).exists():
            seeds += [p for p in sorted((SHARED / name).rglob("*")) if p.is_file() and 0 < p.stat().st_size < 2500]
    result = run(SIZE // 2, seed, seeds=seeds)
    assert result["faults"] == []
    assert result["slow"] == 0
    assert result["status"].get("rejected", 0) < SIZE, "the mutations still leave labels to read"


def test_mutation_is_repeatable_and_changes_something() -> None:
    data = b"PDS_VERSION_ID = PDS3\nPRODUCT_ID = X\nEND\n" * 4
    one = [mutate(data, data, random.Random(7)) for _ in range(3)]
    assert one == [mutate(data, data, random.Random(7)) for _ in range(3)]
    changed = [mutate(data, data, random.Random(i)) != data for i in range(50)]
    assert sum(changed) > 45


KEPT = {
    "record bytes are nan": 'PDS_VERSION_ID = PDS3\nRECORD_BYTES = nan\n^TABLE = "T.TAB"\nOBJECT = TABLE\nINTERCHANGE_FORMAT = ASCII\n'
    "OBJECT = COLUMN\nNAME = PRODUCT_ID\nSTART_BYTE = 1\nBYTES = 8\nEND_OBJECT = COLUMN\nEND_OBJECT = TABLE\nEND\n",
    "date with an offset": 'PRODUCT_ID = "X"\nSTART_TIME = 2004-04-07+1\nEND\n',
    "all infinities": 'PRODUCT_ID = "X"\nINSTRUMENT_ID = CTX\nSTART_TIME = 2004-04-07\nSOLAR_LONGITUDE = inf\nMAP_SCALE = nan <KM/PIXEL>\n'
    "MAXIMUM_LATITUDE = 1e400\nMINIMUM_LATITUDE = -1e400\nWESTERNMOST_LONGITUDE = nan\nEASTERNMOST_LONGITUDE = 5\nINCIDENCE_ANGLE = -inf\nEND\n",
    "out of range": 'PRODUCT_ID = "X"\nINSTRUMENT_ID = CTX\nSTART_TIME = 2004-04-07\nMAXIMUM_LATITUDE = 91\nMINIMUM_LATITUDE = -95\n'
    "WESTERNMOST_LONGITUDE = 900\nEASTERNMOST_LONGITUDE = -900\nSOLAR_LONGITUDE = 400\nMAP_SCALE = 0\nEND\n",
    "year beyond the calendar": 'PRODUCT_ID = "X"\nINSTRUMENT_ID = CTX\nSTART_TIME = 9999-12-31T23:59:60\nSTOP_TIME = 0001-01-01\nEND\n',
    "huge integers": f'PRODUCT_ID = "X"\nINSTRUMENT_ID = CTX\nSTART_TIME = 2004-04-07\nORBIT_NUMBER = {"9" * 5000}\nLINES = {"9" * 400}\nEND\n',
}


@pytest.mark.parametrize("name", KEPT)
def test_inputs_that_once_failed(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.lbl").write_text(KEPT[name])
    (report,) = read_path(tmp_path)
    assert faults(report) == []


def test_pieces_add_up_and_a_piece_run_again_takes_its_own_place(tmp_path: Path) -> None:
    (tmp_path / "a.lbl").write_text("PDS_VERSION_ID = PDS3\nPRODUCT_ID = X\nINSTRUMENT_ID = CTX\nEND\n")
    record = tmp_path / "record.json"
    for seed, n in ((5, 6), (6, 4), (5, 3)):
        write_record(record, run(n, seed, seeds=seed_files(tmp_path / ".", 4000)[:1]))
    kept = json.loads(record.read_text())
    assert (kept["n"], kept["seeds"], len(kept["pieces"])) == (7, [5, 6], 2)
    assert kept["crashes"] == kept["slow"] == kept["not_finite_or_out_of_range"] == kept["faults"] == 0
    record.write_text("[]")
    with pytest.raises(UsageError, match="not a record"):
        write_record(record, kept["pieces"][0])
