"""Settings: one pydantic model, filled from (strongest first) arguments, environment, ``areorag.toml``, defaults.

``AREORAG_<NAME>`` sets any field; ``NEO4J_URI``, ``NEO4J_USERNAME``, ``NEO4J_PASSWORD`` and ``NEO4J_DATABASE`` are
honoured as they are. Hyper-parameters default to those of the AreoRAG paper (§IV-A c).
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

import platformdirs
from pydantic import AliasChoices, Field, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from .errors import SettingsError

CONFIG_FILE = "areorag.toml"


def default_heap() -> str:
    """Heap of the managed server: an eighth of the machine's memory, from 512 MB to 2 GB.

    Too small a heap does not refuse a batch, it stops the server in the middle of one (53,000 observations fill 512 MB).
    """
    try:
        megabytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
    except (ValueError, OSError, AttributeError):
        megabytes = 4096
    return f"{min(2048, max(512, megabytes // 8 // 256 * 256))}m"


def _neo4j(name: str) -> AliasChoices:
    return AliasChoices(f"NEO4J_{name}", f"AREORAG_NEO4J_{name}", f"neo4j_{name}".lower())


class Settings(BaseSettings):
    """Everything that can be set. Lengths in metres, angles in degrees, times in seconds unless the name says else."""

    model_config = SettingsConfigDict(
        env_prefix="AREORAG_", extra="ignore", populate_by_name=True, validate_assignment=True, frozen=False
    )

    # database
    neo4j_uri: str | None = Field(None, validation_alias=_neo4j("URI"))
    neo4j_username: str = Field("neo4j", validation_alias=_neo4j("USERNAME"))
    neo4j_password: SecretStr | None = Field(None, validation_alias=_neo4j("PASSWORD"))
    neo4j_database: str = Field("neo4j", validation_alias=_neo4j("DATABASE"))
    home: Path = Field(default_factory=lambda: Path(platformdirs.user_data_dir("areorag")) / "neo4j")
    cache_dir: Path = Field(default_factory=lambda: Path(platformdirs.user_cache_dir("areorag")))
    neo4j_version: Literal["2026.08.1", "5.26.30"] = "2026.08.1"
    bolt_port: int = Field(7687, ge=0, le=65535)
    http_port: int = Field(7474, ge=0, le=65535)
    heap: str = Field(default_factory=default_heap)
    page_cache: str = "256m"
    start_timeout_s: float = Field(180.0, gt=0)

    # body and frame
    body: str = "Mars"

    # HySH (AreoRAG §III-B)
    curvature: float = Field(-1.0, lt=0)
    embedding_dim: int = Field(3, ge=3, description="d of the closed-form Lorentz embedding (d + 1 stored floats)")
    spatial_share: float = Field(1.0, ge=0, le=1)
    ell_max_m: float | None = Field(None, gt=0, description="None: the body's equatorial radius")
    oem_power: float = Field(2.0, ge=0)
    projection_seed: int = 20260801
    max_cells: int = Field(64, ge=4)
    colocation_scale_ratio: float = Field(1e5, ge=1, description="resolutions further apart do not co-locate")
    colocation_gap_days: float | None = Field(None, ge=0, description="longest time between co-located; None: any")

    # retrieval (AreoRAG §III-C, Spatial-RAG, GeoRAG)
    k: int = Field(6, ge=1)
    lambda_spatial: float = Field(0.5, ge=0, le=1)
    tau0: float = Field(0.5, ge=0, le=1)
    tau_decay: float = Field(0.1, gt=0, le=1)
    min_triples: int = Field(12, ge=1)
    max_depth: int = Field(3, ge=1, le=6)
    pool: int = Field(200, ge=1)
    feedback: bool = True
    selector: str = "coverage"
    reranker: str | None = Field(None, description="cross-encoder of the rerank selector: st:<model>")

    # PICT (AreoRAG §III-D)
    epsilon: float = Field(0.3, gt=0)
    eta: float = Field(-0.5, lt=0)
    beta: float = Field(0.2, gt=0)
    beta_temp: float = Field(0.2, gt=0)
    tau_temp_deg: float = Field(180.0, gt=0)
    alpha: float = Field(0.5, ge=0, le=1)
    abstain_below: float = Field(0.45, ge=0, le=1)

    # ingest
    workers: int = Field(default_factory=lambda: max(1, min(8, os.cpu_count() or 1)), ge=1)
    batch_size: int = Field(2000, ge=1)
    file_timeout_s: float = Field(30.0, gt=0)
    text_schema: str = Field("planetary", description="schema of facts from texts: a shipped name or a JSON file")
    text_passage_words: int = Field(120, ge=20, le=1000)

    # models
    embedder: str = Field("minilm", description="minilm | openai:<model> | st:<model>")
    llm: str = Field("none", description="none | openai:<model> | local[:<gguf>] | langchain:<module:attribute>")
    llm_base_url: str | None = None
    llm_api_key: SecretStr | None = None
    llm_max_calls: int = Field(60, ge=0)
    llm_max_tokens: int = Field(60_000, ge=0)
    llm_timeout_s: float = Field(120.0, gt=0)
    llm_per_minute: int | None = Field(None, ge=1, description="most calls a minute; None: as fast as it answers")
    llm_price_in: float = Field(0.0, ge=0, description="price of a million prompt tokens, any currency")
    llm_price_out: float = Field(0.0, ge=0, description="price of a million answer tokens")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        path = Path(os.environ.get("AREORAG_CONFIG", CONFIG_FILE))
        return (init_settings, env_settings, TomlConfigSettingsSource(settings_cls, toml_file=path))

    def origins(self) -> dict[str, str]:
        """Where each field's value came from: ``argument``, ``environment``, the file's name, or ``default``."""
        import tomllib

        path = Path(os.environ.get("AREORAG_CONFIG", CONFIG_FILE))
        in_file: dict[str, Any] = tomllib.loads(path.read_text("utf-8")) if path.is_file() else {}
        out: dict[str, str] = {}
        for name in type(self).model_fields:
            env_names = {f"AREORAG_{name}".upper()} | ({name.upper()} if name.startswith("neo4j_") else set())
            if any(e in os.environ for e in env_names):
                out[name] = "environment"
            elif name in in_file:
                out[name] = str(path)
            elif name in self.model_fields_set:
                out[name] = "argument"
            else:
                out[name] = "default"
        return out


def load_settings(**overrides: Any) -> Settings:
    """Read the settings; `overrides` are arguments (strongest).

    Raises
    ------
    SettingsError
        A value is outside its domain, or ``areorag.toml`` is not TOML. The message never shows a secret's value.
    """
    try:
        return Settings(**overrides)
    except ValidationError as exc:
        first = exc.errors(include_input=False, include_url=False)[0]
        where = ".".join(str(p) for p in first["loc"]) or "settings"
        raise SettingsError(f"setting {where}: {first['msg']}. See  areorag settings") from None
    except ValueError as exc:
        raise SettingsError(f"{CONFIG_FILE} cannot be read: {exc}") from None
