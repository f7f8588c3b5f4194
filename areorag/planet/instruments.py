"""The instrument registry: what each real instrument can and cannot see (AreoRAG §III-D, Ω and M of Eq. 17).

Facts live in ``data/instruments.json`` (one instrument a line, each with its citation). A user adds or
overrides instruments with a JSON file of the same shape: ``load_registry(Path("mine.json"))`` or the environment
variable ``AREORAG_INSTRUMENTS``.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from ..errors import SettingsError

InstrumentKind = Literal["orbital", "insitu"]
ENVIRONMENT = "AREORAG_INSTRUMENTS"

_REQUIRED = ("name", "platforms", "institution", "kind", "technique", "resolution_m", "authority", "citation")


@dataclass(frozen=True)
class InstrumentSpec:
    """One instrument's facts.

    ``resolution_m`` is (finest, coarsest) sampling or footprint, metres; ``band_nm`` the spectral range,
    nanometres, or None where the word has no meaning; ``penetration_depth_m`` the characteristic sensing depth,
    metres, or None for an instrument that looks at air or the deep interior; ``target`` is surface, subsurface,
    atmosphere or interior.
    """

    name: str
    aliases: tuple[str, ...]
    platforms: tuple[str, ...]
    institution: str
    kind: InstrumentKind
    technique: str
    resolution_m: tuple[float, float]
    band_nm: tuple[float, float] | None
    penetration_depth_m: float | None
    target: str
    senses: tuple[str, ...]
    geometry: str
    calibration: str
    authority: float
    citation: str
    extra: Mapping[str, Any] = field(default_factory=dict)

    @property
    def platform(self) -> str:
        """The first platform it flew on."""
        return self.platforms[0]

    def sees(self, wavelength_nm: float) -> bool:
        """True when the wavelength, nanometres, lies in the spectral range."""
        return self.band_nm is not None and self.band_nm[0] <= wavelength_nm <= self.band_nm[1]


def _key(name: str) -> str:
    return re.sub(r"[^a-z0-9³]+", "", name.casefold().replace("ö", "oe").replace("³", "3"))


def _pair(value: Any, what: str, name: str) -> tuple[float, float]:
    try:
        low, high = (float(v) for v in value)
    except (TypeError, ValueError):
        raise SettingsError(f"instrument {name}: {what} must be two numbers, got {value!r}") from None
    if not (math.isfinite(low) and math.isfinite(high) and 0 < low <= high):
        raise SettingsError(f"instrument {name}: {what} must be 0 < low <= high, got {value!r}")
    return low, high


def validate(row: Mapping[str, Any]) -> InstrumentSpec:
    """Check one record of the data file and build its spec.

    Raises
    ------
    SettingsError
        A field is missing or outside its domain; the message names instrument and field.
    """
    name = str(row.get("name") or "?")
    missing = [key for key in _REQUIRED if row.get(key) in (None, "", [])]
    if missing:
        raise SettingsError(f"instrument {name}: {', '.join(missing)} missing")
    if row["kind"] not in ("orbital", "insitu"):
        raise SettingsError(f"instrument {name}: kind must be orbital or insitu, got {row['kind']!r}")
    authority = float(row["authority"])
    if not 0 <= authority <= 1:
        raise SettingsError(f"instrument {name}: authority must be in [0, 1], got {authority}")
    depth = row.get("penetration_depth_m")
    if depth is not None and not (math.isfinite(float(depth)) and float(depth) >= 0):
        raise SettingsError(f"instrument {name}: penetration_depth_m must be >= 0, got {depth!r}")
    known = {*InstrumentSpec.__dataclass_fields__}
    return InstrumentSpec(
        name=name,
        aliases=tuple(str(a) for a in row.get("aliases", ())),
        platforms=tuple(str(p) for p in row["platforms"]),
        institution=str(row["institution"]),
        kind=row["kind"],
        technique=str(row["technique"]),
        resolution_m=_pair(row["resolution_m"], "resolution_m", name),
        band_nm=None if row.get("band_nm") is None else _pair(row["band_nm"], "band_nm", name),
        penetration_depth_m=None if depth is None else float(depth),
        target=str(row.get("target", "surface")),
        senses=tuple(str(s) for s in row.get("senses", ())),
        geometry=str(row.get("geometry", "")),
        calibration=str(row.get("calibration", "")),
        authority=authority,
        citation=str(row["citation"]),
        extra={k: v for k, v in row.items() if k not in known},
    )


class InstrumentRegistry:
    """Instruments by name and alias, case and punctuation ignored; later records override earlier ones."""

    def __init__(self, specs: Iterable[InstrumentSpec]) -> None:
        self._specs: dict[str, InstrumentSpec] = {}
        self._index: dict[str, str] = {}
        for spec in specs:
            self._specs[spec.name] = spec
        for spec in self._specs.values():  # a name beats any alias
            for alias in spec.aliases:
                self._index.setdefault(_key(alias), spec.name)
        for spec in self._specs.values():
            self._index[_key(spec.name)] = spec.name

    def __len__(self) -> int:
        return len(self._specs)

    def all(self) -> list[InstrumentSpec]:
        """All specs in the order of the data file."""
        return list(self._specs.values())

    def get(self, name: str | None, platform: str | None = None) -> InstrumentSpec | None:
        """The spec for a name, an alias, or "alias (detail)" / "detail alias"; None when unknown.

        `platform` decides between namesakes (the camera VIS of Viking is not VIS of THEMIS).
        """
        if not name or not _key(name):
            return None
        if platform:
            wanted = _key(platform)
            for spec in self._specs.values():
                names = (spec.name, *spec.aliases)
                if any(_key(p) == wanted for p in spec.platforms) and any(_key(n) == _key(name) for n in names):
                    return spec
        for candidate in self._variants(name):
            hit = self._index.get(_key(candidate))
            if hit is not None:
                return self._specs[hit]
        return None

    @staticmethod
    def _variants(name: str) -> Iterable[str]:
        yield name
        bare = re.sub(r"\(.*?\)", " ", name)
        yield bare
        yield from re.findall(r"\((.*?)\)", name)
        words = re.split(r"[\s,;]+", bare.strip())
        for size in range(len(words) - 1, 0, -1):
            yield " ".join(words[:size])
            yield " ".join(words[-size:])
        yield from re.split(r"[/_]", bare)


def _rows(text: str, where: str) -> list[dict[str, Any]]:
    try:
        rows = json.loads(text)["instruments"]
    except (json.JSONDecodeError, KeyError, TypeError) as exc:
        raise SettingsError(f"{where} is no instrument file ({exc}): expected {{'instruments': [...]}}") from None
    if not isinstance(rows, list):
        raise SettingsError(f"{where}: 'instruments' must be a list")
    return rows


def load_registry(*extra: Path) -> InstrumentRegistry:
    """The shipped registry, with the records of `extra` files added or replacing those of the same name.

    Raises
    ------
    SettingsError
        A file cannot be read, or a record is invalid.
    """
    shipped = resources.files(__package__).joinpath("data", "instruments.json").read_text("utf-8")
    rows = _rows(shipped, "instruments.json")
    for path in extra:
        try:
            rows += _rows(path.read_text("utf-8"), str(path))
        except OSError as exc:
            raise SettingsError(f"instrument file {path} cannot be read: {exc.strerror}") from None
    return InstrumentRegistry(validate(row) for row in rows)


@lru_cache(maxsize=4)
def _registry(extra: str) -> InstrumentRegistry:
    return load_registry(*(Path(p) for p in extra.split(os.pathsep) if p))


def registry() -> InstrumentRegistry:
    """The registry in force: shipped records and those of ``AREORAG_INSTRUMENTS`` (``os.pathsep`` between)."""
    return _registry(os.environ.get(ENVIRONMENT, ""))


def all_instruments() -> list[InstrumentSpec]:
    """Every instrument known.

    >>> len(all_instruments()) >= 45
    True
    """
    return registry().all()


def get_instrument(name: str | None, platform: str | None = None) -> InstrumentSpec | None:
    """Look an instrument up by name or alias; None when unknown.

    >>> get_instrument("hirise").resolution_m
    (0.25, 1.0)
    """
    return registry().get(name, platform)
