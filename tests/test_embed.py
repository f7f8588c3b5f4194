"""The default embedder and its cache."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from areorag.errors import ModelError, SettingsError
from areorag.llm import minilm_int8
from areorag.llm.embed import CachedEmbedder, VectorCache, get_embedder, get_passage_embedder
from areorag.llm.minilm import MiniLM8
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


FIELD = [
    "Windjana contains sanidine, magnetite and olivine; CheMin gives 16 wt% sanidine.",
    "The eastern scarp of the mesa exposes six layers, each two to four metres thick, of light-toned rock.",
    "Surface pressure fell by 30 % in southern winter as carbon dioxide froze out on the pole.",
    "A general practitioner should measure blood pressure in both arms at the first visit.",
]


@pytest.fixture(scope="module")
def passages() -> CachedEmbedder:
    return get_passage_embedder(load_settings(), cache=False)


def test_passages_in_eight_bits_lie_where_32_bits_put_them(minilm: CachedEmbedder, passages: CachedEmbedder) -> None:
    assert passages.name != minilm.name
    cosine = (passages.embed(FIELD) * minilm.embed(FIELD)).sum(axis=1)
    assert cosine.min() > 0.99
    assert passages.embed([]).shape == (0, 384)


def test_a_passage_in_eight_bits_does_not_depend_on_its_neighbours(passages: CachedEmbedder) -> None:
    together = passages.embed(FIELD)
    for row, text in enumerate(FIELD):
        np.testing.assert_array_equal(passages.embed([text])[0], together[row])


def test_float32_can_be_had_for_passages(minilm: CachedEmbedder) -> None:
    exact = get_passage_embedder(load_settings(embedder="minilm:float32"), cache=False)
    assert exact.name == minilm.name


def test_a_processor_that_rounds_otherwise_gets_float32(
    monkeypatch: pytest.MonkeyPatch, minilm: CachedEmbedder, caplog: pytest.LogCaptureFixture
) -> None:
    def unlike(self: MiniLM8, cache_dir: Path, threads: int = 0) -> None:
        raise minilm_int8.UnlikeFloatError("8-bit embeddings are off on this processor (cosine 0.4)")

    monkeypatch.setattr(MiniLM8, "__init__", unlike)
    assert get_passage_embedder(load_settings(), cache=False).name == minilm.name
    assert "cosine 0.4" in caplog.text


def test_smoothing_moves_large_activations_into_the_weights_and_changes_no_product() -> None:
    rng = np.random.default_rng(3)
    x, w = rng.normal(size=(50, 8)), {"w": rng.normal(size=(8, 5))}
    x[:, 2] *= 40.0
    factors = minilm_int8.smoothing(w, {"w": "x"}, {"x": np.abs(x).max(axis=0)})["x"]
    np.testing.assert_allclose((x / factors) @ (w["w"] * factors[:, None]), x @ w["w"], rtol=1e-6)
    before, after = np.abs(x).max(axis=0), np.abs(x / factors).max(axis=0)
    assert after.max() / np.median(after) < 0.3 * before.max() / np.median(before)
