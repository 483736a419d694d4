"""How good the lists of related posts are, beside a search for the title.

`python -m benchmarks.author related INDEX...`

A link from post to post is hidden, and looked for among the five related posts; links of posts that
have many are lists, and those within a series are navigation. Besides: how unlike the posts of a
list are (1 less the mean cosine), which posts are in no list, time and memory. `--times N` repeats
the posts of an index N times.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.author._blogs import open_reader, say
from blog_search_mcp.index.reader import IndexReader
from blog_search_mcp.index.relations.corpus import Corpus, PostVectors
from blog_search_mcp.index.relations.related import find_related
from blog_search_mcp.index.types import Filters

LIMIT = 5
LINKS_MOST = 10
"""Links to other posts, beyond which a post is a list of them."""


def main(arguments: Sequence[str]) -> int:
    """Measure each index; returns the exit status."""
    parser = argparse.ArgumentParser(prog="benchmarks.author related")
    parser.add_argument("index", type=Path, nargs="+")
    parser.add_argument("--times", type=int, default=1)
    options = parser.parse_args(arguments)
    for folder in options.index:
        reader = open_reader(folder)
        corpus = reader.corpus()
        if options.times > 1:
            _time(folder.name, repeat_posts(corpus, options.times))
        else:
            _measure(folder.name, reader, corpus)
    return 0


def _measure(name: str, reader: IndexReader, corpus: Corpus) -> None:
    links = held_out(corpus)
    say(f"{name}: {len(corpus.posts)} posts, {len(links)} links hidden")
    _time(name, corpus)
    lists = _describe(find_related(corpus, LIMIT), corpus)
    say(f"  {'related':24} {_hits(_ranks(corpus, links))}  {lists}")
    say(f"  {'BM25 of the title':24} {_hits(_title_ranks(reader, corpus, links))}")


def held_out(corpus: Corpus) -> list[tuple[int, int]]:
    """Return post and target of each link that can be looked for."""
    languages = {n: post.language.partition("-")[0] for n, post in corpus.posts.items()}
    return [
        (post, other)
        for post, others in sorted(corpus.linked.items())
        if len(others) <= LINKS_MOST
        for other in sorted(others)
        if languages[post] == languages[other]
        and other not in corpus.translations_of(post)
        and (post not in corpus.series or corpus.series[post] is not corpus.series.get(other))
    ]


def _ranks(corpus: Corpus, links: Sequence[tuple[int, int]]) -> list[int]:
    """Return the place of each hidden target in its list, LIMIT for none."""
    ranks = []
    by_post: dict[int, list[int]] = {}
    for post, target in links:
        by_post.setdefault(post, []).append(target)
    most = max(map(len, by_post.values()), default=1)
    for rank in range(most):
        hidden = {post: targets[rank] for post, targets in by_post.items() if targets[rank:]}
        linked = {p: others - {hidden.get(p, -1)} for p, others in corpus.linked.items()}
        lists = find_related(corpus, LIMIT, linked)
        ranks += [
            lists[post].index(target) if target in lists.get(post, ()) else LIMIT
            for post, target in hidden.items()
        ]
    return ranks


def _title_ranks(
    reader: IndexReader, corpus: Corpus, links: Sequence[tuple[int, int]]
) -> list[int]:
    found: dict[int, list[str]] = {}
    ranks = []
    for post, target in links:
        if post not in found:
            title, none = corpus.posts[post].title, Filters()
            hits = reader.search(title, none, limit=60, offset=0).hits
            found[post] = list(dict.fromkeys(hit.post.source for hit in hits))
        apart = {corpus.posts[n].source for n in (corpus.linked[post] | {post}) - {target}}
        ranked = [source for source in found[post] if source not in apart][:LIMIT]
        source = corpus.posts[target].source
        ranks.append(ranked.index(source) if source in ranked else LIMIT)
    return ranks


def _hits(ranks: Sequence[int]) -> str:
    total = max(len(ranks), 1)
    one, five = (sum(rank < most for rank in ranks) / total for most in (1, LIMIT))
    return f"hit@1 {one:.3f} hit@5 {five:.3f}"


def _describe(lists: Mapping[int, tuple[int, ...]], corpus: Corpus) -> str:
    unlike = []
    for others in lists.values():
        rows = [row for n in others if (row := corpus.post_vectors.of(n)) is not None]
        if len(rows) > 1:
            cosines = np.stack(rows) @ np.stack(rows).T
            unlike.append(1 - (cosines.sum() - len(rows)) / (len(rows) * (len(rows) - 1)))
    listed = {other for others in lists.values() for other in others}
    never = 1 - len(listed) / max(len(corpus.posts), 1)
    return f"unlike {np.mean(unlike) if unlike else 0:.3f} never listed {never:.3f}"


def repeat_posts(corpus: Corpus, times: int) -> Corpus:
    """Return the corpus with its posts repeated under other ids, with slightly other directions."""
    step = max(corpus.posts) + 1
    posts = {n + step * k: post for k in range(times) for n, post in corpus.posts.items()}
    noise = np.random.default_rng(0)
    rows = np.concatenate([corpus.post_vectors.rows] * times)
    rows = rows + noise.normal(0, 0.02, rows.shape).astype(np.float32)
    ids = np.concatenate([corpus.post_vectors.posts + step * k for k in range(times)])
    return _made(corpus, posts=posts, post_vectors=PostVectors(ids, rows), linked={})


def _made(corpus: Corpus, **parts: Any) -> Corpus:
    made = Corpus(corpus.snapshot)
    vars(made).update(parts)
    return made


def _time(name: str, corpus: Corpus) -> None:
    for label in ("cold", "again"):
        started, used = time.perf_counter(), time.process_time()
        find_related(corpus, LIMIT)
        took, used = time.perf_counter() - started, time.process_time() - used
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        say(
            f"  {name}, {len(corpus.posts)} posts, {label}: {took:.2f} s, "
            f"of which the processor {used:.2f} s, peak {peak} MB"
        )
