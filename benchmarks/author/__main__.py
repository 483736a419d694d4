"""How well links, posts published again and series are found: `python -m benchmarks.author INDEX…`.

Links: those of posts to older ones are taken out and are to be suggested again, once with their
words left as plain text and once without them. Links that are all of an item or row, and links to
the next and previous post, are no part of it. Posts that are newer count neither as targets nor by
their own links; vectors are those of the index, which has the link words in both variants.

Similar: a post without a quarter of its sentences is compared with the blog that has it; it is to
be first, and the same text. Of a post compared with the others few passages should be said already.

Series: what posts say of themselves ("This is part two of a series …") in `series.jsonl`, which
must be found by titles, file names and links. Precision counts as right also the pairs that a
reader agreed to (`said` is empty); an index is named as its blog is there.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.options import count, folder, report_failure
from benchmarks.provenance import command_line, read_commit
from blog_search_mcp.index.embedders.registry import open_embedder
from blog_search_mcp.index.errors import BlogSearchError
from blog_search_mcp.index.posts.markdown.inline import strip_markup
from blog_search_mcp.index.reader import Index
from blog_search_mcp.index.relations.corpus import Corpus
from blog_search_mcp.index.relations.draft import Draft, draft_of_post, embed_passages, read_draft
from blog_search_mcp.index.relations.linking.suggest import linkable_posts, suggest_links
from blog_search_mcp.index.relations.series import find_series
from blog_search_mcp.index.relations.similarity.similar import find_similar
from blog_search_mcp.index.types import Link, Vectors

LIMIT = 60
"""Posts of a blog: a hit rate of .5 is then known to .13."""
SHOWN = 5
LEFT_OUT = 0.25
"""Share of the sentences that a post published again lacks."""
LONGEST = 40
"""Chunks of a post published again, which is embedded."""
SERIES = Path(__file__).with_name("series.jsonl")
"""A series a line: the blog, what a post of it says (`""`: nothing), the sources of its posts."""

_NAVIGATION = re.compile(r"(?:previous|prev|next|back|home|上一|下一|返回|[<>«»←→])", re.IGNORECASE)
_LINK = re.compile(
    r"(?<!!)\[((?:[^\[\]]|\[[^\[\]]*\])*)\](?:\((?:[^()]|\([^()]*\))*\)|[ ]?\[[^\[\]]*\])"
)
_ITEM = re.compile(r"\s*(?:[-*+|]|\d+[.)])\s?")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])")


class Case(NamedTuple):
    """A post without its links to older posts."""

    drafts: tuple[Draft, Draft]
    """With the links' words and without."""
    targets: frozenset[int]
    among: frozenset[int]
    """What it may have linked to when it was written."""
    vectors: Vectors | None


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure each index; return the exit status."""
    parser = argparse.ArgumentParser(prog="benchmarks.author", description=__doc__)
    parser.add_argument("indexes", nargs="+", type=folder, metavar="INDEX")
    parser.add_argument("--limit", type=count, default=LIMIT, metavar="N", help="posts of a blog")
    options = parser.parse_args(arguments)
    say(f"{command_line('benchmarks.author', sys.argv[1:])}  # {read_commit()}")
    try:
        for index in options.indexes:
            reader = Index(index, lambda identity: open_embedder(identity, "")).reader()
            corpus = reader.corpus()
            for line in (
                *measure_links(corpus, make_cases(corpus, options.limit)),
                *measure_similar(corpus, options.limit),
                *measure_series(corpus, index.name),
            ):
                say(f"{index.name}: {line}")
    except BlogSearchError as error:
        return report_failure(error)
    return 0


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def make_cases(corpus: Corpus, limit: int) -> list[Case]:
    """Take the links out of posts from all over the blog, `limit` at most."""
    cases = [case for post in sorted(corpus.links) if (case := _make_case(corpus, post))]
    places = np.linspace(0, len(cases) - 1, min(limit, len(cases))).astype(int)
    return [cases[place] for place in places]


def _make_case(corpus: Corpus, post_id: int) -> Case | None:
    post = corpus.posts[post_id]
    draft = draft_of_post(corpus, post.source)
    lines = {
        number: line
        for passage in draft.passages
        for number, line in enumerate(passage.text.split("\n"), passage.first_line)
    }
    older = {n for n, other in corpus.posts.items() if (other.date or "") <= (post.date or "")}
    among = frozenset(older & linkable_posts(corpus, draft))
    links: dict[int, list[Link]] = {}
    for link, target in corpus.links[post_id]:
        if target and target.post in among and _is_told(link, lines):
            links.setdefault(target.post, []).append(link)
    if not links:
        return None
    words = frozenset(link.words for same in links.values() for link in same)
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
    return Case((kept, without), frozenset(links), among, embed_passages(corpus, draft)[0])


def _is_told(link: Link, lines: Mapping[int, str]) -> bool:
    """Whether the link stands in running text."""
    line = lines.get(link.line, "")
    around = _LINK.sub("", _ITEM.sub("", line, count=1))
    is_bare = _ITEM.match(line) and len(re.findall(r"\w", around)) < 3
    return bool(link.words) and not _NAVIGATION.match(link.words) and not is_bare


def _take_out(text: str, words: frozenset[str], keeps: bool) -> str:
    """Write links with these words as their words, or as nothing."""

    def replace_link(match: re.Match[str]) -> str:
        if " ".join(strip_markup(match[1]).split()) not in words:
            return match[0]
        return match[1] if keeps else ""

    return _LINK.sub(replace_link, text)


def measure_links(corpus: Corpus, cases: Sequence[Case]) -> Iterator[str]:
    """Yield for both variants how often a post that was linked is first, and among five."""
    sources = {post.source: number for number, post in corpus.posts.items()}
    for place, variant in enumerate(("words kept", "words taken out")):
        first = five = 0
        for case in cases:
            found = suggest_links(corpus, case.drafts[place], case.vectors, SHOWN, case.among)
            hits = [sources[each.target.source] in case.targets for each in found]
            first += any(hits[:1])
            five += any(hits)
        rates = f"hit@1 {rate(first, cases)}, hit@5 {rate(five, cases)}"
        yield f"links of {len(cases)} posts, {variant}: {rates}"


def measure_similar(corpus: Corpus, limit: int) -> Iterator[str]:
    """Yield how surely posts published again are known, and how much of others is said."""
    posts = [
        number
        for number in sorted(corpus.posts)
        if 0 < len(corpus.snapshot.table.chunks_of([number])) <= LONGEST
    ]
    chosen = random.Random(1).sample(posts, min(len(posts), limit))
    first = same = 0
    said = []
    for number in chosen:
        source = corpus.posts[number].source
        draft = draft_of_post(corpus, source)
        again = read_draft(leave_out("\n\n".join(each.text for each in draft.passages)), "")
        best = next(iter(find_similar(corpus, again, SHOWN).posts), None)
        first += bool(best and best.post.source == source)
        same += bool(best and best.post.source == source and best.kind == "same text")
        other = find_similar(corpus, draft, SHOWN)
        said.append(other.said / max(len(other.passages), 1))
    yield f"again, {len(chosen)} posts: first {rate(first, chosen)}, same {rate(same, chosen)}"
    half = sum(share >= 0.5 for share in said)
    yield f"other posts: nothing said {rate(said.count(0), said)}, half {rate(half, said)}"


def leave_out(text: str) -> bytes:
    """Leave a share of a text's sentences out, by chance that is the same each time."""
    chance = random.Random(1)
    kept = (each for each in _SENTENCE.split(text) if chance.random() >= LEFT_OUT)
    return " ".join(kept).encode()


def measure_series(corpus: Corpus, name: str) -> Iterator[str]:
    """Yield recall and precision over pairs of posts, if something is known of this blog."""
    known = [json.loads(line) for line in SERIES.read_text("utf-8").splitlines()]
    gold = [each for each in known if each["blog"] == name]
    posts = {n: replace(post, series="", part=None) for n, post in corpus.posts.items()}
    found = [[part.source for part in each.parts] for each in find_series(posts, corpus.links)]
    said = pair_up(each["posts"] for each in gold if each["said"])
    pairs, agreed = pair_up(found), pair_up(each["posts"] for each in gold)
    if said:
        recall, precision = rate(len(pairs & said), said), rate(len(pairs & agreed), pairs)
        yield f"series, {len(pairs)} pairs: recall {recall} of {len(said)}, precision {precision}"


def pair_up(series: Iterable[Sequence[str]]) -> set[frozenset[str]]:
    """Return every two posts that are in one series."""
    return {frozenset(pair) for posts in series for pair in combinations(posts, 2)}


def rate(hits: int, of: Sequence[object] | set[frozenset[str]]) -> str:
    """Write a share."""
    return f"{hits / max(len(of), 1):.2f}"


if __name__ == "__main__":
    sys.exit(main())
