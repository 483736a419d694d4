"""Posts that say again what another says, in the same words.

Likeness of meaning proposes pairs and never decides: what is reported are words in both posts.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from blog_search_mcp.index.analysis.tokenizer import to_simplified

if TYPE_CHECKING:
    from blog_search_mcp.index.relations.corpus import Corpus
    from blog_search_mcp.index.types import Chunk, Ids, Post, Vectors

_LONG = 60
"""Characters from which on a line that two posts have is no chance."""
_LONG_EAST_ASIAN = 20
_EAST_ASIAN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_BOILERPLATE = 5
"""Posts from which on a line is one that every post of some kind has."""
_WORD = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\\W_]+")
_RUN = 6
"""Words, or characters of Chinese, that follow each other in both posts."""
_POWERS = np.array([0x9E3779B1**power % 2**63 for power in range(_RUN)], dtype=np.int64)
"""By which the words of a run are multiplied, so that their sum tells one run from another."""
_SAME = 0.5
"""Least share of the shorter post's words that stand in such runs."""
_FEWEST = 60
"""Words that the shorter post has at least."""
_GIST = 4
"""Words from which on a description says something."""
_PROPOSED = 100
"""Pairs that are read because no others are as near in meaning."""
_BLOCK = 512
"""Rows whose cosines are held at a time."""


@dataclass(frozen=True, slots=True)
class Repeat:
    """Two posts with the same words."""

    newer: str
    older: str
    share: float
    """Of the shorter post's words, in (0, 1]."""
    lines: tuple[int, int, int, int]
    """First and last line of the passage of the newer post that has most of them, then those of
    the older post's."""
    detail: str


@dataclass(frozen=True, slots=True)
class Texts:
    """What is kept of the texts of a whole blog."""

    posts: Ids
    """By line of text that is long enough, its post."""
    hashes: Ids
    """By the same, what equal lines have in common."""
    lengths: Ids
    apart: frozenset[int]
    """The posts whose description has no word that their text has."""


def read_texts(corpus: Corpus) -> Texts:
    """Read every post once."""
    posts, hashes, lengths = array("q"), array("q"), array("q")
    apart: list[int] = []
    for post, chunks in corpus.snapshot.catalog.chunks_by_post():
        lines = [line for chunk in chunks for line in _long_lines(chunk.text)]
        posts.extend([post] * len(lines))
        hashes.extend([hash(line.strip()) for line in lines])
        lengths.extend(map(len, lines))
        if _is_apart(corpus.posts[post], chunks):
            apart.append(post)
    return Texts(np.array(posts), np.array(hashes), np.array(lengths), frozenset(apart))


def _long_lines(text: str) -> Iterator[str]:
    least = _LONG if text.isascii() else _LONG_EAST_ASIAN
    for line in text.split("\n"):
        if len(line) >= least and (len(line) >= _LONG or _EAST_ASIAN.search(line)):
            yield line


def _is_apart(post: Post, chunks: Sequence[Chunk]) -> bool:
    """Whether a description of some length shares no word with the post: not even a beginning."""
    words = set(_gist(post.description))
    texts = [post.title, *(chunk.plain for chunk in chunks)]
    texts += [heading for chunk in chunks for heading in chunk.headings]
    if len(words) < _GIST or any(
        word in text for text in map(str.casefold, texts) for word in words
    ):
        return False
    text = " ".join(texts).casefold()
    if bool(_EAST_ASIAN.search(post.description)) != bool(_EAST_ASIAN.search(text)):
        return False
    simplified = to_simplified(text)
    return not any(word in simplified for word in words)


def _gist(text: str) -> Iterator[str]:
    """Yield what stands for a text's words: pairs of Chinese characters, beginnings of others."""
    words = _WORD.findall(to_simplified(text.casefold()))
    for one, other in pairwise([*words, ""]):
        if _EAST_ASIAN.match(one):
            if other and _EAST_ASIAN.match(other):
                yield one + other
        elif len(one) > 3:
            yield one[:5]


def find_repeats(corpus: Corpus, texts: Texts) -> tuple[Repeat, ...]:
    """Find pairs of posts of which the shorter has most of its words in common with the other.

    Translations are none. The pairs with the largest share come first.
    """
    pairs = {*_share_lines(texts), *_propose_pairs(corpus)}
    cache: dict[int, _Words] = {}
    found = []
    for one, other in sorted(pairs):
        if other in corpus.translations_of(one):
            continue
        for post in (one, other):
            if post not in cache:
                cache[post] = _read_words(corpus, post)
        if repeat := _compare(corpus, one, other, cache):
            found.append(repeat)
    return tuple(sorted(found, key=lambda each: (-each.share, each.newer, each.older)))


