"""Retrieval over a real Neo4j: constraints, exclusions, empty results, ablations, feedback, expansion, Earth."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from areorag.errors import EmptyQuestionError, UnusableQuestionError, UsageError
from areorag.evaluate.city import ask_all, city_retriever, load_city
from areorag.evaluate.region_conflicts import disagreements
from areorag.evaluate.region_gold import gap_deg, outline
from areorag.evaluate.regions import EVERY, Pair, World
from areorag.evaluate.regions import run as run_regions
from areorag.evaluate.synthetic import synthetic_archive
from areorag.graph.connection import Database
from areorag.graph.model import Claim, Observation, ProductRef
from areorag.graph.writer import write_observations
from areorag.ingest.build import RowBuilder
from areorag.llm.embed import get_embedder
from areorag.planet.marstime import from_ls
from areorag.retrieval.engine import STAGES, Retriever
from areorag.retrieval.feedback import Feedback, reset
from areorag.retrieval.intent import parse_intent

pytestmark = pytest.mark.db
CLEAN = "CYPHER 5 MATCH (n) WHERE NOT n:Migration DETACH DELETE n"


def record(
    name, instrument, platform, lon, lat, resolution, my, ls, kind="orbital", half=0.05, sol=None, claims=(),
    institution="test", level=None,
):  # fmt: skip
    start = from_ls(my, ls)
    point = kind == "insitu"
    ring = [[lon - half, lat - half], [lon + half, lat - half], [lon + half, lat + half], [lon - half, lat + half]]
    shape = (
        {"type": "Point", "coordinates": [lon, lat]}
        if point
        else {"type": "Polygon", "coordinates": [[*ring, ring[0]]]}
    )
    return Observation(
        id=name, kind=kind, platform=platform, instrument=instrument, institution=institution, footprint=shape,
        processing_level=level,
        position_lon_deg=lon, position_lat_deg=lat, resolution_m=resolution, start=start,
        stop=start + timedelta(minutes=2), ls_deg=ls, mars_year=my, sol=sol, authority=0.9,
        product=ProductRef(data_id=name),
        claims=[Claim(id=f"{name}#{c}", subject="Jezero", property=c, value=c, polarity="present", text=f"{c} at Jezero") for c in claims],
        text=f"{instrument} on {platform}: {kind} observation {name}. " + " ".join(f"{c} detected." for c in claims),
    )  # fmt: skip


RECORDS = [
    record("HI-1", "HiRISE", "MRO", 77.5, 18.4, 0.25, 31, 45.0),
    record("HI-2", "HiRISE", "MRO", 77.6, 18.5, 0.5, 33, 200.0),
    record("CTX-1", "CTX", "MRO", 77.5, 18.4, 6.0, 31, 50.0, half=0.4),
    record("CR-1", "CRISM", "MRO", 77.4, 18.5, 18.0, 29, 150.0, claims=("olivine", "Mg-carbonate")),
    record("PX-1", "PIXL", "M2020", 77.45, 18.44, 0.0001, 36, 60.0, "insitu", sol=300, claims=("olivine",)),
    record("PX-2", "PIXL", "M2020", 77.45, 18.445, 0.0001, 36, 100.0, "insitu", sol=500),
    record("NAV-1", "Navcam", "M2020", 77.45, 18.44, 0.01, 36, 61.0, "insitu", sol=301),
    record("HI-G", "HiRISE", "MRO", 137.4, -4.6, 0.25, 31, 44.0),
    record(
        "HR-R", "HRSC", "Mars Express", -30.0, 20.0, 12.0, 30, 44.0, institution="DLR/FU Berlin", level="EDR (CODMAC 2)"
    ),
    record(
        "HR-C", "HRSC", "Mars Express", -30.0, 20.0, 12.0, 30, 45.0, institution="DLR/FU Berlin", level="RDR (CODMAC 3)"
    ),
    record("US-4", "CTX", "MRO", -30.0, 20.0, 12.0, 30, 46.0, institution="USGS", level="4", kind="derived"),
    record("AM-1", "CTX", "MRO", 179.98, 0.0, 6.0, 30, 10.0, half=0.01),
    record("AM-2", "CTX", "MRO", -179.98, 0.0, 6.0, 30, 10.0, half=0.01),
]


@pytest.fixture(scope="module")
def graph(_database: Database, server_settings):
    _database.schema_text(CLEAN)
    settings = server_settings.model_copy()
    rows = RowBuilder(settings, get_embedder(settings)).build(RECORDS)
    write_observations(_database, rows, "test-run")
    return _database


@pytest.fixture(scope="module")
def retriever(graph, server_settings):
    return Retriever(graph, server_settings.model_copy(), get_embedder(server_settings))


def ids(retrieval):
    return {e.id for e in retrieval.evidence}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("HiRISE images of Jezero crater", {"HI-1", "HI-2"}),
        ("HiRISE images of Jezero better than 30 cm per pixel", {"HI-1"}),
        ("Jezero in northern spring of MY 31", {"HI-1", "CTX-1"}),
        ("Jezero, southern summer", set()),
        ("PIXL between sol 250 and sol 350", {"PX-1"}),
        ("in situ data at Jezero but not from Navcam", {"PX-1", "PX-2"}),
        ("everything within 5 km of 77.45E 18.44N except from PIXL", {"NAV-1", "HI-1", "CTX-1", "CR-1"}),
        ("CTX in 179E-181E, 1S-1N", {"AM-1", "AM-2"}),
        ("Mars Years 29 to 31 at Gale", {"HI-G"}),
        ("Perseverance or CRISM at Jezero", {"CR-1", "PX-1", "PX-2", "NAV-1"}),
    ],
)
def test_what_comes_back_meets_every_constraint(retriever, question, expected):
    assert ids(retriever.retrieve(question, k=10)) == expected


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("the finest HiRISE images of Jezero", ["HI-1", "HI-2"]),
        ("the coarsest orbital observations of Jezero", ["CR-1", "CTX-1", "HI-2", "HI-1"]),
        ("the latest PIXL measurements in Jezero", ["PX-2", "PX-1"]),
        ("the earliest orbital images of Jezero", ["CR-1", "HI-1", "CTX-1", "HI-2"]),
        ("Which HiRISE images lie closest to 4.6S, 137.4E?", ["HI-G", "HI-2", "HI-1"]),
    ],
)
def test_records_come_in_the_order_asked_for(retriever, question, first):
    found = retriever.retrieve(question, k=len(first))
    assert [e.id for e in found.evidence] == first
    assert found.selector.startswith("order: ")


def test_the_closest_of_a_place_stay_in_it(retriever):
    found = retriever.retrieve("Which HiRISE image of Jezero is closest to Jezero?", k=5)
    assert {e.id for e in found.evidence} == {"HI-1", "HI-2"}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("ESA images at 20N 30W", {"HR-R", "HR-C"}),
        ("DLR images at 20N 30W", {"HR-R", "HR-C"}),
        ("NASA images at 20N 30W", {"US-4"}),
        ("USGS or DLR images at 20N 30W", {"HR-R", "HR-C", "US-4"}),
        ("images at 20N 30W, not from the DLR", {"US-4"}),
        ("raw images at 20N 30W", {"HR-R"}),
        ("calibrated, not raw images at 20N 30W", {"HR-C"}),
        ("RDRs at 20N 30W", {"HR-C"}),
        ("level 4 products at 20N 30W", {"US-4"}),
        ("CODMAC 3 products at 20N 30W", {"HR-C"}),
        ("JAXA images at 20N 30W", set()),
    ],
)
def test_institutions_and_processing_levels_are_constraints(retriever, question, expected):
    found = retriever.retrieve(question, k=10)
    assert ids(found) == expected
    if not expected:
        assert "without the institution (JAXA): 3" in found.relax


def test_impossible_numbers_are_said_with_the_evidence_or_refused(retriever):
    found = retriever.retrieve("HiRISE of Jezero at Ls 400", k=10)
    assert ids(found) == {"HI-1", "HI-2"}
    assert any("solar longitude 400" in text for label, text in found.intent.describe() if label == "note")
    with pytest.raises(UnusableQuestionError, match="latitude 95"):
        retriever.retrieve("HiRISE at lat 95 lon 77")


def test_exclusion_is_enforced_whatever_stage_is_left_out(graph, server_settings):
    for stage in STAGES:
        r = Retriever(graph, server_settings.model_copy(), get_embedder(server_settings), without=(stage,))
        assert not {"HI-1", "HI-2", "HI-G"} & ids(r.retrieve("Jezero, anything but not from HiRISE", k=10)), stage


def test_a_place_left_out_is_left_out(retriever):
    assert "HI-G" not in ids(retriever.retrieve("HiRISE images, but not in Gale", k=10))


def test_every_score_is_there_and_the_order_is_theirs(retriever):
    found = retriever.retrieve("olivine at Jezero", k=6, explain=True)
    totals = [e.score for e in found.evidence]
    assert found.evidence[0].id in {"CR-1", "PX-1"}
    assert all(np.isfinite(totals))
    assert {"f_s", "f_k", "f_sparse", "f_dense", "confidence", "plausibility", "oem", "pareto_layer"} <= set(
        found.evidence[0].scores
    )
    assert sum(found.lambdas[k] for k in ("spatial", "semantic")) == pytest.approx(1.0)
    assert [n for _, n in found.counts] == sorted((n for _, n in found.counts), reverse=True) or found.counts[-1][
        1
    ] <= 6
    assert found.trace["oem"]["members"] >= 1


def test_the_same_question_gives_the_same_answer_twice(retriever, graph, server_settings):
    again = Retriever(graph, server_settings.model_copy(), get_embedder(server_settings))
    for question in ("olivine near Jezero", "HiRISE or CTX at Jezero in MY 31", "anything"):
        a, b = retriever.retrieve(question), again.retrieve(question)
        assert [(e.id, e.scores) for e in a.evidence] == [(e.id, e.scores) for e in b.evidence]


def test_explanation_says_what_kept_and_what_dropped_each(retriever):
    found = retriever.retrieve("HiRISE images of Jezero better than 30 cm", explain=True)
    rows = {r["id"]: r for r in found.explanation}
    assert rows["HI-1"]["fate"] == "kept"
    assert rows["HI-2"]["fate"] == "dropped"
    assert "resolution" in rows["HI-2"]["why"]
    assert "0.5 m" in rows["HI-2"]["why"]
    assert "instrument" in rows["CR-1"]["why"]
    assert "HI-G" not in rows, "three thousand kilometres away is not near"
    near = retriever.retrieve("HiRISE within 1 km of 77.40E 18.40N", explain=True)
    assert near.evidence == []
    why = {r["id"]: r["why"] for r in near.explanation}["HI-1"]
    assert why.startswith("place: 2.8")
    assert why.endswith("km from the place asked")
    barred = retriever.retrieve("everything at Jezero but not from Navcam", explain=True)
    why = {r["id"]: r["why"] for r in barred.explanation}["NAV-1"]
    assert why == "excluded by the question: not Navcam, it is Navcam"


def test_nothing_found_says_what_was_understood_what_is_near_and_what_to_relax(retriever):
    found = retriever.retrieve("HiRISE at Gale in MY 24")
    assert found.evidence == []
    assert found.nearest[0].id == "HI-G"
    assert found.nearest[0].misses == ("Mars Year",)
    assert any("Mars Year" in r for r in found.relax)
    for part in ("Gale", "24", "HiRISE", "HI-G"):
        assert part in found.message


def test_nothing_near_never_names_what_was_excluded(retriever):
    found = retriever.retrieve("Gale, but not from HiRISE")
    assert "HI-G" not in {n.id for n in found.nearest}


def test_an_empty_question_is_refused(retriever):
    with pytest.raises(EmptyQuestionError):
        retriever.retrieve("   ")


def test_expansion_returns_its_path_and_a_supernode_does_not_open(retriever):
    found = retriever.retrieve("CRISM olivine at Jezero")
    assert found.trace["expansion"]["seeds"]
    assert any("→" in step for e in found.evidence for step in e.path)
    rows = retriever.db.read("retrieval_expand", frontier=["platform:mro"], candidates=["HI-1"], fan_out=1, edges=40)
    assert [r["edge"] for r in rows] == ["HI-1"]


def test_limits_of_the_weights_reduce_to_the_pure_orders(graph, server_settings):
    embedder = get_embedder(server_settings)
    only_sparse = Retriever(
        graph, server_settings.model_copy(), embedder, without=("dense", "semantic", "pareto", "expansion", "oem")
    )
    found = only_sparse.retrieve("near 77.45E 18.44N within 200 km", k=10, selector="topk")
    sparse = [e.scores["f_sparse"] for e in found.evidence]
    assert sparse == sorted(sparse, reverse=True)


def test_new_records_are_seen_by_the_next_question(graph, server_settings, retriever):
    assert ids(retriever.retrieve("HiRISE at Holden crater")) == set()
    extra = record("HI-H", "HiRISE", "MRO", -34.0, -26.0, 0.3, 32, 10.0)
    write_observations(graph, RowBuilder(server_settings, get_embedder(server_settings)).build([extra]), "test-run-2")
    assert ids(retriever.retrieve("HiRISE at Holden crater")) == {"HI-H"}


def test_explainable_conflicts_raise_their_region_decay_and_can_be_reset(graph, server_settings):
    graph.schema_text(
        "CYPHER 5 MATCH (a:Observation {id: 'CR-1'})-[:ASSERTS]->(c:Claim) WITH c LIMIT 1 "
        "MERGE (x:Conflict {id: 'test-conflict'}) SET x.category = 'scale', x.created = datetime() MERGE (x)-[:BETWEEN]->(c)"
    )
    now = datetime.now(UTC)
    fresh = Feedback.load(graph, now + timedelta(seconds=5))
    old = Feedback.load(graph, now + timedelta(days=360))
    assert len(fresh.spots) == 1
    assert fresh.table()[0]["conflict"] == "test-conflict"
    assert old.spots[0].weight == pytest.approx(fresh.spots[0].weight / 4, rel=1e-3)
    embedder = get_embedder(server_settings)
    on = Retriever(graph, server_settings.model_copy(), embedder).retrieve("Jezero", k=10)
    off = Retriever(graph, server_settings.model_copy(update={"feedback": False}), embedder).retrieve("Jezero", k=10)
    assert ids(on) == ids(off)  # nothing is hidden
    before = {e.id: e.score for e in off.evidence}
    assert all(e.score >= before[e.id] - 1e-12 for e in on.evidence)
    gain = {e.id: e.score - before[e.id] for e in on.evidence}
    assert gain["CR-1"] == max(gain.values()) > 0
    reset(graph)
    assert Feedback.load(graph).spots == ()
    assert graph.read("retrieval_conflicts")


def test_constraints_are_answered_from_indexes(graph):
    for name, params in {
        "retrieval_columns": {"after": "", "limit": 10},
        "retrieval_expand": {"frontier": ["feature:jezero"], "candidates": ["HI-1"], "fan_out": 10, "edges": 10},
        "retrieval_vectors": {"ids": ["HI-1"]},
        "retrieval_claims": {"after": "", "limit": 10},
    }.items():
        assert not _scans(graph, name, params), name


def _scans(graph, name, params):
    from areorag.graph.cypher import query

    with graph._driver.session(database=graph.database) as session:
        text = query(name).text.replace("CYPHER 5", "CYPHER 5 EXPLAIN", 1)
        plan = session.run(text, params).consume().plan
    found = []

    def walk(node):
        operator = node["operatorType"].split("@")[0]
        if operator in ("AllNodesScan", "NodeByLabelScan"):
            found.append(operator)
        for child in node.get("children", ()):
            walk(child)

    walk(plan)
    return found


def test_reading_of_a_question_can_be_given_instead_of_its_text(retriever):
    intent = parse_intent("HiRISE images of Jezero")
    assert ids(retriever.retrieve(intent, k=10)) == {"HI-1", "HI-2"}


# ---------------------------------------------------------------- evaluation


@pytest.fixture(scope="module")
def world(_database: Database, server_settings):
    _database.schema_text(CLEAN)
    settings = server_settings.model_copy()
    pairs = disagreements(9, 3)
    archive = [*synthetic_archive(300), *(o for a, b, _ in pairs for o in (a, b))]
    write_observations(_database, RowBuilder(settings, get_embedder(settings)).build(archive), "test-regions")
    science = [Pair(a.id, b.id, label, a.claims[0].property) for a, b, label in pairs]
    yield World(_database, settings, n_region=24, n_temporal=14, seed=3, science=science)
    _database.schema_text(CLEAN)


def test_generated_questions_have_independent_gold_that_the_retriever_meets(world):
    result = world.measure()
    ours = result["methods"]["areorag"]
    assert ours["stated"]["recall@5"] >= 95
    assert ours["stated"]["f1"] >= 95
    assert ours["all"]["f1"] > result["methods"]["text-only dense"]["all"]["f1"]
    assert result["triage"]["pairs_met"] > 0
    assert result["triage"]["cpr"] == 100
    assert result["triage"]["copies_met"] == 0


@pytest.mark.parametrize("ablate", EVERY)
def test_every_ablation_runs_over_one_archive(world, ablate):
    result = world.measure(ablate)
    assert result["n"] == len(world.drawn)
    assert len(result["questions"]) == result["n"]
    if ablate == "both":
        theirs = result["methods"]["text-only dense"]
        assert {g: r["f1"] for g, r in result["methods"]["areorag"].items()} == {g: r["f1"] for g, r in theirs.items()}
    if ablate == "uniform":
        assert result["triage"]["cpr"] == 0, "every conflict costs a side"


def test_masked_and_injected_archives_leave_the_graph_alone(world):
    before = world.db.read("retrieval_stamp")[0]
    full, masked = world.measure(), world.measure(mask=0.7)
    noisy, blind = world.measure(inject=0.5), world.measure("pict", inject=0.5)
    assert world.db.read("retrieval_stamp")[0] == before
    assert world.measure() == full
    assert masked["methods"]["areorag"]["all"]["f1"] <= full["methods"]["areorag"]["all"]["f1"]
    assert noisy["triage"]["copies_met"] > 0
    assert noisy["triage"]["false_in_evidence"] <= noisy["triage"]["false_before_triage"]
    assert blind["triage"]["cpr"] < noisy["triage"]["cpr"]
    gold = {r["id"] for r in world.archive.rows}
    assert not any(i.endswith("~false") for i in gold)


def test_gold_knows_inside_outside_and_the_antimeridian():
    box = outline("POLYGON ((10 10, 12 10, 12 12, 10 12, 10 10))", None, None)
    assert gap_deg(box, {"cap": [11, 11, 0.0]}) < 0
    assert gap_deg(box, {"cap": [13, 11, 0.5]}) == pytest.approx(0.48, abs=0.03)
    point = outline(None, -179.99, 0.0)
    assert gap_deg(point, {"box": [179.0, 181.0, -1.0, 1.0]}) < 0
    assert gap_deg(point, {"box": [170.0, 179.0, -1.0, 1.0]}) == pytest.approx(1.01, abs=0.02)


def test_unknown_ablations_are_refused_with_the_choices():
    with pytest.raises(UsageError, match="sparse"):
        run_regions(ablate="nonsense")


# ---------------------------------------------------------------- on Earth


def test_the_same_code_answers_a_citys_questions(db, server_settings):
    load_city(db, server_settings)
    result = ask_all(city_retriever(db, server_settings.model_copy()))
    assert result["n"] >= 20
    assert result["delivery"] >= 95
    assert result["spatial_dense_pass"] >= 95
    assert result["spatial_sparse_pass"] >= 95
    assert result["semantic_pass"] >= 80
    dinner = next(q for q in result["questions"] if q["id"] == "ny01")
    assert "Yankee Stadium" not in dinner["answers"]
