"""The judged questions, a tool's answers to them, and the measures of these.

A file of answers has a JSON object a line: `blog` and `query` as the questions have them, `sources`
(at most ten posts, the best first), `shown` (the text that the tool gave), and perhaps `tokens`
(else they are estimated) and `low` (whether the tool said that the blog has nothing on it). Further
keys are ignored. A question without a line counts as not answered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from pydantic import BaseModel, ConfigDict

from benchmarks.quality.blogs import Question, name_blog, read_lines
from benchmarks.quality.metrics import DEPTH, READ, ndcg
from benchmarks.quality.queries import fold
from examples.agent.loop import tokens_of

QUESTIONS = Path(__file__).parents[1] / "questions"
MEASURES = ("hit@1", "hit@5", "nDCG@10", "evidence", "tokens", "false low", "absent low")


class Answer(BaseModel):
    """What a tool answered to one question."""

    model_config = ConfigDict(frozen=True)

    blog: str
    query: str
    sources: tuple[str, ...] = ()
    shown: str = ""
    tokens: int | None = None
    low: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """The measures of one language, or of all; `None` where it has no such question."""

    language: str
    questions: int
    measures: tuple[float | None, ...]
    """By MEASURES: shares in [0, 1], and the mean tokens of an answer."""


def read_questions(folder: Path, blogs: Iterable[str] = ()) -> list[Question]:
    """Read the questions on these blogs, or on all. Raises UsageError."""
    wanted, questions = {*blogs}, list[Question]()
    for file in sorted(folder.glob("*.jsonl")):
        blog = name_blog(file)
        if not wanted or blog in wanted:
            questions += [q.model_copy(update={"blog": blog}) for q in read_lines(file, Question)]
    return questions


def read_answers(file: Path) -> dict[tuple[str, str], Answer]:
    """Read a file of answers, by blog and query. Raises UsageError."""
    return {(answer.blog, answer.query): answer for answer in read_lines(file, Answer)}


def score(
    questions: Sequence[Question], answers: Mapping[tuple[str, str], Answer]
) -> Iterator[Row]:
    """Measure the answers to all questions, then to those in each language."""
    for language in ("all", *sorted({question.lang for question in questions})):
        pairs = [
            (q, answers.get((q.blog, q.query), Answer(blog=q.blog, query=q.query)))
            for q in questions
            if language in ("all", q.lang)
        ]
        yield Row(language, len(pairs), _measure(pairs))


def _measure(pairs: Sequence[tuple[Question, Answer]]) -> tuple[float | None, ...]:
    answerable = [(q, a, _rank(q, a.sources)) for q, a in pairs if q.source]
    evidence = [fold(q.evidence) in fold(a.shown) for q, a, _ in answerable if q.evidence]
    tokens = [tokens_of(a.shown) if a.tokens is None else a.tokens for _, a in pairs]
    values: tuple[Sequence[float], ...] = (
        [rank <= 1 for *_, rank in answerable],
        [rank <= READ for *_, rank in answerable],
        [ndcg([rank], 1) for *_, rank in answerable],
        evidence,
        tokens,
        [a.low for _, a, rank in answerable if rank <= READ],
        [a.low for q, a in pairs if not q.source],
    )
    return tuple(fmean(each) if each else None for each in values)


def _rank(question: Question, sources: Sequence[str]) -> int:
    """Return the rank of the first right post from 1; one behind DEPTH if none is listed."""
    right = (question.source, *question.also)
    ranks = (rank for rank, source in enumerate(sources, 1) if source in right)
    return next(ranks, DEPTH + 1)
