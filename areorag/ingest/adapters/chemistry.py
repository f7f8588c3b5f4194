"""ChemCam oxide tables (MMGIS): each spectrum is an observation that claims oxide abundances (AreoRAG §III-B).

The time comes from the spacecraft clock in the file name: MSL's clock counts seconds from 2000-01-01T11:58:55.816 UTC
(without leap seconds) and drifts; the pairs of labels below fix it to within a minute.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from ...graph.model import Claim
from .. import normalise as nz
from ..draft import Draft, band
from ..names import fold
from ..readers.tables import read_delimited
from .base import Context, Result, Source, rejected
from .features import collect
from .rover3 import is_calibration_target
from .tables import header_of

OXIDES = ("SiO2", "TiO2", "Al2O3", "FeOT", "MgO", "CaO", "Na2O", "K2O")
CHEMISTRY_KEYWORDS: dict[str, tuple[str, ...]] = {
    "id": ("File_name", "File"),
    "start": ("sclk", "spacecraft clock in File_name"),
    "targets": ("Target_plan", "Target"),
    "claims": OXIDES,
    "claims.uncertainty": ("*_RMSEP", "* RMSEP"),
    "quality_flags": ("Sum_of_Oxides", "Total"),
}
_CLOCK_PAIRS = (
    (399_620_372.0, "2012-08-30T17:42:02.671"), (451_559_349.0, "2014-04-23T21:19:45.497"),
    (540_767_866.0, "2017-02-19T09:42:22.452"), (598_492_579.0, "2018-12-19T12:30:00.252"),
)  # fmt: skip
_NAME = re.compile(r"(CL\d)_(\d{9})\w{3}_F(\d{3})(\d{4})", re.I)


def clock_time(sclk: float | None) -> datetime | None:
    """UTC of an MSL spacecraft clock count, interpolated between label pairs, or None outside the mission."""
    if sclk is None or not 3.97e8 < sclk < 1.5e9:
        return None
    pairs = [(c, datetime.fromisoformat(t).replace(tzinfo=UTC)) for c, t in _CLOCK_PAIRS]
    index = max(0, min(len(pairs) - 2, sum(1 for c, _ in pairs if c <= sclk) - 1))
    (c0, t0), (c1, t1) = pairs[index], pairs[index + 1]
    rate = (t1 - t0).total_seconds() / (c1 - c0)
    return t0 + timedelta(seconds=(sclk - c0) * rate)


class ChemCamOxides:
    """ChemCam major-oxide tables: 400 µm spots, a few µm deep."""

    name = "chemcam-oxides"
    title = "ChemCam oxide tables (CSV, MMGIS)"
    keywords: Mapping[str, tuple[str, ...]] = CHEMISTRY_KEYWORDS

    def accepts(self, source: Source) -> bool:
        """Columns for a file, a target and silica."""
        if source.kind != "delimited":
            return False
        columns = header_of(source)
        return bool(columns & {"file name", "file"}) and bool(columns & {"target plan", "target"}) and "sio2" in columns

    def read(self, source: Source, context: Context) -> Result:
        """An observation for each row; a row cut off at the end of the file is left out and named."""
        drafts: list[Draft] = []
        cut = 0
        for row in read_delimited(source.text(), ","):
            draft = self._draft(row, context)
            if draft is None:
                cut += 1
                continue
            drafts.append(draft)
        if not drafts:
            raise rejected("oxide table without complete rows")
        shots: dict[str, int] = {}
        for draft in drafts:
            shots[draft.id] = shots.get(draft.id, 0) + 1
            if shots[draft.id] > 1:
                draft.id = f"{draft.id}#shot{shots[draft.id]}"
        result = collect(drafts, source, context)
        if cut:
            result.status = "partial"
            result.reason = f"{cut} row(s) without file name or oxides (the table is cut off)"
        return result

    def _draft(self, row: Mapping[str, str], context: Context) -> Draft | None:
        name = row.get("File_name") or row.get("File") or ""
        match = _NAME.search(name)
        silica = nz.number(row.get("SiO2"), 0.0, 150.0)
        if match is None or silica is None:
            return None
        draft = Draft(re.sub(r"\.SAV$", "", name, flags=re.I), "insitu")
        draft.platform_names, draft.instrument_names = ["MSL"], ["ChemCam"]
        draft.body = "Mars"
        draft.start = clock_time(nz.number(row.get("sclk")) or float(match.group(2)))
        if draft.start is not None:
            draft.warn("time from the spacecraft clock, good to a minute")
        named = nz.text(row.get("Target_plan") or row.get("Target"))
        draft.targets = [named.replace("_", " ")] if named else ["Mars"]
        draft.band = band("LIBS", None, None, 240.0, 850.0)
        draft.level = "derived (major oxides)"
        draft.meta["site"], draft.meta["drive"] = int(match.group(3)), int(match.group(4))
        if named and is_calibration_target(named):
            draft.quality_flags.append("calibration target")
        total = nz.number(row.get("Sum_of_Oxides") or row.get("Total"))
        if total is not None and not 80.0 <= total <= 115.0:
            draft.quality_flags.append(f"oxide sum {total:g} %")
        draft.claims = self._claims(draft.id, named or "target", row)
        self._place(draft, context)
        return draft

    @staticmethod
    def _place(draft: Draft, context: Context) -> None:
        from .rover3 import place_rover

        place_rover(draft, context, draft.meta.get("site"), draft.meta.get("drive"))

    @staticmethod
    def _claims(identifier: str, subject: str, row: Mapping[str, str]) -> list[Claim]:
        out = []
        for oxide in OXIDES:
            amount = nz.number(row.get(oxide), 0.0, 150.0)
            if amount is None:
                continue
            error = nz.number(row.get(f"{oxide}_RMSEP") or row.get(f"{oxide} RMSEP"), 0.0, 100.0) or 0.0
            words = f"ChemCam finds {amount:g} ± {error:g} wt% {oxide} in {subject.replace('_', ' ')}"
            out.append(
                Claim(
                    id=f"{identifier}/{oxide}",
                    subject=subject.replace("_", " "),
                    property=f"{oxide} abundance",
                    value=f"{amount:g} wt%",
                    low=max(0.0, amount - error),
                    high=amount + error,
                    unit="wt%",
                    text=words,
                )
            )
        return out


def is_chemistry(columns: set[str]) -> bool:
    """Whether folded column names hold oxides."""
    return len(columns & {fold(o) for o in OXIDES}) >= 3