def _share_lines(texts: Texts) -> Iterator[tuple[int, int]]:
    """Yield the pairs of posts that have long lines in common which few others have."""
    order = np.lexsort((texts.posts, texts.hashes))
    hashes, posts, lengths = texts.hashes[order], texts.posts[order], texts.lengths[order]
    ends = np.flatnonzero(np.append(hashes[1:] != hashes[:-1], True)) + 1
    starts = np.append(0, ends[:-1])
    np.add.at(sums := np.zeros(int(posts.max(initial=0)) + 1), posts, lengths)
    common: Counter[tuple[int, int]] = Counter()
    for start, end in zip(starts[ends - starts > 1], ends[ends - starts > 1], strict=True):
        owners = sorted(set(posts[start:end].tolist()))
        if 1 < len(owners) < _BOILERPLATE:
            for pair in combinations(owners, 2):
                common[pair] += int(lengths[start])
    for (one, other), length in common.items():
        if length >= 0.2 * min(sums[one], sums[other]):
            yield one, other


def _propose_pairs(corpus: Corpus) -> Iterator[tuple[int, int]]:
    """Yield the pairs of posts that are nearest in meaning."""
    vectors = corpus.post_vectors
    if len(vectors.rows) < 2:
        return
    near = _find_nearest(vectors.rows)
    cosines = np.einsum("ij,ij->i", vectors.rows, vectors.rows[near])
    for place in np.argsort(-cosines, kind="stable")[: 2 * _PROPOSED]:
        one, other = int(vectors.posts[place]), int(vectors.posts[near[place]])
        yield min(one, other), max(one, other)


def _find_nearest(rows: Vectors) -> Ids:
    """Return of each row the place of the other row that is nearest by product."""
    nearest = np.empty(len(rows), dtype=np.int64)
    for start in range(0, len(rows), _BLOCK):
        block = rows[start : start + _BLOCK] @ rows.T
        block[np.arange(len(block)), np.arange(start, start + len(block))] = -np.inf
        nearest[start : start + _BLOCK] = np.argpartition(-block, 0, axis=1)[:, 0]
    return nearest


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a post."""

    runs: Ids
    """What equal runs of words have in common, sorted, each once."""
    passages: tuple[tuple[Chunk, Ids], ...]
    """By chunk, the same as they follow each other."""
    count: int


def _read_words(corpus: Corpus, post: int) -> _Words:
    passages = []
    count = 0
    for chunk in corpus.snapshot.catalog.chunks_of(post).values():
        text = chunk.plain.casefold()
        words = _WORD.findall(to_simplified(text))
        count += len(words)
        hashes = np.array([*map(hash, words), *[0] * _RUN], dtype=np.int64)
        runs = sliding_window_view(hashes, _RUN)[: max(len(words) - _RUN + 1, 0)] @ _POWERS
        passages.append((chunk, runs))
    every = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *(r for _, r in passages)]))
    return _Words(every, tuple(passages), count)


def _compare(corpus: Corpus, one: int, other: int, words: Mapping[int, _Words]) -> Repeat | None:
    def rank(post: int) -> tuple[str, str]:
        return corpus.posts[post].date or "", corpus.posts[post].source

    newer, older = sorted((one, other), key=rank, reverse=True)
    late, early = words[newer], words[older]
    if min(late.count, early.count) < _FEWEST:
        return None
    common = np.intersect1d(late.runs, early.runs, assume_unique=True)
    share = len(common) / max(1, min(len(late.runs), len(early.runs)))
    if share < _SAME:
        return None
    mine, runs = max(late.passages, key=lambda each: len(np.intersect1d(each[1], common)))
    theirs, _ = max(early.passages, key=lambda each: len(np.intersect1d(each[1], runs)))
    lines = (mine.first_line, mine.last_line, theirs.first_line, theirs.last_line)
    post, twin = corpus.posts[newer], corpus.posts[older]
    is_shorter = len(late.runs) <= len(early.runs)
    said = (
        f"{share:.0%} of its words stand in {twin.source} too"
        if is_shorter
        else f"{share:.0%} of the words of {twin.source} stand in it too"
    )
    detail = f"{said}; lines {lines[0]} to {lines[1]} are lines {lines[2]} to {lines[3]} there"
    if post.canonical_url or twin.canonical_url:
        named = post if post.canonical_url else twin
        detail += f"; {named.source} names {named.canonical_url} as its original"
    return Repeat(post.source, twin.source, share, lines, detail)
