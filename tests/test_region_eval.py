"""The region evaluation without a database: questions, gold, scientific pairs, false copies, triage ablations, tables."""

from __future__ import annotations

import importlib
import itertools
from collections import Counter

import numpy as np
import pytest

from areorag.errors import UsageError
from areorag.evaluate import bench, bench_growth, bench_selection, region_study, results, results_page
from areorag.evaluate.bench_growth import _gold_row, memory_retriever
from areorag.evaluate.line_graph import LineGraph
from areorag.evaluate.region_conflicts import LABELS, disagreements
from areorag.evaluate.region_gold import Archive
from areorag.evaluate.region_noise import MARK, Copy, falsified
from areorag.evaluate.region_questions import FORMS, Generator
from areorag.evaluate.region_triage import DeltaHp, Mcc, Remembering, Uniform, judge
from areorag.evaluate.regions import EVERY, check
from areorag.evaluate.synthetic import rationales, synthetic_archive
from areorag.settings import load_settings


@pytest.fixture(scope="module")
def archive() -> Archive:
    pairs = disagreements(12, 3)
    return Archive([_gold_row(o) for o in [*synthetic_archive(900), *(o for a, b, _ in pairs for o in (a, b))]])


@pytest.fixture(scope="module")
def triage() -> Remembering:
    return Remembering(load_settings())


def row(name, lon, resolution, start=0.0, **more):
    return {"id": name, "footprint": None, "lon": lon, "lat": 0.0, "instrument": "CTX", "platform": "MRO",
            "kind": "orbital", "resolution_m": resolution, "ls_deg": 10.0, "mars_year": 30, "sol": None, "start": start,
            "stop": start, "targets": [], "text": "", "claims": [], **more}  # fmt: skip


# ---------------------------------------------------------------- questions and gold


def test_every_form_is_asked_and_equal_seeds_ask_alike(archive):
    drawn = Generator(archive, 5).questions(40, 30)
    assert len(drawn) == 70
    assert {q.form for q, _ in drawn} == set(FORMS)
    assert Counter(q.form for q, _ in drawn)["stated"] < 45
    assert len({q.id for q, _ in drawn}) == 70
    assert [q.question for q, _ in Generator(archive, 5).questions(40, 30)] == [q.question for q, _ in drawn]
    assert all(g.ids and not g.ids & g.doubtful for _, g in drawn)


def test_words_of_a_question_are_not_those_of_the_record(archive):
    said = {p.casefold() for theme in rationales() for p in theme}
    for question, gold in Generator(archive, 5).questions(60, 1):
        if "words" in question.spec:
            assert not any(p in question.question.casefold() for p in said)
            texts = {r["id"]: r["text"].casefold() for r in archive.rows}
            assert all(any(w.casefold() in texts[i] for w in question.spec["words"]) for i in gold.ids)


def test_best_takes_ties_and_leaves_open_what_a_border_may_decide():
    rows = [row("a", 10, 0.25), row("b", 10, 0.25), row("c", 10, 6.0), row("d", 10, 6.0), row("e", 10, 18.0),
            row("edge", 11.0, 0.1)]  # fmt: skip
    spec = {"region": {"cap": [10, 0, 1.0]}, "best": {"by": "resolution_m", "n": 2}}
    gold = Archive(rows).gold(spec)
    assert gold.ids == {"a", "b"}
    assert gold.doubtful == {"edge"}
    three = Archive(rows).gold(spec | {"best": {"by": "resolution_m", "n": 3}})
    assert three.ids == {"a", "b"}, "with the one at the border inside, a and b are the third"
    assert three.doubtful == {"c", "d", "edge"}
    inner = Archive(rows[:5]).gold(spec | {"best": {"by": "resolution_m", "n": 3}})
    assert inner.ids == {"a", "b", "c", "d"}
    assert Archive(rows).gold(spec | {"best": {"by": "resolution_m", "n": 5}}).ids == frozenset()


def test_closest_is_by_true_distance_however_far_and_latest_by_time():
    rows = [row(f"r{i}", 10.0 + 3 * i, 1.0, start=float(i)) for i in range(6)]
    near = {"region": {"cap": [10, 0, 0.0]}, "best": {"by": "gap", "n": 3}}
    assert Archive(rows).gold(near).ids == {"r0", "r1", "r2"}
    last = {"region": {"cap": [17, 0, 20.0]}, "best": {"by": "start", "n": 2, "most": True}}
    assert Archive(rows).gold(last).ids == {"r4", "r5"}


