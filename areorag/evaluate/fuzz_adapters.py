"""A mutation fuzzer over labels: whatever is done to a file, a report comes out (issue "Ingest", Shown by).

Every seed file is damaged at random (bytes, lines, numbers, keywords, splices of two files) and read; what is looked for:
an exception, a read longer than the limit, NaN or infinity, a coordinate out of range, a record that is no JSON.
"""

from __future__ import annotations

import json
import math
import random
import re
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..graph.model import FileReport

MAX_SEED_BYTES = 70_000
_VALUE_FAULT = re.compile(r" is (?:nan|-?inf)|out of range|not JSON|L_s ")
_NUMBER = re.compile(rb"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?")
_WEIRD = (
    b"nan", b"inf", b"-1e400", b"1e400", b"NULL", b'""', b"-9.99e+31 <deg>", b"999999999999999999999", b"-91.0", b"361",
    b"720.5", b"{}", b"()", b"<", b">", b"=", b"\x00", b"\xff\xfe", b"\xb0", b"2009-13-45T99:99:99", b"9999-12-31T23:59:60",
    b"0001-01-01", b"END\n", b"END_OBJECT\n", b"OBJECT = X\n", b"&xxe;", b"<!DOCTYPE a>", b"]]>", b"}", b"[", b"\"", b"'",
    b"16#zz#",
    b"/*", b"*/", b"-\n", "经度".encode(), b"1e-320", b"UNK", b"true", b"\\", b"../../../../etc/passwd", b"/dev/zero",
)  # fmt: skip


def mutate(data: bytes, other: bytes, rng: random.Random) -> bytes:
    """One damaged copy of `data`: one to four of ten kinds of damage."""
    out = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 3, 4))):
        kind = rng.randrange(10)
        at = rng.randrange(len(out) + 1)
        if kind == 0 and out:
            out[at % len(out)] = rng.randrange(256)
        elif kind == 1:
            del out[at : at + rng.choice((1, 2, 8, 64, 512))]
        elif kind == 2:
            out[at:at] = rng.choice(_WEIRD)
        elif kind == 3:
            del out[at:]
        elif kind == 4:
            numbers = list(_NUMBER.finditer(out[at : at + 4000]))
            if numbers:
                hit = rng.choice(numbers)
                out[at + hit.start() : at + hit.end()] = rng.choice(_WEIRD)
        elif kind == 5:
            piece = bytes(out[at : at + rng.choice((4, 40, 400))])
            out[at:at] = piece * rng.choice((1, 2, 20))
        elif kind == 6 and other:
            start = rng.randrange(len(other))
            out[at:at] = other[start : start + rng.choice((10, 200, 2000))]
        elif kind == 7:
            lines = bytes(out).split(b"\n")
            i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
            lines[i], lines[j] = lines[j], lines[i]
            out = bytearray(b"\n".join(lines))
        elif kind == 8:
            lines = bytes(out).split(b"\n")
            del lines[rng.randrange(len(lines))]
            out = bytearray(b"\n".join(lines))
        else:
            lines = bytes(out).split(b"\n")
            i = rng.randrange(len(lines))
            left, mark, _ = lines[i].partition(b"=")
            lines[i] = left + mark + b" " + rng.choice(_WEIRD)
            out = bytearray(b"\n".join(lines))
    return bytes(out)


def _numbers(value: Any, path: str = "") -> Iterator[tuple[str, float]]:
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return
    if isinstance(value, int | float):
        yield path, float(value)
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _numbers(inner, f"{path}.{key}")
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _numbers(inner, path)


def _pairs(value: Any) -> Iterator[list[float]]:
    if isinstance(value, list) and value and isinstance(value[0], int | float):
        yield value
    elif isinstance(value, list):
        for inner in value:
            yield from _pairs(inner)


def faults(report: FileReport) -> list[str]:
    """What is wrong with a report: each fault in words; an empty list when nothing is."""
    out: list[str] = []
    if report.reason and "could not be read (" in report.reason:
        out.append(f"exception: {report.reason}")
    if report.status == "rejected" and (report.observations or not report.reason):
        out.append("rejected with observations or without a reason")
    if report.status == "partial" and not report.reason:
        out.append("partial without a reason")
    for o in report.observations:
        dumped = o.model_dump(mode="json")
        try:
            json.dumps(dumped, allow_nan=False)
        except ValueError as exc:
            out.append(f"not JSON: {exc}")
        out += [f"{where} is {n}" for where, n in _numbers(dumped) if not math.isfinite(n)]
        geometries = [o.footprint] if o.footprint else []
        if o.footprint and o.footprint.get("type") == "GeometryCollection":
            geometries = o.footprint["geometries"]
        for geometry in geometries:
            for lon, lat, *_ in _pairs(geometry["coordinates"]):
                if not (-180.0 <= lon <= 180.0 and -90.0 <= lat <= 90.0):
                    out.append(f"coordinate ({lon}, {lat}) out of range")
        if o.ls_deg is not None and not 0.0 <= o.ls_deg < 360.0:
            out.append(f"L_s {o.ls_deg}")
        if not o.id or not o.text:
            out.append("observation without id or text")
    return out


