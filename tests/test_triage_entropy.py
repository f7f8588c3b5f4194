"""Interaction entropy and cross-support from scripted log-probabilities with known values."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from areorag.errors import ModelError
from areorag.llm.chat import Budget, ChatModel
from areorag.llm.messages import Reply, Request, TokenChoice
from areorag.settings import load_settings
from areorag.triage.entropy import (
    area_under_curve,
    best_epsilon,
    calibrate,
    choice_nll,
    epsilon_of,
    interaction,
    token_entropy,
)
from areorag.triage.source import Source

A = Source("A", "the plain", "ice", "thick ice", "Radar shows thick ice.")
B = Source("B", "the plain", "ice", "no ice", "The surface is dry.")


def uniform(n: int) -> TokenChoice:
    lp = math.log(1.0 / n)
    return TokenChoice("x", lp, tuple((f"t{i}", lp) for i in range(n)))


class Backend:
    """A provider whose certainty depends on how many sources it is shown, and which supports its own source."""

    name = "test:scripted"

    def __init__(self, logprobs: bool = True) -> None:
        self.asked: list[str] = []
        self.logprobs = logprobs

    def send(self, request: Request) -> Reply:
        text = request.messages[-1].content
        self.asked.append(text)
        if not self.logprobs:
            return Reply("x", 1, 1)
        if "Letter:" in text:
            own = "thick ice" if "Radar" in text.split("Question:")[0] else "no ice"
            letter = "A" if f"A: {own}" in text else "B"
            other = "B" if letter == "A" else "A"
            top = ((letter, math.log(0.9)), (other, math.log(0.1)))
            return Reply(letter, 1, 1, (TokenChoice(letter, math.log(0.9), top),))
        both = text.count("<<SOURCE") == 2
        return Reply("x", 1, 1, (uniform(8 if both else 2),) * 3)


def test_entropy_of_uniform_choices_is_their_logarithm() -> None:
    assert token_entropy([uniform(8)])[0] == pytest.approx(3.0)
    assert token_entropy([uniform(2), uniform(8)])[0] == pytest.approx(2.0)
    assert token_entropy([]) == (0.0, 0.0)


def test_truncation_reports_the_mass_it_lost() -> None:
    half = TokenChoice("a", math.log(0.5), (("a", math.log(0.25)), ("b", math.log(0.25))))
    h, lost = token_entropy([half])
    assert h == pytest.approx(1.0)  # renormalised
    assert lost == pytest.approx(0.5)


def test_interaction_is_joint_entropy_over_the_mean_of_both_orders() -> None:
    backend = Backend()
    found = interaction(ChatModel(backend), "Is there ice?", A, B)
    assert found is not None
    assert found.h_inter == pytest.approx(3.0 - 1.0)
    joint = [t for t in backend.asked if t.count("<<SOURCE") == 2]
    assert len(joint) == 2
    assert joint[0].index("Radar") < joint[0].index("dry")
    assert joint[1].index("Radar") > joint[1].index("dry")


def test_cross_support_is_positive_where_each_source_supports_its_own_claim_and_zero_for_one_value() -> None:
    chat = ChatModel(Backend())
    found = interaction(chat, "Is there ice?", A, B)
    assert found is not None
    assert found.cross_support == pytest.approx(math.log(0.9 / 0.1))
    same = interaction(chat, "Is there ice?", A, A)
    assert same is not None
    assert same.cross_support == 0.0
    own, other = choice_nll(chat, "Is there ice?", A.text, A.value, B.value)
    assert own < other


def test_without_log_probabilities_or_budget_the_claims_decide_alone() -> None:
    assert interaction(ChatModel(Backend(logprobs=False)), "Is there ice?", A, B) is None
    assert interaction(ChatModel(Backend(), budget=Budget(max_calls=2)), "Is there ice?", A, B) is None


def test_epsilon_separates_what_can_be_separated() -> None:
    epsilon, balanced = best_epsilon([0.0, 0.1, 0.9, 1.0], [False, False, True, True])
    assert 0.1 < epsilon < 0.9
    assert balanced == 1.0
    assert area_under_curve([0.0, 0.1, 0.9, 1.0], [False, False, True, True]) == 1.0
    with pytest.raises(ModelError):
        best_epsilon([0.1], [True])


def test_calibration_is_kept_per_model(tmp_path: Path) -> None:
    settings = load_settings(cache_dir=tmp_path)
    side = {"data_id": "x", "claim": {"subject": "s", "property": "p", "value": "v", "text": "t"}}
    pairs = [{"question": "q", "a": side, "b": side, "label": label} for label in ("none", "scale")]
    result = calibrate(ChatModel(Backend()), pairs, settings)
    assert epsilon_of("test:scripted", settings) == result["epsilon"]
    assert epsilon_of("another", settings) == settings.epsilon
