"""Ada_insitu tables: Zhurong product tables and ChemCam oxide tables; rows become observations with claims.

Headers may be Chinese or English, the separator anything, the encoding UTF-8 or GB18030 (AreoRAG §III-B).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from .. import normalise as nz
from ..draft import Draft
from ..footprint import EAST_CENTRIC, spot
from ..names import fold, target
from ..readers.tables import read_delimited
from .base import Context, Result, Source, rejected
from .features import collect

ZHURONG_KEYWORDS: dict[str, tuple[str, ...]] = {
    "id": ("data_id", "product_id", "dataid", "file_name", "filename", "product", "产品编号", "数据编号", "产品标识", "文件名",
           "数据文件名", "产品名称", "数据名称"),
    "instrument": ("instrument", "payload", "instrument_name", "载荷", "载荷名称", "仪器", "仪器名称", "有效载荷"),
    "platform": ("platform", "spacecraft", "mission", "探测器", "平台", "任务"),
    "start": ("start_time", "start", "begin_time", "utc_start", "time", "acquisition_time", "起始时间", "开始时间",
              "采集开始时间",
              "探测开始时间", "成像时间", "拍摄时间", "采集时间", "时间"),
    "stop": ("stop_time", "end_time", "stop", "utc_stop", "结束时间", "终止时间", "采集结束时间", "探测结束时间"),
    "sol": ("sol", "mars_sol", "sol_number", "火星日", "火星日数", "着陆火星日"),
    "lmst": ("lmst", "local_time", "local_mean_solar_time", "地方时", "当地时间", "火星地方时"),
    "ls_label_deg": ("ls_deg", "ls", "solar_longitude", "太阳经度", "太阳黄经", "火星太阳黄经"),
    "position": ("longitude_deg_e", "latitude_deg_n", "longitude", "latitude", "lon", "lat", "经度", "纬度", "中心经度",
                 "中心纬度", "东经", "北纬"),
    "targets": ("target", "target_name", "目标", "探测目标", "目标名称"),
    "processing_level": ("level", "data_level", "processing_level", "级别", "数据级别", "产品级别"),
    "resolution_m": ("resolution_m", "resolution", "分辨率", "空间分辨率"),
    "text": ("description", "note", "remarks", "描述", "说明", "备注"),
}  # fmt: skip
_MARK = re.compile(r"zhurong|祝融|HX1-Ro|tianwen|天问|MarSCoDe|RoPeR|MSCam|NaTeCam|RoMAG|火星车|载荷|火星日", re.I)


def forms(name: str) -> list[str]:
    """Ways to read a column name: as it stands, without brackets, and each half of a bilingual one."""
    plain = name.strip().strip("\"'\ufeff").lower()
    bare = re.sub(r"[(（\[【].*?[)）\]】]", "", plain).strip()
    halves = [h for h in re.split(r"[/|\s]+(?=[\u4e00-\u9fff])|(?<=[\u4e00-\u9fff])[/|\s]*(?=[a-z])|/", bare) if h]
    inside = re.findall(r"[(（\[【](.*?)[)）\]】]", plain)
    out = [re.sub(r"[\s\-.]+", "_", w).strip("_") for w in (plain, bare, *halves, *inside)]
    return list(dict.fromkeys(w for w in out if w))


def columns_of(names: Iterable[str]) -> dict[str, str]:
    """Column name by every form it can be read in (the first column wins)."""
    out: dict[str, str] = {}
    for name in names:
        for form in forms(name):
            out.setdefault(form, name)
    return out


class Zhurong:
    """Tables of Zhurong products: one product a row."""

    name = "zhurong"
    title = "Zhurong product tables (CSV, TSV; Chinese or English headers)"
    keywords: Mapping[str, tuple[str, ...]] = ZHURONG_KEYWORDS

    def accepts(self, source: Source) -> bool:
        """Columns for a product or instrument and a time or sol, and words of the mission."""
        if source.kind not in ("delimited", "text"):
            return False
        text = source.text(1 << 16)
        first = next((line for line in text.splitlines() if line.strip() and not line.startswith("#")), "")
        columns = columns_of(re.split(r"[,\t;|，]", first))
        known = {k for k in ("id", "instrument", "start", "sol") if any(x in columns for x in ZHURONG_KEYWORDS[k])}
        return bool(known & {"id", "instrument"}) and len(known) >= 2 and bool(_MARK.search(text + source.name))

    def read(self, source: Source, context: Context) -> Result:
        """An observation for each row."""
        lines = [line for line in source.text().splitlines() if not line.startswith("#")]
        rows = list(read_delimited("\n".join(lines).replace("，", ",")))
        if not rows:
            raise rejected("table of Zhurong products without rows")
        columns = columns_of(rows[0])
        drafts = [self._draft(row, columns, source, i) for i, row in enumerate(rows, 1)]
        return collect(drafts, source, context)

    @staticmethod
    def _draft(row: Mapping[str, str], columns: Mapping[str, str], source: Source, number: int) -> Draft:
        def get(key: str) -> Any:
            for name in ZHURONG_KEYWORDS[key]:
                word = row.get(columns.get(name, ""))
                if word and not nz.is_null_word(word):
                    return word
            return None

        identifier = nz.identifier(get("id"))
        bare = re.sub(r"\.(?:2[ABCL]+|xml|\w{2,5}L)$", "", identifier) if identifier else f"{source.stem}#{number}"
        draft = Draft(bare, "insitu")
        if identifier is None:
            draft.problems.append(f"row {number} names no product")
        orbiter = re.match(r"HX1-Or", draft.id, re.I) is not None
        draft.platform_names = ["Tianwen-1"] if orbiter else ["Zhurong"]
        draft.kind = "orbital" if orbiter else "insitu"
        draft.instrument_names = [nz.text(get("instrument")), _instrument_in(draft.id)]
        draft.institution_names = ["CNSA"]
        draft.start, draft.stop = nz.time_utc(_iso(get("start"))), nz.time_utc(_iso(get("stop")))
        draft.sol = nz.integer(get("sol"), 0, 100_000)
        draft.lmst = nz.local_time(get("lmst"))[1]
        draft.ls_label_deg = nz.solar_longitude(get("ls_label_deg"))
        draft.body = "Mars"
        named = nz.text(get("targets"))
        draft.targets = [target(named)] if named and named not in ("火星", "Mars") else ["Mars"]
        draft.level = _level(nz.text(get("processing_level")))
        draft.resolution_m = nz.number(get("resolution_m"), 1e-6, 1e6)
        draft.rationale = nz.text(get("text"), 400)
        names = ZHURONG_KEYWORDS["position"]
        for lon_name, lat_name in zip(names[::2], names[1::2], strict=True):
            lon = nz.longitude(row.get(columns.get(lon_name, "")))
            lat = nz.latitude(row.get(columns.get(lat_name, "")))
            if lon is not None and lat is not None:
                draft.place = spot(lon, lat, EAST_CENTRIC, "coordinates in the table")
                break
        return draft


def _iso(value: Any) -> Any:
    """``2021/07/11 10:13:08`` and ``20210711101308`` as ISO."""
    if not isinstance(value, str):
        return value
    word = value.strip().replace("/", "-").replace("年", "-").replace("月", "-").replace("日", "")
    digits = re.fullmatch(r"(\d{4})(\d{2})(\d{2})(?:[T_ ]?(\d{2})(\d{2})(\d{2}))?", word)
    if digits:
        year, month, day, hour, minute, second = digits.groups()
        return f"{year}-{month}-{day}" + (f"T{hour}:{minute}:{second}" if hour else "")
    match = re.fullmatch(r"(\d{4})-(\d{1,2})-(\d{1,2})(.*)", word)
    return f"{match[1]}-{int(match[2]):02d}-{int(match[3]):02d}{match[4]}" if match else word


def _instrument_in(product_id: str) -> str | None:
    match = re.search(r"(MSCAM|NaTeCam\w?|MarSCoDe|RoPeR|RoSPR|RoMAG|MCS)", product_id, re.I)
    return match.group(1) if match else None


def _level(word: str | None) -> str | None:
    if word is None:
        return None
    match = re.fullmatch(r"(?:level\s*)?(\d)([A-Z]?)", word.strip(), re.I)
    if not match:
        return word
    return (
        f"level {word.strip().upper().removeprefix('LEVEL').strip()} (calibrated)"
        if int(match.group(1)) >= 2
        else f"level {word} (raw)"
    )


def header_of(source: Source) -> set[str]:
    """Folded column names of a delimited file's first line."""
    first = next((line for line in source.text(1 << 16).splitlines() if line.strip()), "")
    return {fold(c) for c in re.split(r"[,\t;|]", first)}
