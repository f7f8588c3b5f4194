"""A question as it may be asked: text with words, not too long, without invisible characters."""

from __future__ import annotations

import unicodedata

from ..errors import EmptyQuestionError, UsageError

MAX_QUESTION = 20_000


def check_question(question: str) -> str:
    """The question with its white space tidied.

    Raises
    ------
    EmptyQuestionError
        It has no words.
    UsageError
        It is longer than 20,000 characters.
    """
    if not isinstance(question, str):
        raise UsageError("a question is text")
    if len(question) > MAX_QUESTION:
        raise UsageError(
            f"the question has {len(question):,} characters, more than {MAX_QUESTION:,}. "
            "Ask it shortly; give long texts to  areorag ingest --text"
        )
    # invisible format characters stand inside words ("ol\u200bivine"): they go; other unprintable ones part words
    visible = (c if c.isprintable() else "" if unicodedata.category(c) == "Cf" else " " for c in question)
    tidy = " ".join("".join(visible).split())
    if not any(c.isalnum() for c in tidy):
        raise EmptyQuestionError('the question is empty. Ask for example  areorag ask "olivine in Jezero"')
    return tidy
