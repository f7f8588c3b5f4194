"""Questions that ask for the finest, the latest or the closest records."""

from __future__ import annotations

import pytest

from areorag.retrieval.intent.grammar import parse_intent


@pytest.mark.parametrize(
    ("question", "order"),
    [
        ("the finest observations of Jezero", "finest"),
        ("highest-resolution DTM of Jezero", "finest"),
        ("which image of Jezero is the sharpest?", "finest"),
        ("the coarsest maps of Gale", "coarsest"),
        ("latest HiRISE image of Gale crater", "latest"),
        ("the three most recent CRISM observations of Nili Fossae", "latest"),
        ("the oldest images of Gale", "earliest"),
        ("Which CTX records lie closest to 18.4N, 77.5E?", "closest"),
        ("the nearest observations to Kodiak", "closest"),
        ("Die neuesten Aufnahmen von Jezero", "latest"),
        ("las imágenes más recientes de Gale", "latest"),
        ("les images les plus détaillées de Jezero", "finest"),
        ("the oldest rocks in Jezero", None),
        ("What is the first layer of the Kodiak delta?", None),
        ("first half of MY 34 images of Gale", None),
        ("dust storms that last weeks and images of them", None),
        ("the latest version of the data", None),
        ("earliest evidence of water in images", None),
        ("HiRISE images near Jezero", None),
    ],
)
def test_the_order_is_read_beside_a_word_for_records_only(question: str, order: str | None) -> None:
    intent = parse_intent(question)
    assert intent.order == order
    assert intent.contract().get("order") == order
    assert any(r.field == "order" for r in intent.readings) == (order is not None)
