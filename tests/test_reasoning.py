"""Planned reasoning: plans are acyclic and reduced, EWO is what METHODS §4 says, the search recovers and stops."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from areorag.llm.chat import ChatModel
from areorag.llm.scripted import ScriptedBackend
from areorag.retrieval.reasoning import ReasoningOptions, needs_reasoning
from areorag.retrieval.reasoning.asks import Ask, asks
from areorag.retrieval.reasoning.budget import Budget
from areorag.retrieval.reasoning.ewo import edge_weight, entity_weights, mean
from areorag.retrieval.reasoning.hypergraph import Edge, Node, QueryGraph
from areorag.retrieval.reasoning.paths import Scorer, find_paths
from areorag.retrieval.reasoning.plan import Plan, Step, build_plan, clause_plans, clauses, sketch, wanted
from areorag.retrieval.reasoning.run import MAX_FAILURES, _llm_score
from areorag.retrieval.reasoning.search import answers, search
from areorag.retrieval.reasoning.trace import Trace


def embed(texts: Sequence[str]) -> np.ndarray:
    """Bags of words as vectors: enough to order texts by what they share."""
    out = np.zeros((len(texts), 256))
    for row, text in enumerate(texts):
        for w in text.lower().replace("?", " ").replace(".", " ").split():
            out[row, sum(ord(c) * (i + 1) for i, c in enumerate(w)) % 256] += 1.0
        out[row, 255] += 0.05
    return out / np.linalg.norm(out, axis=1, keepdims=True)


def graph_of(facts: list[tuple[str, str, list[tuple[str, str]]]]) -> QueryGraph:
    graph = QueryGraph()
    for fid, text, entities in facts:
        nodes = [Node(f"{label.lower()}:{name.lower()}", name, label) for name, label in entities]
        graph.add(Edge(fid, "Fact", text, frozenset(n.id for n in nodes)), nodes, 1)
    return graph


CHAIN = [
    ("f1", "Stephen lies at the Kimberley waypoint", [("Stephen", "Target"), ("Kimberley", "Feature")]),
    ("f2", "Windjana was drilled at the Kimberley", [("Windjana", "Target"), ("Kimberley", "Feature")]),
    ("f3", "Windjana contains sanidine and magnetite", [("Windjana", "Target"), ("sanidine", "Mineral")]),
    ("f4", "CheMin measured sanidine", [("CheMin", "Instrument"), ("sanidine", "Mineral")]),
    ("x1", "Rocknest is a sand shadow", [("Rocknest", "Target"), ("sand", "Concept")]),
    ("x2", "Kimberley has sandstone", [("Kimberley", "Feature"), ("sandstone", "Concept")]),
]

MINERALS = [("sanidine", "Mineral"), ("magnetite", "Mineral")]


def scorer(graph: QueryGraph, **kw) -> Scorer:  # type: ignore[no-untyped-def]
    return Scorer(graph, embed, **kw)


def test_ew_is_zero_below_the_threshold_and_the_models_score_above_it() -> None:
    se = {"a": 0.9, "b": 0.1, "c": 0.2}
    assert entity_weights(se, theta=0.15) == {"a": 0.9, "b": 0.0, "c": 0.2}
    assert entity_weights(se, {"a": 0.3, "b": 1.0, "c": 2.0}, theta=0.15) == {"a": 0.3, "b": 0.0, "c": 1.0}


def test_ewo_aggregates_over_what_both_hyperedges_bind() -> None:
    weights = {"a": 0.8, "b": 0.2, "c": 1.0}
    assert edge_weight({"a", "b", "z"}, {"a", "b", "c"}, weights) == pytest.approx(0.5)
    assert edge_weight({"a", "b"}, {"a", "b"}, weights, max) == 0.8
    assert edge_weight({"a"}, {"c"}, weights) == 0.0
    assert mean([]) == 0.0


def test_ewo_as_printed_prefers_what_the_model_has_ruled_out() -> None:
    se = {"near": 0.9, "right": 0.5, "far": 0.1}
    said = {"near": 0.0, "right": 1.0, "far": 1.0}
    e, wrong, right, far = {"near", "right", "far"}, {"near"}, {"right"}, {"far"}
    assert edge_weight(e, wrong, se) > edge_weight(e, right, se) > edge_weight(e, far, se) > 0  # SE, as printed
    ew = entity_weights(se, said)
    assert edge_weight(e, right, ew) == 1.0
    assert edge_weight(e, wrong, ew) == edge_weight(e, far, ew) == 0.0


def test_a_plan_in_a_circle_is_rejected_with_the_circle() -> None:
    plan, why = build_plan([Step(1, "a", (2,)), Step(2, "b", (1,))])
    assert plan is None
    assert "circle" in why
    assert build_plan([Step(1, "a", (1,))])[0] is None


@pytest.mark.parametrize(
    ("steps", "why"),
    [
        ([], "no steps"),
        ([Step(1, "a", (7,))], "not there"),
        ([Step(1, "a"), Step(1, "b")], "one id"),
        ([Step(i, "s") for i in range(9)], "more than"),
    ],
)
def test_broken_plans_are_rejected_with_a_reason(steps: list[Step], why: str) -> None:
    plan, said = build_plan(steps)
    assert plan is None
    assert why in said


@given(st.lists(st.tuples(st.integers(1, 7), st.integers(1, 7)), max_size=20))
def test_plans_are_acyclic_and_hasse_reduced(pairs: list[tuple[int, int]]) -> None:
    import networkx as nx

    steps = [Step(i, f"s{i}", tuple(sorted({a for a, b in pairs if b == i}))) for i in range(1, 8)]
    plan, why = build_plan(steps)
    full = nx.DiGraph([(a, b) for a, b in pairs])
    full.add_nodes_from(range(1, 8))
    if not nx.is_directed_acyclic_graph(full):
        assert plan is None
        assert why
        return
    assert plan is not None
    reduced = nx.DiGraph([(d, s.id) for s in plan.steps.values() for d in s.depends])
    reduced.add_nodes_from(range(1, 8))
    assert nx.transitive_closure(reduced).edges == nx.transitive_closure(full).edges
    level = {i: k for k, ids in enumerate(plan.levels) for i in ids}
    assert all(level[d] < level[s.id] for s in plan.steps.values() for d in s.depends)
    for d, s in list(reduced.edges):
        reduced.remove_edge(d, s)
        assert not nx.has_path(reduced, d, s)
        reduced.add_edge(d, s)


def test_clauses_and_what_they_want() -> None:
    q = "Which instrument measured the mineral that was found in the target drilled at the Kimberley?"
    assert clauses(q) == [
        "Which instrument measured the mineral",
        "was found in the target",
        "drilled at the Kimberley",
    ]
    chain = clause_plans(q)[0]
    assert [s.wants for s in chain] == [("Target",), ("Mineral",), ("Instrument",)]
    assert chain[1].depends == (1,)
    assert wanted("Where is Windjana?") == ("Feature",)
    assert len(clause_plans("Does it rain?")) == 1


@pytest.mark.parametrize(
    ("question", "needed"),
    [
        ("Which instrument measured the mineral that was found in the target drilled at the Kimberley?", True),
        ("Which mineral occurs in the target that lies at the place where Stephen was analysed?", True),
        ("Which HiRISE images of Jezero were taken in northern winter?", False),
        ("Is there water ice near the Phoenix landing site?", False),
        ("CTX images that show gullies", False),
    ],
)
def test_only_chained_questions_need_reasoning(question: str, needed: bool) -> None:
    assert needs_reasoning(question) is needed


def test_a_three_hop_question_is_answered_along_its_chain() -> None:
    graph = graph_of(CHAIN)
    q = "Which mineral is contained in the target that was drilled at the place where Stephen lies?"
    plans = [p for p, _ in (build_plan(s) for s in clause_plans(q)) if p]
    found = search(plans, scorer(graph), [("target:stephen", "Stephen")], Budget())
    best = found.finished[0]
    names = [graph.nodes[c.entity].name for _, c in best.answers]
    assert names == ["Kimberley", "Windjana", "sanidine"]
    edges = {e for _, c in best.answers for e in c.path.edges}
    assert {"f1", "f2", "f3"} <= edges
    assert "x1" not in edges


def test_a_wrong_branch_is_left_for_the_next_trajectory() -> None:
    facts = [
        *CHAIN,
        ("w1", "the place where Stephen lies is Dead End", [("Stephen", "Target"), ("Dead End", "Feature")]),
    ]
    graph = graph_of(facts)
    q = "Which mineral is contained in the target that was drilled at the place where Stephen lies?"
    plans = [build_plan(clause_plans(q)[0])[0]]
    several = search(plans, scorer(graph), [("target:stephen", "Stephen")], Budget(), trajectories=3)  # type: ignore[arg-type]
    assert "sanidine" in {graph.nodes[c.entity].name for s in several.finished for _, c in s.answers}
    first = several.log[0]["answers"]
    assert {a["name"] for a in first} >= {"Dead End", "Kimberley"}


def test_budgets_are_hard_and_named() -> None:
    graph = graph_of(CHAIN)
    q = "Which mineral is contained in the target that was drilled at the place where Stephen lies?"
    plans = [p for p, _ in (build_plan(s) for s in clause_plans(q)) if p]
    for budget, word in (
        (Budget(max_edges=2), "hyperedges"),
        (Budget(max_states=1), "states"),
        (Budget(max_seconds=-1), "seconds"),
    ):
        search(plans, scorer(graph), [("target:stephen", "Stephen")], budget)
        assert budget.spent_by is not None
        assert word in budget.spent_by
        assert budget.edges <= budget.max_edges
        assert budget.states <= budget.max_states


def test_paths_do_not_repeat_hyperedges_and_stop_at_their_depth() -> None:
    graph = graph_of(CHAIN)
    for path in find_paths(
        scorer(graph), Ask.of("instrument sanidine Kimberley"), ["target:stephen"], Budget(), depth=3
    ):
        assert 1 <= len(path.edges) <= 3
        assert len(set(path.edges)) == len(path.edges) == len(path.via)
        assert 0 <= path.score <= 1


def test_an_answer_is_never_what_the_question_names() -> None:
    graph = graph_of(CHAIN)
    used = {"target:stephen", "feature:kimberley"}
    found = answers(scorer(graph), Ask.of("Stephen lies at the Kimberley"), ["target:stephen"], used, Budget())
    assert not used & {c.entity for c in found}


def test_the_models_scores_guide_the_search_and_are_asked_once() -> None:
    graph = graph_of(CHAIN)
    asked: list[tuple[str, tuple[str, ...]]] = []

    def score(question: str, names: Sequence[str]) -> dict[str, float]:
        asked.append((question, tuple(names)))
        return {n: 1.0 if n == "Windjana" else 0.0 for n in names}

    s = scorer(graph, llm_score=score)
    ask = Ask.of("What was drilled at the Kimberley where Stephen lies")
    assert s.weights(["target:windjana", "target:stephen", "concept:sand"], ask) == {
        "target:windjana": 1.0,
        "target:stephen": 0.0,
        "concept:sand": 0.0,
    }
    assert [set(names) for _, names in asked] == [{"Windjana", "Stephen"}]  # no hyperedge of sand has a word of it


def test_a_model_that_never_gives_scores_is_left_alone_and_nothing_is_asked_twice() -> None:
    backend = ScriptedBackend(lambda _: "Surely the second one.")
    trace = Trace("q", "m")
    score = _llm_score(ChatModel(backend), trace, Budget())
    assert score("one", ["a", "b"]) == {"a": 0.5, "b": 0.5}
    score("one", ["a", "b"])
    for question in ("two", "three", "four"):
        score(question, ["a"])
    assert len(backend.requests) == 2 * MAX_FAILURES  # each with one repair
    assert "not asked again" in trace.rejected[-1]


def test_short_score_lists_are_filled_and_a_spent_run_asks_nothing() -> None:
    backend = ScriptedBackend(lambda _: '{"scores": [0.9]}')
    score = _llm_score(ChatModel(backend), Trace("q", "m"), Budget())
    assert score("one", ["a", "b"]) == {"a": 0.9, "b": 0.5}
    spent = Budget(max_seconds=-1.0)
    assert _llm_score(ChatModel(backend), Trace("q", "m"), spent)("one", ["a"]) == {"a": 0.5}
    assert len(backend.requests) == 1


def test_ablations_switch_off_one_part_each() -> None:
    base = ReasoningOptions()
    assert not base.without("ewo").ewo
    assert not base.without("plan").plan
    assert base.without("trajectories").trajectories == 1
    with pytest.raises(ValueError, match="no part called"):
        base.without("magic")


def test_the_sketch_names_what_is_near_the_anchors() -> None:
    lines = sketch(graph_of(CHAIN), "target drilled Kimberley", ["target:stephen"])
    assert any("Kimberley" in line and line.startswith("hop 1") for line in lines)
    assert any(line.startswith("hop 2") for line in lines)


def test_drawings_show_every_step_and_escape_what_they_show() -> None:
    trace = Trace("Which <script>alert(1)</script> & so on?", "PRoH-L")
    trace.plans = [{"source": "clauses", "levels": [[1]], "steps": [{"id": 1, "question": "q <b>", "depends": []}]}]
    edge = {"id": "f", "text": "fact & more", "kind": "Fact"}
    trace.steps = [
        {
            "plan": "clauses",
            "level": 0,
            "step": 1,
            "question": "q",
            "seeds": [],
            "answers": [{"name": "A", "score": 0.5, "path": [edge]}],
            "refined": "",
        }
    ]
    tree, svg = trace.tree(), trace.svg()
    assert "#1 q <b>" in tree
    assert "0.50  A" in tree
    assert "└─" in tree
    root = ET.fromstring(svg)
    assert "script" not in {e.tag.split("}")[-1] for e in root.iter()}
    assert any("fact & more" in (e.text or "") for e in root.iter())


@pytest.mark.parametrize("meant", ["Windjana", "Mojave"])
def test_entities_of_one_hyperedge_stay_together_until_the_next_step_settles_which_is_meant(meant: str) -> None:
    both = [("Windjana", "Target"), ("Mojave", "Target"), ("Kimberley", "Feature")]
    graph = graph_of(
        [
            ("f1", "Windjana and Mojave were drilled at the Kimberley", both),
            ("f2", f"{meant} contains jarosite in its powder", [(meant, "Target"), ("jarosite", "Mineral")]),
        ]
    )
    q = "Which mineral is contained in the powder of the target that was drilled at the Kimberley?"
    plan = build_plan(clause_plans(q)[0])[0]
    assert plan is not None
    greedy = search([plan], scorer(graph), [("feature:kimberley", "Kimberley")], Budget(), trajectories=1)
    names = [graph.nodes[c.entity].name for _, c in greedy.finished[0].answers]
    assert names == [meant, "jarosite"]


def test_what_lies_beyond_the_neighbourhood_is_read_when_the_search_gets_there() -> None:
    graph = graph_of(CHAIN[:2])
    later = {"target:windjana": CHAIN[2], "mineral:sanidine": CHAIN[3]}
    read: list[str] = []

    def grow(entities: Iterable[str], words: Iterable[str], least: int) -> None:
        for v in entities:
            if v in later and v not in read:
                read.append(v)
                fid, text, bound = later[v]
                nodes = [Node(f"{label.lower()}:{name.lower()}", name, label) for name, label in bound]
                graph.add(Edge(fid, "Fact", text, frozenset(n.id for n in nodes)), nodes, 4)

    q = "Which mineral is contained in the target that was drilled at the place where Stephen lies?"
    plan = build_plan(clause_plans(q)[0])[0]
    assert plan is not None
    anchors = [("target:stephen", "Stephen")]
    short = search([plan], scorer(graph), anchors, Budget())
    assert "sanidine" not in {graph.nodes[c.entity].name for s in short.finished for _, c in s.answers}
    found = search([plan], scorer(graph), anchors, Budget(), grow=grow)
    assert "target:windjana" in read
    assert "sanidine" in {graph.nodes[c.entity].name for c in [found.finished[0].answers[-1][1]]}


def chain(question: str) -> Plan:
    plan = build_plan(clause_plans(question)[0])[0]
    assert plan is not None
    return plan


def test_words_that_tell_sub_questions_apart_are_neither_kinds_nor_what_all_of_them_say() -> None:
    q = "Which mineral is reported for the powder of the target that is reported for the place where Stephen lies?"
    found = asks(chain(q))
    assert "target" not in found[2].words
    assert found[2].words["report"] < found[1].words["stephen"] == 1.0
    assert all("#" not in a.text for a in found.values())
    assert set(Ask.of("Which minerals?").words) == {"mineral"}


def test_words_are_found_glued_to_others_and_rare_ones_count_more() -> None:
    graph = graph_of(
        [
            ("f1", "MSL went into the sandyfloored valley", [("MSL", "Concept")]),
            ("f2", "the valley has a name", [("MSL", "Concept")]),
            ("f3", "a valley", [("MSL", "Concept")]),
        ]
    )
    words = {"floored": 1.0, "valley": 1.0, "nowhere": 1.0}
    assert graph.overlap("f1", words) == pytest.approx(1.0)  # a word that no text has tells nothing apart
    assert 0 < graph.overlap("f2", words) < 0.5
    graph.add(Edge("f4", "Fact", "floored", frozenset({"concept:msl"})), [], 2)
    assert graph.overlap("f4", words) > graph.overlap("f2", words)


def test_ew_looks_ahead_it_chooses_among_the_entities_of_a_hyperedge() -> None:
    bound = [(n, "Target") for n in ("Alpha", "Beta", "Gamma")]
    graph = graph_of(
        [
            ("f1", "Alpha, Beta and Gamma were drilled at the Kimberley", [*bound, ("Kimberley", "Feature")]),
            ("f2", "Gamma contains fibrous jarosite", [("Gamma", "Target"), ("jarosite", "Mineral")]),
            ("f3", "Alpha is a rock", [("Alpha", "Target"), ("rock", "Concept")]),
        ]
    )
    plan = chain("Which mineral is contained fibrous in the target that was drilled at the Kimberley?")
    anchors = [("feature:kimberley", "Kimberley")]
    ahead = search([plan], scorer(graph), anchors, Budget(), trajectories=1)
    assert ahead.log[0]["answers"][0]["name"] == "Gamma"
    blind = search([plan], scorer(graph, use_ewo=False), anchors, Budget(), trajectories=1)
    assert blind.log[0]["answers"][0]["name"] != "Gamma"


def test_a_target_hyperedge_is_reached_where_no_way_leads_to_it() -> None:
    graph = graph_of(
        [*CHAIN[:2], ("f9", "Mojave holds crystals of gypsum", [("Mojave", "Target"), ("gypsum", "Mineral")])]
    )
    plan = chain("Which mineral forms crystals in the target that was drilled at the place where Stephen lies?")
    anchors = [("target:stephen", "Stephen")]
    alone = search([plan], scorer(graph), anchors, Budget())
    assert "gypsum" not in {graph.nodes[c.entity].name for s in alone.finished for c, _ in s.endings()}
    targets = {asks(plan)[3].text: {"f9": 1.0}}
    found = search([plan], scorer(graph), anchors, Budget(), targets=targets)
    (end,) = [c for s in found.finished[:1] for c, _ in s.endings()[:1]]
    assert graph.nodes[end.entity].name == "gypsum"
    assert end.path.via == ("",)
    assert any(a["leap"] for step in found.log for a in step["answers"])


def test_a_synonym_is_another_name_and_no_hop() -> None:
    facts = [
        *CHAIN[:1],
        ("f2", "Windjana was drilled at Kimberley Formation", [("Windjana", "Target"), ("KF", "Feature")]),
    ]
    graph = graph_of(facts)
    same = [Node("feature:kimberley", "Kimberley", "Feature"), Node("feature:kf", "KF", "Feature")]
    ask = Ask.of("Which target was drilled", ("Target",))
    assert find_paths(scorer(graph), ask, ["feature:kimberley"], Budget(), depth=1)[0].edges == ("f1",)
    graph.add(Edge("s1", "Synonym", "KF is Kimberley", frozenset(n.id for n in same)), same, 1)
    best = find_paths(scorer(graph), ask, ["feature:kimberley"], Budget(), depth=1)[0]
    assert best.edges == ("s1", "f2")
    assert (best.via, best.scored) == (("feature:kimberley", "feature:kf"), 1)


def test_the_last_steps_answers_are_all_given_and_the_next_plan_begins_only_when_needed() -> None:
    facts = [*CHAIN[:2], ("f3", "Windjana contains two minerals", [("Windjana", "Target"), *MINERALS])]
    graph = graph_of(facts)
    q = "Which minerals are contained in the target that was drilled at the place where Stephen lies?"
    plans = [p for p, _ in (build_plan(s) for s in clause_plans(q)) if p]
    found = search(plans, scorer(graph), [("target:stephen", "Stephen")], Budget(), trajectories=1)
    names = {graph.nodes[c.entity].name for c, _ in found.finished[0].endings()}
    assert names == {"sanidine", "magnetite"}
    assert {step["plan"] for step in found.log} == {"clauses"}