def run(
    n: int = 300,
    seed: int = 0,
    *,
    seeds: list[Path] | None = None,
    limit_s: float = 5.0,
    keep: Path | None = None,
    progress: Callable[[str, int, int | None], None] | None = None,
) -> dict[str, Any]:
    """Read `n` damaged files; → ``{n, seed, seed_files, crashes, slow, not_finite_or_out_of_range, faults, status, max_s}``.

    Another seed is another piece: its mutations repeat none of this one's.

    Parameters
    ----------
    n, seed
        How many mutations; seed of the generator.
    seeds
        Files to damage; default the sample archive.
    limit_s
        CPU seconds a read may take.
    keep
        Folder in which inputs that failed are kept.
    progress
        Called with (what, done, of how many).
    """
    from importlib import resources

    from ..ingest.adapters.base import Context
    from ..ingest.adapters.reading import read_file

    rng = random.Random(f"{seed}")
    if seeds is None:
        with resources.as_file(resources.files("areorag.sample").joinpath("archive")) as root:
            seeds = [p for p in sorted(root.rglob("*")) if p.is_file()]
    corpus = [data for p in seeds if (data := p.read_bytes()[:MAX_SEED_BYTES])]
    names = [p.name for p in seeds if p.stat().st_size > 0]
    found: list[dict[str, str]] = []
    status: Counter[str] = Counter()
    slowest = 0.0
    slow = 0
    with tempfile.TemporaryDirectory(prefix="areorag-fuzz-") as name:
        folder = Path(name)
        for i in range(n):
            which = rng.randrange(len(corpus))
            data = mutate(corpus[which], rng.choice(corpus), rng)
            path = folder / f"{i % 8}_{names[which]}"
            path.write_bytes(data)
            start = time.process_time()
            report, _ = read_file(path, Context(folder))
            seconds = time.process_time() - start
            slowest = max(slowest, seconds)
            status[report.status] += 1
            wrong = faults(report)
            if seconds > limit_s:
                slow += 1
                wrong.append(f"took {seconds:.1f} s")
            if wrong:
                found.append({"seed_file": names[which], "number": str(i), "fault": "; ".join(wrong[:3])[:400]})
                if keep is not None:
                    keep.mkdir(parents=True, exist_ok=True)
                    (keep / f"{seed}_{i}_{names[which]}").write_bytes(data)
            path.unlink()
            if progress is not None and i % 20 == 19:
                progress("damaging and reading", i + 1, n)
    return {
        "n": n, "seed": seed, "seed_files": len(corpus),
        "crashes": sum("exception: " in f["fault"] for f in found), "slow": slow,
        "not_finite_or_out_of_range": sum(bool(_VALUE_FAULT.search(f["fault"])) for f in found),
        "faults": found, "status": dict(status), "max_s": round(slowest, 3),
    }  # fmt: skip


def add_piece(record: dict[str, Any], piece: dict[str, Any]) -> dict[str, Any]:
    """A record of pieces with one more: totals, and each piece by its seed (run again, it takes the place of the old)."""
    pieces = {int(p["seed"]): p for p in record.get("pieces", [])} | {int(piece["seed"]): piece}
    listed = [pieces[k] for k in sorted(pieces)]
    totals = ("n", "crashes", "slow", "not_finite_or_out_of_range")
    return {
        **{key: sum(p[key] for p in listed) for key in totals},
        "faults": sum(len(p["faults"]) for p in listed),
        "max_s": max(p["max_s"] for p in listed),
        "seeds": sorted(pieces),
        "pieces": listed,
    }


def write_record(path: Path, piece: dict[str, Any]) -> None:
    """Add a piece to the JSON file of pieces at `path`.

    Raises
    ------
    UsageError
        The file is there and is no record of pieces.
    """
    try:
        record = json.loads(path.read_text("utf-8")) if path.exists() else {}
        text = json.dumps(add_piece(record, piece), indent=1, ensure_ascii=False)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise UsageError(f"{path} is not a record of fuzz pieces") from None
    path.write_text(text + "\n", "utf-8")


def seed_files(directory: Path, longest: int) -> list[Path]:
    """Files below a folder that are worth damaging: not empty, not longer than `longest` bytes (at 70,000: any)."""
    files = [p for p in sorted(directory.rglob("*")) if p.is_file() and p.stat().st_size]
    chosen = [p for p in files if longest >= MAX_SEED_BYTES or p.stat().st_size <= longest]
    if not chosen:
        raise UsageError(f"no file of at most {longest} bytes in {directory}")
    return chosen
