"""How well `suggest_links` predicts the links that a blog's posts have.

Each post's links to older posts are taken out and are to be found again, once with their words
left as plain text and once without them. Links that are all of an item or row, and links to the
next and previous post, are no part of it. Posts that are newer count neither as targets nor by
their own links. Vectors are those of the index, which has the link words in both variants.
"""

from __future__ import annotations

import argparse
import re
import resource
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

import numpy as np

from benchmarks.author._blogs import open_reader, say
from benchmarks.options import count, folder, report_failure
from benchmarks.provenance import command_line, read_commit
from blog_search_mcp.index.analysis.query import analyse_query
from blog_search_mcp.index.errors import BlogSearchError
from blog_search_mcp.index.posts.markdown.inline import strip_markup
from blog_search_mcp.index.relations.corpus import Corpus
from blog_search_mcp.index.relations.draft import Draft, draft_of_post, embed_passages
from blog_search_mcp.index.relations.linking.features import FEATURES, find_evidence
from blog_search_mcp.index.relations.linking.prose import MASK, find_prose
from blog_search_mcp.index.relations.linking.suggest import (
    linkable_posts,
    suggest_links,
    weigh,
)
from blog_search_mcp.index.types import Link, Vectors

LIMIT = 200
"""Posts of a blog: a hit rate of .5 is then known to .07."""
SHOWN = 5
STEPS = 150
RATE = 0.1
DECAY = 0.01
"""Of the weights, so that features that say the same share theirs."""

_NAVIGATION = re.compile(r"(?:previous|prev|next|back|home|上一|下一|返回|[<>«»←→])", re.IGNORECASE)
_LINK = re.compile(
    r"(?<!!)\[((?:[^\[\]]|\[[^\[\]]*\])*)\](?:\((?:[^()]|\([^()]*\))*\)|[ ]?\[[^\[\]]*\])"
)
_ITEM = re.compile(r"\s*(?:[-*+|]|\d+[.)])\s?")


@dataclass(frozen=True, slots=True)
class Case:
    """A post without its links to older posts."""

    drafts: tuple[Draft, Draft]
    """With the links' words and without."""
    targets: frozenset[int]
    among: frozenset[int]
    """What it may have linked to when it was written."""
    vectors: Vectors


def main(arguments: Sequence[str]) -> int:
    """Measure each index, and fit weights if asked; return the exit status."""
    parser = argparse.ArgumentParser(prog="benchmarks.author links", description=__doc__)
    parser.add_argument("indexes", nargs="+", type=folder, metavar="INDEX")
    parser.add_argument("--limit", type=count, default=LIMIT, metavar="N", help="posts of a blog")
    parser.add_argument("--fit", action="store_true", help="print weights fitted on these blogs")
    parser.add_argument("--time", action="store_true", help="print how long one draft takes")
    options = parser.parse_args(arguments)
    say(f"{command_line('benchmarks.author', ['links', *arguments])}  # {read_commit()}")
    try:
        corpora = {path.name: open_reader(path).corpus() for path in options.indexes}
        if options.time:
            for name, corpus in corpora.items():
                say(_time(name, corpus, options.limit))
            return 0
        cases = {name: make_cases(each, options.limit) for name, each in corpora.items()}
        if options.fit:
            for name, weight in fit(corpora, cases).items():
                say(f'    "{name}": {weight:.2f},')
            return 0
        say("| blog | posts, links | words | | hit@1 | hit@5 | recall@5 | MRR |")
        say("|---|--:|---|---|--:|--:|--:|--:|")
        for name, found in cases.items():
            for row in measure(name, corpora[name], found):
                say(row)
    except BlogSearchError as error:
        return report_failure(error)
    return 0


def make_cases(corpus: Corpus, limit: int) -> list[Case]:
    """Take the links out of posts from all over the blog, `limit` at most."""
    found = [case for post in sorted(corpus.links) if (case := _make_case(corpus, post))]
    places = np.linspace(0, len(found) - 1, min(limit, len(found))).astype(int)
    return [found[place] for place in places]


def _make_case(corpus: Corpus, post_id: int) -> Case | None:
    post = corpus.posts[post_id]
    draft = draft_of_post(corpus, post.source)
    lines = {
        number: line
        for passage in draft.passages
        for number, line in enumerate(passage.text.split("\n"), passage.first_line)
    }
    older = {n for n, other in corpus.posts.items() if (other.date or "") <= (post.date or "")}
    among = frozenset(older & linkable_posts(corpus, draft, post.language))
    links: dict[int, list[Link]] = {}
    for each in corpus.links[post_id]:
        if each.target and each.target.post in among and _is_told(each.link, lines):
            links.setdefault(each.target.post, []).append(each.link)
    if not links:
        return None
    words = frozenset(link.words for found in links.values() for link in found)
    kept, without = (
        replace(
            draft,
            passages=tuple(
                replace(each, text=_take_out(each.text, words, keeps)) for each in draft.passages
            ),
            links=(),
        )
        for keeps in (True, False)
    )
    return Case((kept, without), frozenset(links), among, embed_passages(corpus, draft))


def _is_told(link: Link, lines: Mapping[int, str]) -> bool:
    """Whether the link stands in running text."""
    line = lines.get(link.line, "")
    around = _LINK.sub("", _ITEM.sub("", line, count=1))
    is_bare = _ITEM.match(line) and len(re.findall(r"\w", around)) < 3
    return bool(link.words) and not _NAVIGATION.match(link.words) and not is_bare


def _take_out(text: str, words: frozenset[str], keeps: bool) -> str:
    """Write links with these words as their words, or as nothing."""

    def replace_link(found: re.Match[str]) -> str:
        if " ".join(strip_markup(found[1]).split()) not in words:
            return found[0]
        return found[1] if keeps else ""

    return _LINK.sub(replace_link, text)


