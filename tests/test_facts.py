"""Sentences of messy text, small-to-big search, and the facts evaluation."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from areorag.errors import SelectionError, UnknownNameError
from areorag.evaluate import facts
from areorag.llm.chat import ChatModel
from areorag.llm.scripted import ScriptedBackend
from areorag.retrieval.selection.sentences import SentenceIndex, SentenceOptions, split_sentences
from areorag.retrieval.selection.sentences_glue import Glue
from areorag.retrieval.selection.sentences_overlap import Overlap
from areorag.retrieval.selection.sentences_short_forms import ShortForms, long_form
from areorag.retrieval.selection.tokens import stem, words

SHARED = Path(__file__).resolve().parents[1].parent / "shared" / "data" / "khqa"
DOCUMENT = (
    "Frost forms on the crater floor.12 It lasts until dawn.The albedo ofthe frost is high. "
    "Treatment ofthe sample was described by A. Novak et al. in the annex. Wind removes dust fromtheslopes every spring. "
    "Basalt is common. The rover took 3 images (Fig. 2). • Calibration isrecommended before each drive. • Dust covers the mast."
)


class WordEmbedder:
    """Bag of hashed stems."""

    def embed(self, texts):
        out = np.full((len(texts), 64), 1e-3)
        for i, t in enumerate(texts):
            for w in words(t):
                out[i, sum(ord(c) * (j + 3) for j, c in enumerate(stem(w.text))) % 64] += 1
        return out / np.linalg.norm(out, axis=1, keepdims=True)


def test_sentences_tile_the_text_and_end_where_sentences_end():
    spans = split_sentences(DOCUMENT)
    assert spans[0][0] == 0
    assert spans[-1][1] == len(DOCUMENT)
    assert all(a[1] == b[0] for a, b in pairwise(spans))
    texts = [DOCUMENT[a:b].strip() for a, b in spans]
    assert "It lasts until dawn." in texts[1]
    assert any(t.startswith("The albedo ofthe frost") for t in texts), "an end glued to the next sentence"
    assert sum(t.startswith("•") for t in texts) == 2


def test_a_table_without_full_stops_is_cut_and_nothing_is_lost():
    text = "value " * 1000
    spans = split_sentences(text)
    assert len(spans) == 10
    assert "".join(text[a:b] for a, b in spans) == text
    assert split_sentences("") == []
    assert split_sentences(" \n ") == []


def test_passages_stay_within_the_words_and_are_verbatim():
    documents = [DOCUMENT * 8, "Short."]
    index = SentenceIndex(documents, WordEmbedder())
    found = index.search("How high is the albedo of the frost?", 6)
    assert len(found) == 6
    for f in found:
        assert len(f.text.split()) <= 120
        assert f.text == documents[f.document][f.start : f.end].strip()
    assert "albedo ofthe frost" in found[0].text
    assert [f.gain for f in found] == sorted((f.gain for f in found), reverse=True)


def test_glued_words_are_found_by_grams_and_missed_by_words():
    documents = ["Wind removes dust fromtheslopes. " + "Basalt is common there. " * 30, "A slope is a slant. " * 3]
    q = "the slopes"
    by_grams = SentenceIndex(documents, WordEmbedder()).lexicon.scores(q)
    by_words = SentenceIndex(documents, WordEmbedder(), options=SentenceOptions(grams=False)).lexicon.scores(q)
    assert np.argmax(by_grams) == 0
    assert np.argmax(by_words) != 0


def test_a_sentence_printed_three_times_is_one_demand():
    documents = [
        "Calibration is recommended before each drive. Alpha is first.",
        "Calibration isrecommended before each drive.",
    ] * 2
    index = SentenceIndex(documents, WordEmbedder())
    assert index.n_groups == 2
    found = index.search("When is calibration recommended?", 2)
    assert found[0].gain > 0
    assert found[1].gain == pytest.approx(0.0)


def test_odd_documents_give_a_named_error_or_a_result():
    with pytest.raises(SelectionError, match="no sentence"):
        SentenceIndex(["", " "], WordEmbedder())
    index = SentenceIndex(["Ice.", "", "\u200b‮Dust is here."], WordEmbedder())
    assert len(index.search("dust", 50)) == len(index.windows)
    assert index.search("?" * 3, 1)
    with pytest.raises(SelectionError, match="k is 0"):
        index.search("dust", 0)


def write(path, rows):
    path.write_text("\n".join(json.dumps(r) for r in rows), "utf-8")
    return path


def test_eval_facts_gives_the_contract_and_counts_only_located_questions(tmp_path):
    corpus = write(tmp_path / "c.jsonl", [{"id": "d", "title": "", "text": DOCUMENT}])
    rows = [
        {
            "id": "a",
            "question": "How high is the albedo of the frost?",
            "gold_sentences": ["The albedo of the frost is high."],
            "hops": 1,
        },
        {
            "id": "b",
            "question": "What covers the mast?",
            "gold_sentences": ["Dust covers the mast.", "Basalt is common."],
            "hops": 2,
        },
        {"id": "c", "question": "What is not there?", "gold_sentences": ["Nothing of this kind."], "hops": 1},
        {"id": "d", "question": "Unlabelled?"},
    ]
    got = facts.run(corpus, write(tmp_path / "q.jsonl", rows), embedder=WordEmbedder())
    assert (got["n"], got["located"]) == (4, 2)
    assert got["all_gold"] == {"5": 100.0, "10": 100.0, "20": 100.0}
    assert got["by_hops"]["multi"]["n"] == 1
    assert [h["5"] for h in got["halves"]] == [100.0, 100.0]
    assert got["by_hops"]["1"]["all_gold"]["5"] == 100.0
    assert 0 < got["r_s"] <= 100.01
    assert [s["id"] for s in got["selected"]] == ["a", "b", "c", "d"]
    bare = write(tmp_path / "b.jsonl", [{k: r[k] for k in ("id", "question")} for r in rows])
    blind = facts.run(corpus, bare, embedder=WordEmbedder())
    assert blind["selected"] == got["selected"], "gold is never read for retrieval"
    assert blind["recall"]["5"] is None
    assert blind["r_s"] is None
    assert "answers" not in got, "without a language model nothing is answered"


def test_eval_facts_answers_with_a_model_from_what_was_found(tmp_path):
    corpus = write(tmp_path / "c.jsonl", [{"id": "d", "title": "", "text": DOCUMENT}])
    row = {
        "id": "a",
        "question": "What covers the mast?",
        "gold_sentences": ["Dust covers the mast."],
        "answers": ["DUST"],
    }
    backend = ScriptedBackend(['{"answer": "Dust"}'])
    questions = write(tmp_path / "q.jsonl", [row])
    got = facts.run(corpus, questions, embedder=WordEmbedder(), chat=ChatModel(backend))["answers"]
    assert (got["n"], got["em"], got["f1"], got["usage"]["calls"]) == (1, 100.0, 100.0, 1)
    assert "Dust covers the mast." in backend.requests[0].messages[0].content


MESSY = (
    "Cloud cover over the basin is summarised by Novak and colleagues in their yearly report. "
    "The dust storm index (DSI) rises in southern spring. The DSI was highest in the basin, wind was weak. "
    "DSI, dust storm index; TES, thermal emission spectrometer. Wind lifts dust from the basin ofthe plain. "
    "Contents of the report: dust storm index .......... 4. "
) + "Basalt is common on the northern plain. Ridges are seen in many images. " * 12


@pytest.mark.parametrize("name", facts.ABLATIONS)
def test_every_ablation_switches_something_off(name):
    question = "How high was the dust storm index in the basin, and what lifts dust from the plain?"
    whole, less = (SentenceIndex([MESSY], WordEmbedder(), options=facts.ablated(n)) for n in (None, name))
    if name == "target":
        assert len(less.windows) < len(whole.windows)
    else:
        assert not np.allclose(whole.scores(question), less.scores(question))


def test_the_text_says_what_its_short_forms_stand_for():
    found = ShortForms.find([MESSY, "It is high (Fig. 2). Nine sites (see NASA) and the Big One (which)."]).long
    assert found == {"DSI": "dust storm index", "TES": "thermal emission spectrometer"}
    forms = ShortForms(found)
    assert forms.spell_out("highDSI, the DSIs and TESS") == (
        "highdust storm index (DSI), the dust storm index (DSI)s and TESS"
    )
    assert ShortForms({}).spell_out("DSI") == "DSI"
    assert long_form("DSI", "no such words") is None


def test_a_short_form_is_found_by_its_long_form():
    documents = ["The dust storm index (DSI) is defined elsewhere.", "In spring the DSI was low. " + "Basalt. " * 60]
    question = "When was the dust storm index low?"
    both, plain = (
        SentenceIndex(documents, WordEmbedder(), options=SentenceOptions(short_forms=on)) for on in (True, False)
    )
    at = next(i for i, u in enumerate(both.units) if u.document == 1)
    assert len(both.readings) == 2
    assert len(plain.readings) == 1
    assert both.scores(question)[at] > plain.scores(question)[at] + 0.2


def test_authors_and_title_of_a_reference_are_one_sentence():
    text = "The end came later. 12. Novak A, Ito B, etal. Frost on the crater floor, e.g. Gale. Icarus 2001;3:4."
    found = [text[a:b].strip() for a, b in split_sentences(text)]
    assert found[1].startswith("12. Novak A"), "the number of a reference begins it"
    assert found[1].endswith("crater floor, e.g. Gale.")
    text = "J Ice 2004;2:7. doi.org/10.1/b133 1010. Ito B. Frost in spring. It began in 2018. The next came late."
    found = [text[a:b].strip() for a, b in split_sentences(text)]
    assert any(t.startswith("1010. Ito B") for t in found)
    assert "It began in 2018." in found, "a year that ends a sentence is no number of a list"


def test_a_line_of_the_table_of_contents_asks_for_less_than_the_sentence_it_names():
    index = SentenceIndex([MESSY], WordEmbedder())
    texts = [MESSY[u.start : u.end] for u in index.units]
    assert [w for t, w in zip(texts, index.weight, strict=True) if "...." in t] == [0.25]
    assert sum(w == 1.0 for w in index.weight) == len(texts) - 1


def test_questions_asked_together_score_as_they_do_alone():
    index = SentenceIndex([MESSY], WordEmbedder())
    questions = ["What lifts dust?", "What is the DSI?"]
    for asked, text in zip(index.ask(questions), questions, strict=True):
        np.testing.assert_allclose(index.scores(asked), index.scores(text), atol=1e-6)
    assert index.ask([]) == []


def test_an_unknown_ablation_is_a_named_error():
    with pytest.raises(UnknownNameError, match="everything"):
        facts.ablated("everything")


@pytest.mark.shared
@pytest.mark.slow
def test_facts_reach_their_figures_on_the_shared_guideline():
    corpus = SHARED / "hypertension_corpus.jsonl"
    if not corpus.is_file():
        pytest.skip("../shared/data/khqa is absent")
    got = facts.run(corpus, SHARED / "hypertension_questions.jsonl")
    assert got["all_gold"]["5"] >= 62.0
    assert got["by_hops"]["multi"]["all_gold"]["5"] >= 28.0
    assert got["all_gold"]["20"] >= 72.0


def test_words_that_a_corpus_has_glued_are_parted_and_others_are_not():
    corpus = [
        "The management of ice in the basin, for the winter, was slow. In the basin, patients of frost were seen in patients of ice.",
        "forthe management ofice inthe basin; itisrecommended for patients",
        "It is recommended, and recommended again. An atrial trial was inactive, and a trial was active. The island has land. because of the cause",
        "Before the end, another other. inpatients with ice",
    ]
    glue = Glue.find(corpus)
    assert glue.mend("forthe management ofice inthe basin") == "for the management of ice in the basin"
    assert glue.mend("Itisrecommended") == "It is recommended"
    assert glue.mend("inpatients") == "in patients", "the corpus has them side by side"
    for word in ("inactive", "island", "because", "Before", "another", "basin", "patients"):
        assert glue.mend(word) == word
    assert glue.mend("meas- urement of levels,the JIce Review") == "measurement of levels, the JIce Review"
    assert Glue.find([]).mend("forthe") == "forthe"
    clean = [
        "Wind moves dust over the plain. " * 100,
        "The areas are as notable as they are able, and not able to see.",
    ]
    assert Glue.find(clean).mend("areas notable") == "areas notable", "a clean text has nothing to part"


def test_sentences_are_linked_by_phrases_that_few_share():
    texts = [
        "Nocturnal frost on the crater floor was measured.",
        "The crater was seen by an orbiter in spring.",
        "Nocturnal frost may be thin or thick.",
        "Wind moves dust.",
        "Nocturnal frost may be thin or thick.",
    ]
    overlap = Overlap([(t,) for t in texts], np.array([0, 1, 2, 3, 2]))
    link = overlap.of(0)
    assert link[2] == link[4], "a repeated sentence counts once as a holder of its phrases"
    assert link[2] > link[1] > link[3] == 0.0
    assert ((link >= 0) & (link < 1)).all()
    common = Overlap([(f"Frost at site {chr(97 + i % 26)}{i}",) for i in range(80)], np.arange(80))
    assert common.of(0)[1:].max() == 0.0, "what most sentences share links nothing"


def test_the_second_hop_shares_a_phrase_with_the_first_and_no_word_with_the_question():
    first = "The albedo anomaly lies beside Zarnitsa ridge."
    second = "Zarnitsa ridge holds tridymite."
    others = [f"Plain number {i} is covered by sand and a little gravel of grade {i}." for i in range(30)]
    documents = [*others[:10], first, *others[10:20], second, *others[20:]]
    question = "What is found where the albedo anomaly lies?"
    ranks = []
    for name in (None, "ewo"):
        index = SentenceIndex(documents, WordEmbedder(), options=facts.ablated(name))
        order = list(np.argsort(-index.scores(question)))
        ranks.append(order.index(documents.index(second)))
    assert ranks[0] == 1
    assert ranks[0] < ranks[1]
