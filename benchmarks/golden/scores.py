"""A program's answers to the judged questions, and their measures.

benchmarks/questions/README.md explains the files and the measures. Unknown keys are ignored. A
question without a line counts as answered without a post and without `low`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean

from pydantic import BaseModel, ConfigDict

from benchmarks.quality.blogs import Question, read_lines
from benchmarks.quality.metrics import READ, gain, rank_of
from benchmarks.quality.queries import fold
from examples.agent.loop import tokens_of

QUESTIONS = Path(__file__).parents[1] / "questions"
MEASURES = ("hit@1", "hit@5", "nDCG@10", "evidence", "tokens", "false low", "absent low")
"""Names of the measures: shares in [0, 1], and the mean number of tokens of an answer."""


class Answer(BaseModel):
    """The answer of a program to one question."""

    model_config = ConfigDict(frozen=True)

    blog: str
    query: str
    sources: tuple[str, ...] = ()
    shown: str = ""
    tokens: int | None = None
    low: bool = False


def read_answers(file: Path) -> dict[tuple[str, str], Answer]:
    """Read a file of answers; return them by blog and query. Raises UsageError."""
    return {(answer.blog, answer.query): answer for answer in read_lines(file, Answer)}


def score(
    questions: Sequence[Question], answers: Mapping[tuple[str, str], Answer]
) -> Iterator[tuple[str, int, Sequence[float | None]]]:
    """Yield a language, its number of questions, and the MEASURES of their answers.

    All languages together come first. A measure is `None` if no question has it.
    """
    for language in ("all", *sorted({question.lang for question in questions})):
        pairs = [
            (q, answers.get((q.blog, q.query), Answer(blog=q.blog, query=q.query)))
            for q in questions
            if language in ("all", q.lang)
        ]
        yield language, len(pairs), _measure(pairs)


def _measure(pairs: Sequence[tuple[Question, Answer]]) -> tuple[float | None, ...]:
    answerable = [(q, a, rank_of(q.asked.right, a.sources)) for q, a in pairs if q.source]
    evidence = [fold(q.evidence) in fold(a.shown) for q, a, _ in answerable if q.evidence]
    tokens = [tokens_of(a.shown) if a.tokens is None else a.tokens for _, a in pairs]
    values: tuple[Sequence[float], ...] = (
        [rank <= 1 for *_, rank in answerable],
        [rank <= READ for *_, rank in answerable],
        [gain(rank) for *_, rank in answerable],
        evidence,
        tokens,
        [a.low for _, a, rank in answerable if rank <= READ],
        [a.low for q, a in pairs if not q.source],
    )
    return tuple(fmean(each) if each else None for each in values)
