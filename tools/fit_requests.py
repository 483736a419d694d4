"""`python -m tools.fit_requests CORPORA... --questions DIR`: fit `index/data/requests.json`.

The sentences of `tools/requests/asking.tsv` ask for posts, each about a topic of `topics.tsv` or a
heading of the corpora. The queries of `other.tsv`, the topics, and the corpora's headings, titles,
questions and judged queries ask for none. Left out are the corpora that ranking is not fitted on.
Printed is how the sentences of `benchmarks/quality/requests.txt`, on which nothing is fitted, are
cut by weights that were fitted without the blog that their headings are of. scipy is the one
further package: `pip install --group fit`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import TypeAlias

from benchmarks.options import cache_folder
from benchmarks.provenance import read_commit
from benchmarks.quality.corpora import Corpus, read_collections, read_corpora
from benchmarks.quality.queries import read_requests
from benchmarks.quality.types import JUDGED, Query
from blog_search_mcp.index.analysis.languages import language_of, primary_subtag
from blog_search_mcp.index.analysis.request import (
    MODEL_FILE,
    RequestModel,
    find_cuts,
    mask_unknown,
    split_units,
)
from tools.fit_ranking import ASIDE
from tools.request_field import Example, fit_weights

Queries: TypeAlias = Sequence[Sequence[str]]
"""As their words are compared."""

SENTENCES = Path(__file__).with_name("requests")
SLOT = "{}"
"""Stands for the subject in a sentence."""

LIMIT = 700
"""Headings of a blog, and judged queries of a collection; of titles five times as many."""

LONGEST_SUBJECT = 70
"""Characters of a heading that stands for a subject."""

SUBJECTS = 2
"""Subjects that each sentence is fitted with, which together count as one sentence."""

BORROWED = 0.2
"""Share of the sentences whose subject is in English, and of English ones in Chinese."""

LEAST_SENTENCES = 2
"""Sentences that a word must be in to be known. A word of one alone is more often the subject's."""

CUT_WRONGLY = 0.03
"""Share that may be cut of the queries that ask for no posts."""

ODDS = tuple(step / 2.0 for step in range(13))
"""That are tried."""


def main() -> int:
    """Fit and write; return the exit status."""
    parser = argparse.ArgumentParser(prog="tools.fit_requests", description=__doc__)
    parser.add_argument("corpora", type=Path, nargs="+")
    parser.add_argument("--questions", type=Path, required=True)
    options = parser.parse_args()
    blogs = read_corpora(options.corpora, options.questions, LIMIT)
    collections = read_collections(options.corpora, cache_folder(os.environ), LIMIT)
    fitted = [corpus for corpus in (*blogs, *collections) if corpus.name not in ASIDE]
    model = fit(fitted)
    models = {
        blog.name: fit([corpus for corpus in fitted if corpus is not blog])
        if blog in fitted
        else model
        for blog in blogs
    }
    held_out = [split_words(text) for _, text in _read_sentences("held_out.tsv")]
    groups = [(models[blog.name], _own_others(blog)) for blog in blogs if blog in fitted]
    least = {"least_odds": choose_least_odds([*groups, (model, held_out)])}
    for blog in blogs:
        report(blog, models[blog.name].model_copy(update=least))
    MODEL_FILE.write_text(_dump(model.model_copy(update=least)), encoding="utf-8")
    return 0


