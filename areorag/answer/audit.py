"""The audit page: one self-contained HTML file with the whole chain of an answer, map first.

Nothing is loaded from outside, no script runs: ``default-src 'none'`` plus the hash of the one style sheet. All text is
autoescaped; what a source says can never become markup.
"""

from __future__ import annotations

import base64
import hashlib
import os
import tempfile
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..planet.units import length as metres
from . import map as footprint_map
from .model import Answer


def _environment() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    env = Environment(
        loader=PackageLoader("areorag.answer", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters["metres"] = metres
    return env


def page(answer: Answer, body: str = "Mars") -> str:
    """The page as HTML text."""
    from markupsafe import Markup

    env = _environment()
    css = env.loader.get_source(env, "audit.css")[0]
    digest = base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()
    look = footprint_map.styles(answer)
    drawing = answer.trace.reasoning.get("svg", "") if answer.trace.reasoning else ""
    return str(
        env.get_template("audit.html.j2").render(
            answer=answer,
            trace=answer.trace,
            css=Markup(css),  # ours, from the package; nothing of it comes from a source
            csp=f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'",
            map=Markup(footprint_map.svg(answer, body)),  # built by us, every text in it escaped
            reasoning_svg=Markup(drawing) if drawing.startswith("<svg") else "",
            look=look,
            sources={s.n: s for s in answer.sources},
            score_names=list(dict.fromkeys(n for s in answer.sources for n in s.scores)),
        )
    )


def write_page(answer: Answer, path: Path, body: str = "Mars") -> Path:
    """Write the page to `path`, whole or not at all.

    Raises
    ------
    UsageError
        `path` is a folder, or its folder cannot be made.
    """
    if path.is_dir():
        raise UsageError(f"{path} is a folder: give a file name to --html")
    text = page(answer, body)
    try:
        if path.exists() and not path.is_file():  # a device or a pipe is written to, not replaced
            path.write_text(text, "utf-8")
            return path
        path.parent.mkdir(parents=True, exist_ok=True)
        fd, temporary = tempfile.mkstemp(dir=path.parent, suffix=".part")
        with os.fdopen(fd, "w", encoding="utf-8") as f:
            f.write(text)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except OSError as exc:
        raise UsageError(f"cannot write {path}: {exc.strerror}") from None
    return path