def test_gold_on_claims_and_words_is_plain_comparison():
    rows = [
        row("a", 10, 1.0, claims=[{"subject": "X", "property": "olivine", "value": "olivine", "polarity": "absent"}]),
        row("b", 10, 1.0, text="Gullied crater wall."),
    ]
    assert Archive(rows).gold({"claims": ["Olivine"]}).ids == {"a"}
    assert Archive(rows).gold({"words": ["gullied crater"]}).ids == {"b"}


# ---------------------------------------------------------------- conflicts, copies


def test_scientific_disagreements_are_kept_on_both_sides_and_told_apart(triage):
    found = Counter()
    for a, b, label in disagreements(12, 3):
        assert a.footprint is not None
        assert a.targets == b.targets
        (verdict,) = triage.triage_evidence(f"Do they agree about {a.claims[0].property}?", [a, b])
        assert verdict.kept == (True, True)
        found[label, verdict.category] += 1
    assert set(found) == {(label, label) for label in LABELS}


def test_false_copies_say_something_else_and_are_trusted_less():
    original = next(o for o in synthetic_archive(900) if o.instrument == "CRISM" and o.claims)

    def copy(kind):
        return falsified(original, Copy(original.id + MARK, original.id, kind, 0.4, 3))

    flipped, other, moved = copy("flip"), copy("mineral"), copy("place")
    assert {flipped.authority, other.authority, moved.authority} == {0.4}
    assert flipped.claims[0].polarity != original.claims[0].polarity
    assert flipped.claims[0].text in flipped.text
    assert other.claims[0].property != original.claims[0].property
    assert moved.position_lon_deg == -original.position_lon_deg
    assert moved.claims[0].model_dump(exclude={"id"}) == original.claims[0].model_dump(exclude={"id"})


class _Found:
    """A retrieval as triage sees it."""

    def __init__(self, question):
        from areorag.retrieval.intent import parse_intent

        self.intent, self.evidence = parse_intent(question), []


def test_what_each_triage_ablation_leaves_out(triage):
    a, b, _ = disagreements(1, 3)[0]
    copy = falsified(a, Copy(a.id + MARK, a.id, "flip", 0.3, 3))
    question = f"Do the observations agree about boulders at {a.targets[0]}?"
    every = {o.id: o for o in (a, b, copy)}

    def dropped(rule, ids, partners=()):
        return judge(
            rule, question, _Found(question), ids, lambda i: [every[x] for x in i], lambda _: list(partners)
        ).dropped

    assert dropped(triage, [a.id, b.id]) == set()
    assert len(dropped(Uniform(triage), [a.id, b.id])) == 1
    assert len(dropped(Mcc(triage), [a.id, b.id])) == 1
    assert dropped(DeltaHp(triage), [a.id, b.id]) == set()
    assert copy.id in dropped(Uniform(triage), [a.id, copy.id])
    assert copy.id not in dropped(triage, [a.id], [b.id])
    assert copy.id in dropped(triage, [copy.id], [a.id])


# ---------------------------------------------------------------- line graph, growth, selection


def test_line_graph_joins_every_two_records_of_a_place():
    settings = load_settings()
    records = [o.model_copy(update={"targets": ["Somewhere"]}) for o in synthetic_archive(60)]
    retriever = memory_retriever(records, settings)
    columns = retriever.columns.get()
    arrays = retriever.spatial(columns).warm()
    graph = LineGraph.of(columns, arrays, "Mars")
    assert graph.edges == 60 * 59 // 2
    support = graph.support(np.array([3]), 60)
    assert support[3] == 1.0
    assert np.all(np.delete(support, 3) == 0.25)
    assert LineGraph.of(columns.take(np.arange(60), columns.ids), arrays, "Mars").edges == graph.edges
    columns.targets = [[] for _ in range(60)]
    assert LineGraph.of(columns, arrays, "Mars").edges == 0


def test_a_retriever_in_memory_finds_what_the_gold_finds(archive):
    retriever = memory_retriever(synthetic_archive(900), load_settings())
    known = Archive([_gold_row(o) for o in synthetic_archive(900)])
    for question, gold in Generator(known, 5).questions(20, 10):
        if question.form == "stated":
            found = set(retriever.retrieve(question.question, k=500).ids)
            assert gold.ids <= found <= gold.ids | gold.doubtful, question.question


