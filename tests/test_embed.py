"""The default embedder and its cache."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from areorag.errors import ModelError, SettingsError
from areorag.llm.embed import CachedEmbedder, VectorCache, get_embedder
from areorag.settings import load_settings


@pytest.fixture(scope="module")
def minilm() -> CachedEmbedder:
    return get_embedder(load_settings(), cache=False)


def test_rows_are_unit_vectors_of_the_stated_size(minilm: CachedEmbedder) -> None:
    x = minilm.embed(["olivine in Jezero", "", "a much longer sentence about carbonate " * 40])
    assert x.shape == (3, 384)
    np.testing.assert_allclose(np.linalg.norm(x, axis=1), 1, atol=1e-5)


def test_meaning_orders_similarity(minilm: CachedEmbedder) -> None:
    q, near, far = minilm.embed(["clay minerals in the delta", "clays found in the river delta", "a football match"])
    assert q @ near > q @ far + 0.2


def test_a_text_embeds_alike_alone_and_in_a_batch(minilm: CachedEmbedder) -> None:
    texts = ["HiRISE image of a crater", "MOLA", "a long text about polar frost " * 20]
    np.testing.assert_allclose(minilm.embed(texts)[1], minilm.embed(["MOLA"])[0], atol=2e-6)


def test_cache_computes_each_text_once(tmp_path: Path) -> None:
    calls: list[list[str]] = []

    def encode(texts: list[str]) -> np.ndarray:
        calls.append(texts)
        return np.eye(3, dtype=np.float32)[: len(texts)]

    e = CachedEmbedder("toy", 3, encode, VectorCache(tmp_path / "v.sqlite"))
    first = e.embed(["a", "b", "a"])
    again = CachedEmbedder("toy", 3, encode, VectorCache(tmp_path / "v.sqlite")).embed(["b", "a"])
    assert calls == [["a", "b"]]
    np.testing.assert_array_equal(first[[1, 0]], again)


def test_non_finite_vectors_are_refused() -> None:
    e = CachedEmbedder("toy", 2, lambda t: np.full((len(t), 2), np.nan, np.float32), None)
    with pytest.raises(ModelError, match="non-finite"):
        e.embed(["x"])


def test_unknown_embedder_is_named() -> None:
    with pytest.raises(SettingsError, match="minilm, openai"):
        get_embedder(load_settings(embedder="word2vec"))
