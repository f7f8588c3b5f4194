"""Cross-source interaction entropy and cross-support, from any provider that returns log-probabilities.

AreoRAG Eq. 14–16 with METHODS §5: H is the mean over answer tokens of −Σ_{i≤k} p_i log₂ p_i over the k most probable
tokens, renormalised; H_inter = H(q, p_i ⊕ p_j) − ½[H(q, p_i) + H(q, p_j)], the joint term averaged over both orders.
Cross-support X = ½[NLL(a_i|p_j) − NLL(a_i|p_i) + NLL(a_j|p_i) − NLL(a_j|p_j)] is taken from a forced choice between the two
statements (first token, both orders of the choice), which needs no teacher forcing and so works with any chat endpoint.
ΔH_p = H(q, p) − H(q) of TruthfulRAG is here for the ablation.
"""

from __future__ import annotations

import itertools
import json
import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import BudgetError, ModelError
from .source import Source

if TYPE_CHECKING:
    from ..llm.chat import ChatModel
    from ..llm.messages import TokenChoice
    from ..settings import Settings

log = logging.getLogger(__name__)

TOP_K = 10
MAX_TOKENS = 32
LEAST_P = 1e-4  # a choice that is not among the k first tokens


@dataclass(frozen=True)
class Interaction:
    """H_inter in bits, cross-support X in nats, the terms, the probability mass the truncation to k lost, and calls made."""

    h_inter: float
    h_joint: float
    h_a: float
    h_b: float
    cross_support: float | None
    truncated: float
    calls: int


def token_entropy(choices: Sequence[TokenChoice], k: int = TOP_K) -> tuple[float, float]:
    """(mean entropy in bits over the tokens, mean probability mass beyond the k first); (0, 0) for no tokens.

    H = −(1/|l|) Σ_t Σ_{i≤k} p_i log₂ p_i (AreoRAG Eq. 15), the k probabilities renormalised.
    """
    total, lost, n = 0.0, 0.0, 0
    for choice in choices:
        top = choice.top[:k] or ((choice.token, choice.logprob),)
        probabilities = [math.exp(min(0.0, lp)) for _, lp in top]
        mass = sum(probabilities)
        if mass <= 0:
            continue
        total -= sum(p / mass * math.log2(p / mass) for p in probabilities if p > 0)
        lost += max(0.0, 1.0 - mass)
        n += 1
    return (total / n, lost / n) if n else (0.0, 0.0)


def evidence_text(source: Source) -> str:
    """What a model is shown of one side: instrument, time, resolution and the claim."""
    when = (
        f"MY {source.mars_year} Ls {source.ls_deg:.0f}"
        if source.mars_year is not None and source.ls_deg is not None
        else ""
    )
    scale = f"{source.scale_m:g} m" if source.scale_m is not None else ""
    head = ", ".join(part for part in (source.data_id, source.instrument, scale, when) if part)
    return f"[{head}] {source.subject}: {source.property}: {source.value}. {source.text}"


def answer_entropy(chat: ChatModel, question: str, evidence: Sequence[str]) -> tuple[float, float]:
    """H(P(ans | q, evidence)) in bits and the mass lost to truncation; no evidence gives the parametric H(q).

    Raises
    ------
    ModelError
        The provider returns no log-probabilities.
    """
    from ..llm.prompt import fence, load_prompt

    shown = "\n".join(fence(text) for text in evidence) if evidence else "(none)"
    prompt = load_prompt("triage_answer").render(evidence=shown, question=question)
    reply = chat.complete(prompt, max_tokens=MAX_TOKENS, temperature=0.0, top_logprobs=TOP_K)
    if not reply.logprobs:
        raise ModelError(f"{chat.name} returns no log-probabilities, which interaction entropy needs")
    return token_entropy(reply.logprobs)


def choice_nll(chat: ChatModel, question: str, evidence: str, first: str, second: str) -> tuple[float, float]:
    """(NLL of `first`, NLL of `second`) in nats under one piece of evidence, averaged over both orders of the choice."""
    from ..llm.prompt import fence, load_prompt

    prompt = load_prompt("triage_choice")
    totals = [0.0, 0.0]
    for swapped in (False, True):
        a, b = (second, first) if swapped else (first, second)
        text = prompt.render(evidence=fence(evidence), question=question, first=a, second=b)
        reply = chat.complete(text, max_tokens=2, temperature=0.0, top_logprobs=TOP_K)
        p_a, p_b = _letter_probabilities(reply.logprobs)
        for index, p in enumerate((p_b, p_a) if swapped else (p_a, p_b)):
            totals[index] -= 0.5 * math.log(p)
    return totals[0], totals[1]


def _letter_probabilities(choices: Sequence[TokenChoice]) -> tuple[float, float]:
    found = {"A": 0.0, "B": 0.0}
    for choice in choices:
        top = choice.top or ((choice.token, choice.logprob),)
        seen = {letter: sum(math.exp(lp) for token, lp in top if token.strip().upper() == letter) for letter in found}
        if sum(seen.values()) > 0:
            found = seen
            break
    a, b = max(found["A"], LEAST_P), max(found["B"], LEAST_P)
    return a / (a + b), b / (a + b)