def _dump(model: RequestModel) -> str:
    """JSON with a line for each field."""
    values = model.model_dump() | {"words": sorted(model.words)}
    lines = (f'"{name}": {json.dumps(each, ensure_ascii=False)}' for name, each in values.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def fit(corpora: Sequence[Corpus]) -> RequestModel:
    """Fit everything but `least_odds`, rounded to two digits."""
    asking = _read_sentences("asking.tsv")
    known = find_known_words(text for _, text in asking)
    written = (*_read_sentences("other.tsv"), *_read_sentences("topics.tsv"))
    others = make_others(corpora, [text for _, text in written])
    examples = [*make_requests(asking, corpora), *others]
    masked = [Example(mask_unknown(each.words, known), each.cuts, each.weight) for each in examples]
    weights = fit_weights(masked)
    return RequestModel(
        command="python -m tools.fit_requests CORPORA --questions QUESTIONS",
        commit=read_commit().removesuffix("-dirty"),
        fitted_on=tuple(sorted(corpus.name for corpus in corpora)),
        words=known,
        least_odds=0.0,
        **weights,
    )


def _read_sentences(name: str) -> list[tuple[str, str]]:
    lines = (SENTENCES / name).read_text(encoding="utf-8").splitlines()
    return [(language, text) for language, text in (line.split("\t") for line in lines)]


def find_known_words(sentences: Iterable[str]) -> frozenset[str]:
    """The words, letters and signs around the subjects of enough sentences."""
    counts = Counter(
        word
        for sentence in sentences
        for word in {unit.word for part in sentence.split(SLOT) for unit in split_units(part)}
    )
    return frozenset(word for word, count in counts.items() if count >= LEAST_SENTENCES)


def make_requests(
    asking: Iterable[tuple[str, str]], corpora: Iterable[Corpus]
) -> Iterator[Example]:
    """Put subjects into the sentences, by hash."""
    subjects: dict[str, list[str]] = defaultdict(list)
    for language, text in (*_read_sentences("topics.tsv"), *_headings(corpora)):
        if len(text) <= LONGEST_SUBJECT and SLOT not in text and any(map(str.isalnum, text)):
            subjects[language].append(text)
    for language, sentence in asking:
        for number in range(SUBJECTS):
            drawn = zlib.crc32(f"{number} {sentence}".encode())
            if drawn % 1000 < 1000 * BORROWED:
                among = subjects["zh" if language == "en" else "en"]
            else:
                among = subjects[language]
            yield put_subject(sentence, among[drawn // 1000 % len(among)])


def _headings(corpora: Iterable[Corpus]) -> Iterator[tuple[str, str]]:
    for corpus in corpora:
        for query in corpus.queries:
            if query.kind == "heading":
                yield language_of(query.text) or primary_subtag(corpus.language), query.text


def put_subject(sentence: str, subject: str) -> Example:
    """Put a subject into a sentence; cut are the words that overlap it."""
    start = sentence.index(SLOT)
    end = start + len(subject)
    units = split_units(sentence.replace(SLOT, subject))
    inside = [place for place, unit in enumerate(units) if unit.end > start and unit.start < end]
    cuts = (inside[0], inside[-1] + 1)
    return Example([unit.word for unit in units], cuts, 1.0 / SUBJECTS)


def make_others(corpora: Iterable[Corpus], written: Iterable[str]) -> Iterator[Example]:
    """Take what asks for no posts, which is to stay whole."""
    asked = (query.text for corpus in corpora for query in _others_of(corpus))
    for text in dict.fromkeys((*written, *asked)):
        if words := split_words(text):
            yield Example(words, (0, len(words)), 1.0)


def _others_of(corpus: Corpus) -> Iterator[Query]:
    for query in (*corpus.queries, *corpus.absent):
        is_question = query.kind.startswith("question")
        if is_question or query.kind in {"heading", "title", "absent", JUDGED}:
            yield query


def choose_least_odds(groups: Sequence[tuple[RequestModel, Queries]]) -> float:
    """The least odds by which few enough queries that ask for no posts are cut.

    `groups` are queries, each with the model that was fitted without them; the last are those of
    `held_out.tsv`. They count as much as one another.
    """
    for odds in ODDS:
        shares = [
            _share_cut(model.model_copy(update={"least_odds": odds}), queries)
            for model, queries in groups
        ]
        if mean(shares) <= CUT_WRONGLY:
            print(f"least odds {odds}: cut wrongly {shares[-1]:.3f} of held_out.tsv")  # noqa: T201
            return odds
    raise ValueError(f"More than {CUT_WRONGLY} are cut wrongly by odds of {ODDS[-1]}.")


def _share_cut(model: RequestModel, queries: Queries) -> float:
    cut = sum(find_cuts(words, model) != (0, len(words)) for words in queries)
    return cut / len(queries)


def split_words(text: str) -> list[str]:
    """The words of a query as they are compared."""
    return [unit.word for unit in split_units(text)]


def _own_others(blog: Corpus) -> Queries:
    return [each.words for each in make_others([blog], written=())]


def report(blog: Corpus, model: RequestModel) -> None:
    """Print how requests for the blog's headings are cut, and what of the blog is cut wrongly."""
    headings = [query.text for query in blog.queries if query.kind == "heading"]
    row = [f"{blog.name:<20}"]
    for language, sentences in read_requests().items():
        found = [
            _compare(put_subject(sentence, headings[number % len(headings)]), model)
            for number, sentence in enumerate((*sentences, *sentences))
        ]
        whole, less = (sum(map(word.__eq__, found)) / len(found) for word in ("whole", "less"))
        row.append(f"{language} whole {whole:.2f} less {less:.2f}")
    others = _own_others(blog)
    cut = sum(find_cuts(words, model) != (0, len(words)) for words in others)
    print(*row, f"cut wrongly {cut} of {len(others)}", sep="   ")  # noqa: T201


def _compare(example: Example, model: RequestModel) -> str:
    first, last = find_cuts(example.words, model)
    if (first, last) == example.cuts:
        return "whole"
    return "more" if first <= example.cuts[0] and last >= example.cuts[1] else "less"


if __name__ == "__main__":
    sys.exit(main())
