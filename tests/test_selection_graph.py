"""The passage hypergraph, entity linking, expansion, and the evaluation on the shared questions."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import pytest

from areorag.errors import SelectionError, UnknownNameError, UsageError
from areorag.evaluate import selection as evaluation
from areorag.evaluate.selection_report import mcnemar
from areorag.retrieval import Candidate, Options, PassageIndex, select
from areorag.retrieval.selection.bm25 import BM25
from areorag.retrieval.selection.graph import ChainOptions, expand
from areorag.retrieval.selection.hypergraph import Hypergraph
from areorag.retrieval.selection.linking import Linker, aliases
from areorag.retrieval.selection.subqueries import own_parts, residual
from areorag.retrieval.selection.tokens import fold, grams, letters, phrases, stem

SHARED = Path(__file__).resolve().parents[1].parent / "shared" / "data" / "multihop"

CORPUS = [
    {"id": "film", "title": "Dust of Ares (film)", "text": "Dust of Ares is a 1961 film directed by Jan Novák and scored by Eva Lind."},
    {"id": "novak", "title": "Jan Novak", "text": "Jan Novák (1911 – 1980) was a director born in Tábor."},
    {"id": "lind", "title": "Eva Lind", "text": "Eva Lind was a composer of chamber music."},
    {"id": "tabor", "title": "Tábor", "text": "Tábor is a town in South Bohemia on the river Lužnice."},
    {"id": "mill", "title": "Old Mill", "text": "Old Mill is a mill on the Lužnice."},
    {"id": "noise1", "title": "Birth certificate", "text": "Where a person was born is stated in a birth certificate."},
    {"id": "noise2", "title": "Film director", "text": "A film director is a person who directs a film; where directors are born does not matter."},
    {"id": "noise3", "title": "Place of birth", "text": "The place where somebody was born is the place of birth."},
]  # fmt: skip


class WordEmbedder:
    """Bag of hashed stems: real vectors, no model."""

    def embed(self, texts):
        out = np.zeros((len(texts), 128), np.float32)
        for i, t in enumerate(texts):
            for w in fold(t).lower().replace(".", " ").replace("?", " ").split():
                out[i, sum(ord(c) * (j + 3) for j, c in enumerate(stem(w))) % 128] += 1
        return out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9)


@pytest.fixture(scope="module")
def index():
    return PassageIndex.build(CORPUS, WordEmbedder())


# ---------------------------------------------------------------- words and names


def test_stems_bring_forms_of_a_word_together():
    assert stem("director") == stem("directed") == stem("directing")
    assert stem("gas") == "gas"


def test_letters_are_blind_to_glue_accents_and_hyphens():
    assert letters("for the man- agement") == letters("forthemanagement")
    assert letters("Übergröße") == "ubergrosse"
    assert set(grams("forthemanagement")) >= set(grams("management"))
    assert grams("ab") == ["ab"]
    assert grams("?!") == []


def test_phrases_are_names_and_not_openings():
    text = "The film was shot in South Bohemia by Jan de Vries. Later it ran in Prague."
    assert [text[p.start : p.end] for p in phrases(text)] == ["South Bohemia", "Jan de Vries", "Prague"]


@pytest.mark.parametrize(
    ("title", "text", "name"),
    [
        ("Brother (Pearl Jam song)", "", "Brother"),
        ("Jacksonville, Florida", "", "Jacksonville"),
        ("Andre DeToth", "Endre Antal DeToth, better known as Andre DeToth, was a director.", "Endre Antal DeToth"),
        ("George Stevens", "George Cooper Stevens (born 1904) was a director.", "George Cooper Stevens"),
        ("James Charles Mathew", "", "James Mathew"),
        ("The More the Merrier", "", "More the Merrier"),
    ],
)
def test_an_item_is_known_by_its_other_names(title, text, name):
    assert letters(name) in aliases(title, text)


def test_the_longest_name_wins_and_a_common_word_is_no_name():
    linker = Linker(["Earl of Carlisle", "Edward Howard, 2nd Earl of Carlisle", "Will"], ["", "", ""])
    spans = linker.spans("Edward Howard, 2nd Earl of Carlisle will inherit.")
    assert [s.key for s in spans] == [letters("Edward Howard, 2nd Earl of Carlisle")]


def test_accents_and_spacing_do_not_hide_a_name():
    linker = Linker(["Andre DeToth"], [""])
    assert [li.target for li in linker.links("directed by André De Toth")] == [0]


def test_homonyms_are_all_linked():
    assert {li.target for li in Linker(["Red (film)", "Red (band)"], ["", ""]).links("seen in Red")} == {0, 1}


# ---------------------------------------------------------------- sub-queries


def test_own_parts_hold_names_clauses_and_each_side():
    parts = {p.text: p.kind for p in own_parts("Which film came first, Dust of Ares or Heinz in the Moon?")}
    assert parts["Dust of Ares"] == "name"
    assert any(kind == "rest" for kind in parts.values())
    assert any(kind == "side" and "Ares" in text and "Heinz" not in text for text, kind in parts.items())


def test_own_parts_of_odd_questions_are_bounded_and_never_empty():
    assert own_parts("ice")[0].text == "ice"
    assert own_parts("?") != []
    long = own_parts("Where is Gale, " * 2500, 20)
    assert 1 <= len(long) <= 20
    assert all(len(p.text.split()) <= 64 for p in long)


def test_the_residual_drops_the_names():
    q = "Who directed Dust of Ares?"
    assert residual(q, [(13, 25)]) == "Who directed ?"


# ---------------------------------------------------------------- BM25


def test_bm25_agrees_with_the_formula():
    docs = ["ice ice pole", "dust storm", "ice cap"]
    bm = BM25(docs, analyzer=str.split)
    n, n_t, f, size, mean = 3, 2, 2, 3, 7 / 3
    idf = np.log(1 + (n - n_t + 0.5) / (n_t + 0.5))
    expected = idf * f * 2.2 / (f + 1.2 * (1 - 0.75 + 0.75 * size / mean))
    assert bm.scores("ice")[0] == pytest.approx(expected)
    assert bm.scores("ice")[1] == 0
    assert bm.scores("unknown").tolist() == [0, 0, 0]
    assert bm.holds(bm.terms("ice dust")).tolist() == [[False, True], [True, False], [False, True]]


# ---------------------------------------------------------------- hypergraph


def test_relations_are_those_of_the_incidence(index):
    targets, strength = index.graph.relations(0)
    found = {CORPUS[t]["id"]: s for t, s in zip(targets, strength.tolist(), strict=True)}
    assert found["novak"][0] > 0, "the film names the director's passage"
    assert found["lind"][0] > 0
    back = dict(zip(*[x.tolist() for x in index.graph.relations(1)], strict=True))
    assert back[0][1] > 0, "seen from the director, the film names it"
    shared = dict(zip(*[x.tolist() for x in index.graph.relations(3)], strict=True))
    assert shared[4][2] > 0, "town and mill both bind the river"


def test_a_fact_of_k_entities_costs_k_incidences():
    graph = Hypergraph.from_bindings(
        [[("target", f"t{i}"), *(("mentions", f"e{i}-{j}") for j in range(7))] for i in range(50)]
    )
    assert graph.incidences() == 50 * 8


def test_observations_use_the_same_hypergraph():
    graph = Hypergraph.from_bindings(
        [
            [("target", "Jezero"), ("instrument", "CRISM")],
            [("target", "Gale"), ("instrument", "CRISM")],
            [("mentions", "jezero")],
        ]
    )
    targets, strength = graph.relations(0)
    assert targets.tolist() == [1, 2]
    assert strength[0, 2] > 0
    assert strength[1, 1] > 0


def test_an_entity_bound_by_a_crowd_relates_nothing():
    graph = Hypergraph.from_bindings([[("mentions", "Mars")] for _ in range(80)])
    assert graph.relations(0)[0].size == 0


# ---------------------------------------------------------------- expansion


def test_the_second_hop_is_reached_only_through_the_first(index):
    question = "Where was the director of Dust of Ares born?"
    top = select(question, index=index, selector="topk", k=2).ids
    assert "novak" not in top
    got = select(question, index=index, selector="graph", k=2)
    assert got.ids == ["film", "novak"]
    assert "named in the question: Dust of Ares (film)" in got.kept[0].covers
    assert got.kept[1].covers == ("next hop from Dust of Ares (film)",)
    assert any(d.kind == "hop" and d.covered_by == "novak" for d in got.demands)


def test_the_first_round_entities_become_demand_of_coverage(index):
    question = "Where was the director of Dust of Ares born?"
    run = lambda expand: select(question, index=index, k=2, options=Options(expand=expand)).ids  # noqa: E731
    assert run(True)[0] == "film"
    assert run(True)[1] in ("novak", "lind"), "what the film names, not what repeats the question's words"
    assert run(False)[1] == "noise3"


def test_without_rounds_expansion_is_the_first_round(index):
    v = WordEmbedder().embed(["ice"])[0]
    chain = expand(index, "ice", v, None, ChainOptions(rounds=0))
    np.testing.assert_array_equal(chain.score, chain.base)
    assert (chain.origin == -1).all()


def test_copies_of_a_passage_do_not_crowd_the_others_out():
    corpus = [*({**CORPUS[0], "id": f"copy{i}"} for i in range(6)), *CORPUS[1:]]
    index = PassageIndex.build(corpus, WordEmbedder())
    got = select("Where was the director of Dust of Ares born?", index=index, selector="graph", k=3).ids
    assert sum(i.startswith("copy") for i in got) == 1


def test_a_corpus_that_cannot_be_indexed_is_a_named_error():
    e = WordEmbedder()
    with pytest.raises(SelectionError, match="no passages"):
        PassageIndex.build([], e)
    with pytest.raises(SelectionError, match="repeats an id"):
        PassageIndex.build([{"id": 1, "text": "a"}, {"id": 1, "text": "b"}], e)
    with pytest.raises(SelectionError, match="no id"):
        PassageIndex.build([{"text": "a"}], e)
    with pytest.raises(SelectionError, match="candidates 'best'"):
        PassageIndex.build(CORPUS, e).pool("ice", how="best")


def test_a_question_vector_of_another_length_is_a_named_error(index):
    with pytest.raises(SelectionError, match="use one embedder"):
        select("ice", index=index, selector="graph", query_vector=np.ones(3))
    items = [Candidate("a", "ice", vector=np.ones(5)), Candidate("b", "dust", vector=np.ones(5))]
    with pytest.raises(SelectionError, match="use one embedder"):
        select("ice", items, selector="graph", embedder=WordEmbedder())
    assert len(select("ice", items, selector="graph", embedder=WordEmbedder(), query_vector=np.ones(5))) == 2


def test_passages_without_titles_or_text_are_indexed():
    index = PassageIndex.build(
        [{"id": "a", "text": "ice at the pole"}, {"id": "b"}, {"id": "c", "title": "Dust"}], WordEmbedder()
    )
    assert len(select("ice", index=index, selector="graph", k=3)) == 3


# ---------------------------------------------------------------- evaluation


def write(path, rows):
    path.write_text("\n".join(json.dumps(r) for r in rows), "utf-8")
    return path


def test_eval_selection_gives_the_contract_and_never_reads_gold(tmp_path):
    corpus = write(tmp_path / "c.jsonl", CORPUS)
    q = {"id": "q1", "question": "Where was the director of Dust of Ares born?"}
    right = write(tmp_path / "q.jsonl", [{**q, "gold": ["film", "novak"], "answer": "Tábor"}])
    wrong = write(tmp_path / "w.jsonl", [{**q, "gold": ["mill"], "answer": "none"}])
    bare = write(tmp_path / "b.jsonl", [q])
    run = lambda f: evaluation.run(corpus, f, "graph", 2, embedder=WordEmbedder())  # noqa: E731
    a, b, c = run(right), run(wrong), run(bare)
    assert {"n", "k", "recall", "all_gold", "seconds", "questions"} <= a.keys()
    assert (a["recall"], a["all_gold"]) == (100.0, 100.0)
    assert (b["recall"], b["all_gold"]) == (0.0, 0.0)
    assert (c["recall"], c["all_gold"]) == (None, None)
    assert a["questions"] == b["questions"] == c["questions"] == [{"id": "q1", "selected": ["film", "novak"]}]


def test_eval_selection_refuses_what_it_cannot_read(tmp_path):
    corpus = write(tmp_path / "c.jsonl", CORPUS)
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"id": 1, "question": "x"}\n{oops', "utf-8")
    with pytest.raises(UsageError, match="line 2 is not JSON"):
        evaluation.run(corpus, bad, embedder=WordEmbedder())
    with pytest.raises(UsageError, match="cannot be read"):
        evaluation.run(corpus, tmp_path / "absent", embedder=WordEmbedder())
    with pytest.raises(UsageError, match="has no question"):
        evaluation.run(corpus, write(tmp_path / "n.jsonl", [{"id": 1}]), embedder=WordEmbedder())
    with pytest.raises(UnknownNameError):
        evaluation.run(corpus, bad, "best", embedder=WordEmbedder())
    with pytest.raises(UnknownNameError):
        evaluation.ablated("everything")


def test_mcnemar_is_exact_on_the_discordant_pairs():
    assert mcnemar([True] * 10, [False] * 10) == pytest.approx(2 * 0.5**10)
    assert mcnemar([True, False], [True, False]) == 1.0
    assert mcnemar([True, False], [False, True]) == 1.0


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.parametrize(("name", "all_gold", "recall"), [("2wiki", 88.0, 95.0), ("musique", 50.0, 74.0)])
def test_graph_reaches_its_figures_on_the_shared_questions(name, all_gold, recall):
    corpus = SHARED / f"{name}_corpus.jsonl"
    if not corpus.is_file():
        pytest.skip("../shared/data/multihop is absent")
    got = evaluation.run(corpus, SHARED / f"{name}_questions.jsonl", "graph", 5)
    assert got["all_gold"] >= all_gold
    assert got["recall"] >= recall


def test_five_thousand_passages_are_linked_in_seconds_and_searched_in_milliseconds():
    rng = np.random.default_rng(0)
    names = [f"{a}{b}" for a in ("Ka", "Lo", "Mi", "Nu", "Pe") for b in ("rant", "dow", "vesk", "lim", "tarn")]
    titles = [f"{names[i % 25]} {names[(i // 25) % 25]} {i // 625}" for i in range(5000)]
    corpus = [
        {
            "id": str(i),
            "title": t,
            "text": f"{t} met {titles[rng.integers(5000)]} near {titles[rng.integers(5000)]}. " * 3,
        }
        for i, t in enumerate(titles)
    ]
    vectors = rng.normal(size=(5000, 128)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    started = time.process_time()
    index = PassageIndex.build(corpus, WordEmbedder(), vectors=vectors)
    assert time.process_time() - started < 40
    started = time.process_time()
    for i in range(10):
        index.search(f"Whom did {titles[i * 400]} meet?")
    assert (time.process_time() - started) / 10 < 0.150