def test_growth_samples_evenly_and_reports_both_series():
    assert bench_growth.sample(3, 9) == [0, 3, 6]
    result = bench_growth.run("small", n=4, graph=False)
    assert [r["n"] for r in result["memory"]] == [1_000, 4_000]
    assert set(result["growth"]) == {"memory"}
    assert "| memory | 4,000 |" in bench_growth.page(result)


def test_lazy_greedy_takes_the_plain_greedys_set_and_stays_above_the_bound():
    found = bench_selection.greedy(60)
    assert found["same_set"]
    assert found["worst_share_of_optimum"] >= 1 - 1 / np.e


def test_every_part_of_the_bench_has_its_module_and_its_place_on_the_page():
    for name in bench.PARTS:
        assert callable(importlib.import_module(f"areorag.evaluate.bench_{name}").run)
    assert {f"bench-{name}" for name in bench.PARTS} <= {p.key for p in results.PARTS}
    with pytest.raises(UsageError, match="scale"):
        bench_selection.run("huge")


# ---------------------------------------------------------------- tables


def test_unknown_ablations_are_refused_with_the_choices():
    for name in EVERY:
        check(name)
    with pytest.raises(UsageError, match="delta_hp"):
        check("nonsense")


def test_interval_holds_the_mean_and_is_nothing_without_a_difference():
    low, mean, high = region_study.interval(np.array([0.0, -0.5, 0.25] * 30))
    assert low < mean < high
    assert mean == pytest.approx(-8.3)
    assert region_study.interval(np.zeros(50)) == (0.0, 0.0, 0.0)


def test_headline_says_met_and_missed_and_leaves_out_what_was_not_measured():
    page = results_page.headline({
        "intent": {"fields": 99.7, "whole": 60.0},
        "spatial": {"missed": 0, "extra": 2},
        "bench-spatial": {"scale": "small", "sizes": [{"times_faster_than_brute": 1.0}, {"times_faster_than_brute": 30.0}]},
    })  # fmt: skip
    assert "| ≥ 90 % | 99.7 % | met |" in page
    assert "| ≥ 70 % | 60 % | **missed** |" in page
    assert "| 0 | 2 | **missed** |" in page
    assert "30 ×" in page
    assert "MuSiQue" not in page


def test_headline_paths_lead_into_parts_that_exist():
    keys = {p.key for p in results.PARTS}
    assert {h.part for h in results_page.HEADLINE} <= keys
    assert all(list(itertools.islice(results_page._steps(h.path), 9)) for h in results_page.HEADLINE)


def test_lists_of_records_become_tables():
    text = results_page.section(
        "x", "Title", "cmd", {"n": 2, "rows": [{"a": 1, "b": 0.5, "c": {}}, {"a": 2, "b": None}]}
    )
    assert "| a | b |" in text
    assert "| 1 | 0.5 |" in text
    assert "| 2 |  |" in text


def test_a_stopped_study_goes_on_only_for_the_same_questions(tmp_path):
    path, asked = tmp_path / "kept.json", {"records": 10, "seed": 1}
    region_study._keep(path, asked, {("mlg", 0.3, 0.0): {"n": 2}})
    assert region_study._kept(path, asked) == {("mlg", 0.3, 0.0): {"n": 2}}
    assert region_study._kept(path, asked | {"seed": 2}) == {}
    path.write_text("{")
    assert region_study._kept(path, asked) == {}


def test_page_is_written_from_what_is_kept_and_shows_the_largest_scale(tmp_path):
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / "intent.json").write_text('{"fields": 95.0, "whole": 71.0}')
    (folder / "bench-retrieval.json").write_text('{"scale": "small", "hyperedges": 2000, "p50_ms": 10.0}')
    (folder / "bench-retrieval-paper.json").write_text(
        '{"scale": "paper", "parts": {"retrieval": {"hyperedges": 53012, "p50_ms": 61.5}}}'
    )
    (folder / "else.json").write_text("{}")
    (tmp_path / "results-notes.md").write_text("## What did not work\n")
    done = results.run(tmp_path, only=["intent"])
    page = (tmp_path / "results.md").read_text()
    assert done["parts"] == {}, "what is kept is not run again"
    assert "(53,012 records) | ≤ 60 ms | 61.5 ms | **missed** |" in page
    assert "`areorag bench --scale paper --part retrieval`" in page
    assert "10 ms" not in page
    assert "More figures: [else](results/else.json)" in page
    assert (
        page.index("| figure | goal | measured |")
        < page.index("## Questions read")
        < page.index("## What did not work")
    )
