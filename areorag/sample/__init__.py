"""The sample archive: label files in their true formats over five regions of Mars, and findings with citations.

Written by ``tools/make_sample.py`` and ``tools/make_findings.py``; what is exact and what is rounded is said there and
in ``README.md`` beside this file.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path

QUESTION = "What minerals are in the clay-bearing unit of the western Jezero delta, and do orbit and rover agree?"


def archive_path() -> Path:
    """Folder of the sample labels, inside the installed package."""
    return Path(str(resources.files(__package__) / "archive"))
