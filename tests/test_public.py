"""What is public is exported, documented and mirrored; every command stands in the documentation."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import areorag
from areorag import errors

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("name", [n for n in areorag.__all__ if not n.startswith("__")])
def test_every_exported_name_is_there_and_documented(name: str) -> None:
    assert inspect.getdoc(getattr(areorag, name))


def test_unknown_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        _ = areorag.nonsense


def test_async_mirror_has_every_method() -> None:
    def public(cls: type) -> set[str]:
        return {n for n, f in vars(cls).items() if not n.startswith("_") and callable(f)}

    missing = public(areorag.AreoRAG) - public(areorag.AsyncAreoRAG) - {"browser_url"}
    assert not missing


@pytest.mark.parametrize("cls", [areorag.AreoRAG, areorag.AsyncAreoRAG])
def test_every_public_method_is_documented(cls: type) -> None:
    silent = [n for n, f in vars(cls).items() if not n.startswith("_") and callable(f) and not inspect.getdoc(f)]
    assert silent == []


def test_all_errors_derive_from_one_and_are_drawn_in_the_tree() -> None:
    found = [c for _, c in inspect.getmembers(errors, inspect.isclass) if c.__module__ == errors.__name__]
    assert all(issubclass(c, areorag.AreoRAGError) for c in found)
    assert all(c.__name__ in (errors.__doc__ or "") for c in found)
    assert {c.exit_code for c in found} == {1, 2}


def test_no_module_prints() -> None:
    printing = [
        str(p.relative_to(ROOT))
        for p in (ROOT / "areorag").rglob("*.py")
        if re.search(r"^\s*print\(", p.read_text("utf-8"), re.M)
    ]
    assert printing == []


def test_links_between_documentation_pages_lead_somewhere() -> None:
    broken = []
    for page in [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md"]:
        targets = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", page.read_text("utf-8"))
        broken += [f"{page.name}: {t}" for t in targets if not (page.parent / t).exists()]
    assert broken == []