def measure(name: str, corpus: Corpus, cases: Sequence[Case]) -> Iterator[str]:
    """Yield a row for each variant and way of ranking."""
    links = sum(len(case.targets) for case in cases)
    for place, variant in enumerate(("kept", "taken out")):
        orders: dict[str, list[Sequence[int]]] = {}
        for case in cases:
            for way, order in _rank(corpus, case, case.drafts[place]).items():
                orders.setdefault(way, []).append(order)
        for way, ranked in orders.items():
            figures = _score(ranked, cases)
            shown = " | ".join(f"{figure:.3f}".lstrip("0") for figure in figures)
            yield f"| {name} | {len(cases)}, {links} | {variant} | {way} | {shown} |"


def _rank(corpus: Corpus, case: Case, draft: Draft) -> dict[str, Sequence[int]]:
    """Rank posts by each way, the baselines first."""
    post = draft.post
    prose = find_prose(draft.passages, post.language)
    level = corpus.snapshot.lexical.posts
    among = sorted(case.among)
    spoken = prose.masked.replace(MASK, " ")
    parts: dict[int, str] = {}
    for each in prose.sentences:
        line = prose.line_of(each.start)
        place = next(n for n, p in enumerate(draft.passages) if line <= p.last_line)
        parts[place] = f"{parts.get(place, '')} {spoken[each.start : each.end]}"
    whole, *passages = (
        level.normalised_bm25(analyse_query(text, [post.language]), len(among), among)
        for text in (f"{post.title}\n{spoken}", *parts.values())
    )
    best: dict[int, float] = {}
    for scores in passages:
        for number, score in scores.items():
            best[number] = max(best.get(number, 0.0), score)
    evidence = find_evidence(corpus, draft, prose, case.vectors, case.among)
    column = FEATURES.index("post")
    dense = evidence.posts[np.argsort(-evidence.features[:, column], kind="stable")]
    listed = suggest_links(corpus, draft, case.vectors, SHOWN, case.among)
    sources = {other.source: number for number, other in corpus.posts.items()}
    return {
        "BM25, whole text": list(whole),
        "BM25, best passage": sorted(best, key=lambda number: (-best[number], number)),
        "dense": dense.tolist(),
        "ranking": evidence.posts[np.argsort(-weigh(evidence), kind="stable")].tolist(),
        "suggest_links": [sources[each.target.source] for each in listed],
    }


def _score(orders: Sequence[Sequence[int]], cases: Sequence[Case]) -> tuple[float, ...]:
    """Return hit@1, hit@5, recall@5 and the mean reciprocal rank."""
    ranks = [
        [rank for rank, post in enumerate(order) if post in case.targets]
        for order, case in zip(orders, cases, strict=True)
    ]
    return (
        float(np.mean([found[:1] == [0] for found in ranks])),
        float(np.mean([bool(found) and found[0] < SHOWN for found in ranks])),
        float(
            np.mean(
                [
                    sum(rank < SHOWN for rank in found) / min(len(case.targets), SHOWN)
                    for found, case in zip(ranks, cases, strict=True)
                ]
            )
        ),
        float(np.mean([1 / (found[0] + 1) if found else 0.0 for found in ranks])),
    )


def fit(corpora: Mapping[str, Corpus], cases: Mapping[str, Sequence[Case]]) -> dict[str, float]:
    """Fit the weights by which each target is told from the posts that are none.

    A softmax over a target and all posts that are none, each blog and post counting alike; by Adam.
    """
    samples = []
    for name, found in cases.items():
        for case in found:
            for draft in case.drafts:
                prose = find_prose(draft.passages, draft.post.language)
                evidence = find_evidence(corpora[name], draft, prose, case.vectors, case.among)
                is_target = np.isin(evidence.posts, list(case.targets))
                share = 1 / (len(found) * len(case.drafts) * len(cases))
                samples.append((evidence.features, is_target, share))
    weights, mean, square = np.zeros((3, len(FEATURES)))
    for step in range(1, STEPS + 1):
        gradient = -DECAY * weights
        for features, is_target, share in samples:
            scores = features @ weights
            chances = np.exp(scores - scores.max())
            others = chances[~is_target]
            pull = others @ features[~is_target]
            for place in np.flatnonzero(is_target):
                total = others.sum() + chances[place]
                expected = (pull + chances[place] * features[place]) / total
                gradient += share / is_target.sum() * (features[place] - expected)
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.99 * square + 0.01 * gradient**2
        weights = weights + RATE * (mean / (1 - 0.9**step)) / (
            np.sqrt(square / (1 - 0.99**step)) + 1e-8
        )
    return dict(zip(FEATURES, weights.tolist(), strict=True))


def _time(name: str, corpus: Corpus, limit: int) -> str:
    """Say how much processor time a draft takes without its embedding, and the first one."""
    posts = sorted(corpus.posts)[:: max(len(corpus.posts) // min(limit, 30), 1)]
    spent = []
    for post in posts:
        draft = draft_of_post(corpus, corpus.posts[post].source)
        vectors = embed_passages(corpus, draft)
        start = time.process_time()
        suggest_links(corpus, replace(draft, links=()), vectors, SHOWN)
        spent.append(time.process_time() - start)
    first, *rest = (1000 * seconds for seconds in spent)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return (
        f"{name}: {len(corpus.posts):,} posts, {len(corpus.snapshot.table.chunks):,} chunks; "
        f"first draft {first:.0f} ms, then {median(rest):.0f} ms "
        f"of the processor (most of {len(rest)}: {max(rest):.0f} ms); {memory:.0f} MB"
    )
