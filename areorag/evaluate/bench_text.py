"""`areorag bench`, text part: passages a second from files to the graph, embedding included, and where the time goes.

The texts are generated (fixed seed): sentences of the field with names, amounts and instruments, no two passages alike.
"""

from __future__ import annotations

import os
import random
import tempfile
import time
from pathlib import Path
from typing import Any

SIZES = {"small": 400, "paper": 2_000, "million": 20_000}
_TARGETS = (
    "Windjana",
    "Stephen",
    "Quela",
    "Marimba",
    "Oudam",
    "Duluth",
    "Rockhall",
    "Kilmarie",
    "Glen Etive",
    "Nontron",
)
_MINERALS = (
    "hematite",
    "sanidine",
    "jarosite",
    "magnetite",
    "gypsum",
    "olivine",
    "plagioclase",
    "smectite",
    "cristobalite",
)
_INSTRUMENTS = ("ChemCam", "APXS", "CheMin", "MAHLI", "Mastcam")
_FORMS = (
    "The drill target {t} (sol {n}) contains {a} wt% {m} and minor {o}.",
    "{i} measured {m} at the target {t}, with {a} ± 0.{d} wt% in the {n}-th analysis.",
    "No {m} was detected by {i} at {t}, whereas {o} is abundant near Gale crater.",
    "Sol {n} observations of {t} suggest that {o} formed after {m} in diagenetic fluids of low salinity.",
    "The host rock of {t} is a laminated mudstone whose grain size was below the resolution of {i} on sol {n}.",
)


def write_texts(folder: Path, passages: int, words: int = 90, seed: int = 11) -> int:
    """Write files of about 20 passages of `words` words each; the number of files."""
    rng = random.Random(seed)
    files = 0
    for lo in range(0, passages, 20):
        blocks = []
        for _ in range(min(20, passages - lo)):
            block = ""
            while len(block.split()) < words:
                m, o = rng.sample(_MINERALS, 2)
                block += rng.choice(_FORMS).format(
                    t=rng.choice(_TARGETS),
                    m=m,
                    o=o,
                    i=rng.choice(_INSTRUMENTS),
                    n=rng.randint(1, 4000),
                    a=rng.randint(1, 60),
                    d=rng.randint(1, 9),
                )
                block += " "
            blocks.append(block.strip())
        (folder / f"t{files:05d}.txt").write_text("\n\n".join(blocks), "utf-8")
        files += 1
    return files


def run(scale: str = "small", home: Path | None = None) -> dict[str, Any]:
    """Measure.

    Returns
    -------
    ``{passages, passages_per_s, extract_per_s, embed_per_s, facts, claims, seconds, cpus, load}``; the load average tells
    what else the machine was doing.
    """
    from ..graph.connection import Database
    from ..ingest.text.facts import extract_facts
    from ..ingest.text.passages import split_passages
    from ..ingest.text.pipeline import ingest_text
    from ..ingest.text.readers import read_segments
    from ..llm.embed import get_passage_embedder
    from ..settings import load_settings

    with tempfile.TemporaryDirectory(prefix="areorag-") as name:
        folder, cache = Path(name) / "texts", Path(name) / "cache"
        folder.mkdir()
        write_texts(folder, SIZES.get(scale, SIZES["small"]))
        settings = load_settings(cache_dir=load_settings().cache_dir)
        embedder = get_passage_embedder(settings, cache=False)
        embedder.embed(["warm up"])
        texts: list[str] = []
        extract_s = 0.0
        for file in sorted(folder.iterdir())[:10]:
            for segment in read_segments(file):
                passages = split_passages(segment)
                begin = time.process_time()
                extract_facts(segment.text, passages, segment.document.id)
                extract_s += time.process_time() - begin
                texts += [p.text for p in passages]
        begin = time.perf_counter()
        embedder.embed(texts[:100])
        embed_s = (time.perf_counter() - begin) / max(1, len(texts[:100]))
        with Database.temporary(settings.model_copy(update={"cache_dir": cache})) as db:
            report = ingest_text(db, [folder], settings, embedder=embedder)
    return {
        "scale": scale,
        "passages": report.passages,
        "passages_per_s": round(report.passages / report.seconds, 1),
        "extract_per_s": round(len(texts) / extract_s, 1) if extract_s else None,
        "embed_per_s": round(1 / embed_s, 1) if embed_s else None,
        "facts": report.facts,
        "claims": report.claims,
        "seconds": report.seconds,
        "cpus": os.cpu_count(),
        "load": [round(x, 1) for x in os.getloadavg()],
    }