def interaction(chat: ChatModel, question: str, a: Source, b: Source, cross: bool = True) -> Interaction | None:
    """H_inter and X of a pair; None when the budget is used up or the provider cannot (the claims then decide alone)."""
    ea, eb = evidence_text(a), evidence_text(b)
    calls = chat.usage.calls
    try:
        h_a, lost_a = answer_entropy(chat, question, [ea])
        h_b, lost_b = answer_entropy(chat, question, [eb])
        forward, lost_f = answer_entropy(chat, question, [ea, eb])
        backward, lost_g = answer_entropy(chat, question, [eb, ea])
        x = None
        if cross:
            x = 0.0
            if a.value.strip().lower() != b.value.strip().lower():
                own_a, other_b = choice_nll(chat, question, ea, a.value, b.value)
                other_a, own_b = choice_nll(chat, question, eb, a.value, b.value)
                x = 0.5 * (other_a - own_a + other_b - own_b)
    except (BudgetError, ModelError) as exc:
        log.warning("interaction entropy left out: %s", exc)
        return None
    joint = 0.5 * (forward + backward)
    lost = 0.25 * (lost_a + lost_b + lost_f + lost_g)
    return Interaction(joint - 0.5 * (h_a + h_b), joint, h_a, h_b, x, lost, chat.usage.calls - calls)


def parametric_gain(chat: ChatModel, question: str, source: Source) -> float:
    """ΔH_p = H(q, p) − H(q) of TruthfulRAG, bits: the ablation's signal."""
    return answer_entropy(chat, question, [evidence_text(source)])[0] - answer_entropy(chat, question, [])[0]


# ------------------------------------------------------------ ε, a property of the model
def best_epsilon(values: Sequence[float], conflict: Sequence[bool]) -> tuple[float, float]:
    """(ε, balanced accuracy) of the best threshold on labelled pairs; ε lies between two neighbouring values.

    Raises
    ------
    ModelError
        The pairs hold only one kind.
    """
    positives = sum(conflict)
    if positives in (0, len(conflict)):
        raise ModelError("calibrating epsilon needs conflicting and agreeing pairs")
    best = (0.0, 0.0)
    ordered = sorted(set(values))
    cuts = [ordered[0] - 1e-6, *(0.5 * (x + y) for x, y in itertools.pairwise(ordered))]
    for cut in cuts:
        hit = sum(v > cut for v, c in zip(values, conflict, strict=True) if c) / positives
        quiet = sum(v <= cut for v, c in zip(values, conflict, strict=True) if not c) / (len(conflict) - positives)
        score = 0.5 * (hit + quiet)
        if score > best[1]:
            best = (cut, score)
    return best


def area_under_curve(values: Sequence[float], conflict: Sequence[bool]) -> float:
    """Probability that a conflicting pair has the larger value (Mann-Whitney), ties half."""
    up = [v for v, c in zip(values, conflict, strict=True) if c]
    down = [v for v, c in zip(values, conflict, strict=True) if not c]
    wins = sum((x > y) + 0.5 * (x == y) for x in up for y in down)
    return wins / max(1, len(up) * len(down))


def _store(settings: Settings) -> Path:
    return settings.cache_dir / "epsilon.json"


def calibrate(chat: ChatModel, pairs: Sequence[dict[str, Any]], settings: Settings) -> dict[str, Any]:
    """Calibrate ε of a model on labelled pairs and keep it beside the reply cache.

    Returns
    -------
    dict
        model, epsilon (bits, at least 1e-3), balanced accuracy, AUC of H_inter and of X, n, cost.
    """
    h, x, labels = [], [], []
    for pair in pairs:
        found = interaction(
            chat, str(pair["question"]), Source.from_pair_json(pair["a"]), Source.from_pair_json(pair["b"])
        )
        if found is not None:
            h.append(found.h_inter)
            x.append(found.cross_support or 0.0)
            labels.append(pair["label"] != "none")
    epsilon, balanced = best_epsilon(h, labels)
    result = {
        "model": chat.name,
        "epsilon": max(epsilon, 1e-3),
        "balanced": balanced,
        "auc_h_inter": area_under_curve(h, labels),
        "auc_cross_support": area_under_curve(x, labels),
        "n": len(h),
        "cost": chat.usage.as_dict(),
    }
    path = _store(settings)
    known = json.loads(path.read_text("utf-8")) if path.is_file() else {}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(known | {chat.name: result}, indent=1), "utf-8")
    return result


def epsilon_of(name: str, settings: Settings) -> float:
    """ε of a model, bits: calibrated here, else as shipped, else the setting (the paper's 0.3 for Llama-3-8B)."""
    path = _store(settings)
    shipped = resources.files(__package__).joinpath("data", "epsilon.json")
    for text in (path.read_text("utf-8") if path.is_file() else "{}", shipped.read_text("utf-8")):
        found = json.loads(text).get(name)
        if found is not None:
            return float(found["epsilon"])
    return settings.epsilon
