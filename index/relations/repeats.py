"""Posts that say again what another says: in the same words, or newer and on the same subject.

Likeness of meaning proposes pairs and never decides: what is reported are words that stand in both
posts, or what the author wrote about the two.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

import numpy as np

from blog_search_mcp.index.analysis.tokenizer import to_simplified

if TYPE_CHECKING:
    from blog_search_mcp.index.relations.corpus import Corpus
    from blog_search_mcp.index.types import Chunk, Ids, Post

_LONG = 60
"""Characters from which on a line that two posts have is no chance; of Chinese 20."""
_EAST_ASIAN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_BOILERPLATE = 5
"""Posts from which on a line is one that every post of some kind has."""
_WORD = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\\W_]+")
_LINK = re.compile(r"\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
_RUN = 6
"""Words, or characters of Chinese, that follow each other in both posts."""
_SAME = 0.5
"""Least share of the shorter post's words that stand in such runs."""
_FEWEST = 60
"""Words that the shorter post has at least."""
_GIST = 4
"""Words from which on a description says something."""
_PROPOSED = 100
"""Pairs that are read because no others are as near in meaning."""


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
class Overtaken:
    """A post that a newer one takes the place of."""

    older: str
    newer: str
    line: int
    """Where the author says so, in the older post; 0 if a title or the newer one says it."""
    detail: str


@dataclass(frozen=True, slots=True)
class Texts:
    """What is kept of the texts of a whole blog."""

    posts: Ids
    """By line of text that is long enough, its post."""
    hashes: Ids
    """By the same, what equal lines have in common."""
    lengths: Ids
    around: tuple[tuple[int, int, int, str], ...]
    """Of each link to another post that post, the other, its line and its paragraph."""
    apart: tuple[int, ...]
    """The posts whose description has no word that their text has."""


def read_texts(corpus: Corpus) -> Texts:
    """Read every post once."""
    rows: list[tuple[int, int, int]] = []
    around: list[tuple[int, int, int, str]] = []
    apart: list[int] = []
    for post in corpus.posts:
        chunks = tuple(corpus.snapshot.catalog.chunks_of(post).values())
        for chunk in chunks:
            rows += (
                (post, hash(line.strip()), len(line))
                for line in chunk.text.split("\n")
                if len(line) >= _LONG or (len(line) >= 20 and _EAST_ASIAN.search(line))
            )
        around += _read_around(corpus, post, chunks)
        if _is_apart(corpus.posts[post], chunks):
            apart.append(post)
    table = np.array(rows, dtype=np.int64).reshape(-1, 3)
    return Texts(table[:, 0], table[:, 1], table[:, 2], tuple(around), tuple(apart))


def _is_apart(post: Post, chunks: Sequence[Chunk]) -> bool:
    """Whether a description of some length shares no word with the post: not even a beginning."""
    words = set(_gist(post.description))
    if len(words) < _GIST:
        return False
    headings = (heading for chunk in chunks for heading in chunk.headings)
    text = " ".join((post.title, *headings, *(chunk.plain for chunk in chunks))).casefold()
    is_east_asian = bool(_EAST_ASIAN.search(text))
    if bool(_EAST_ASIAN.search(post.description)) != is_east_asian:
        return False
    text = to_simplified(text) if is_east_asian else text
    return not any(word in text for word in words)


def _gist(text: str) -> Iterator[str]:
    """Yield what stands for a text's words: pairs of Chinese characters, beginnings of others."""
    words = _WORD.findall(to_simplified(text.casefold()))
    for one, other in pairwise([*words, ""]):
        if _EAST_ASIAN.match(one):
            if other and _EAST_ASIAN.match(other):
                yield one + other
        elif len(one) > 3:
            yield one[:5]


def _read_around(
    corpus: Corpus, post: int, chunks: Sequence[Chunk]
) -> Iterator[tuple[int, int, int, str]]:
    for each in corpus.links.get(post, ()):
        if each.target is None or each.target.post == post:
            continue
        line = each.link.line
        for chunk in chunks:
            if chunk.first_line <= line <= chunk.last_line:
                yield post, each.target.post, line, _paragraph(chunk, line)
                break


def _paragraph(chunk: Chunk, line: int) -> str:
    """Return the lines around one up to the empty ones, of links the words alone."""
    lines = chunk.text.split("\n")
    first = last = min(line - chunk.first_line, len(lines) - 1)
    while first > 0 and lines[first - 1].strip():
        first -= 1
    while last + 1 < len(lines) and lines[last + 1].strip():
        last += 1
    return _LINK.sub(r"\1", " ".join(" ".join(lines[first : last + 1]).split()))


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
    near = nearest_posts(corpus)
    if not len(near):
        return
    cosines = np.einsum("ij,ij->i", vectors.rows, vectors.rows[near])
    for place in np.argsort(-cosines, kind="stable")[: 2 * _PROPOSED]:
        one, other = int(vectors.posts[place]), int(vectors.posts[near[place]])
        yield min(one, other), max(one, other)


def nearest_posts(corpus: Corpus) -> Ids:
    """Return by place in `corpus.post_vectors` that of the nearest other post."""
    rows = corpus.post_vectors.rows
    found = np.zeros(len(rows) if len(rows) > 1 else 0, dtype=np.int64)
    for start in range(0, len(found), 512):
        cosines = rows[start : start + 512] @ rows.T
        cosines[np.arange(len(cosines)), np.arange(start, start + len(cosines))] = -2
        found[start : start + 512] = cosines.argmax(axis=1)
    return found


@dataclass(frozen=True, slots=True)
class _Words:
    """The words of a post."""

    runs: frozenset[int]
    """What equal runs of words have in common."""
    passages: tuple[tuple[Chunk, frozenset[int]], ...]
    count: int


def _read_words(corpus: Corpus, post: int) -> _Words:
    passages = []
    count = 0
    for chunk in corpus.snapshot.catalog.chunks_of(post).values():
        words = _WORD.findall(to_simplified(chunk.plain.casefold()))
        count += len(words)
        runs = (tuple(words[place : place + _RUN]) for place in range(len(words) - _RUN + 1))
        passages.append((chunk, frozenset(map(hash, runs))))
    every = frozenset(run for _, runs in passages for run in runs)
    return _Words(every, tuple(passages), count)


def _compare(corpus: Corpus, one: int, other: int, words: Mapping[int, _Words]) -> Repeat | None:
    newer, older = sorted(
        (one, other), key=lambda post: (corpus.posts[post].date or "", post), reverse=True
    )
    late, early = words[newer], words[older]
    if min(late.count, early.count) < _FEWEST:
        return None
    common = late.runs & early.runs
    share = len(common) / max(1, min(len(late.runs), len(early.runs)))
    if share < _SAME:
        return None
    mine, runs = max(late.passages, key=lambda each: len(each[1] & common))
    theirs, _ = max(early.passages, key=lambda each: len(each[1] & runs))
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


_TEXT = r"(?:post|article|page|guide|tutorial|document|announcement|text|blog post|entry|version)"
_SAYS_OLD = re.compile(
    r"\bfor (?:more )?(?:updated|up[- ]to[- ]date|current|newer) (?:information|details)"
    rf"|\bthis (?:\w+ )?{_TEXT} (?:is|was|has been|has since been|has now been) (?:\w+ )?"
    r"(?:out ?dated|out of date|obsolete|superseded|replaced|overtaken|no longer)"
    r"|\b(?:superseded|replaced|obsoleted) by\b"
    r"|\b(?:newer|updated|more recent|revised|current|latest) "
    rf"(?:version of this\b|(?:[\w-]+ ){{0,4}}{_TEXT}\b)"
    r"|^[\s>*_#\[(-]*(?:\w+ \d{4} )?(?:edit|update|updated)\b[^a-z:]{0,30}:"
    "|本文[^。]{0,6}(?:已過時|已过时|已過期|已过期|已被取代|不再更新)|(?:更新|最新|新)版本?(?:請|请)?(?:見|见|看)",
    re.IGNORECASE,
)
"""How an old post speaks of the newer one beside a link to it."""
_SAYS_NEW = re.compile(
    rf"\bthis (?:\w+ )?{_TEXT} (?:supersedes|replaces|obsoletes|is an updated?|updates|revises)\b"
    rf"|\b(?:updated|revised|rewritten|newer|new) version of (?:the|my|our|an?|this|that) "
    rf"(?:\w+ ){{0,3}}{_TEXT}"
    "|本文(?:取代|更新了)|(?:舊|旧)文的(?:更新|新)版",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\bv?(\d+(?:\.\d+)*(?:\.x)?)\b")
_REVISION = re.compile(
    r"\b(?:updated|revisited|redux|reloaded|revised|rewritten|second edition|2nd edition)\b"
    "|(?:更新|修訂|修订|新)版|再探|重訪|重访",
    re.IGNORECASE,
)
_INSTALMENT = re.compile(
    r"releas|announc|survey|preview|beta|\brc\b|meeting|week|month|\bday\b|newsletter|part|chapter"
    r"|vol|episode|issue|#|report|roadmap|\bupdates?\b|status|edition|results|anniversary|sprint|quarter"
    "|發布|发布|發佈|更新日|週報|周报|月報|月报|年終|年终|篇|章|回|集|第",
    re.IGNORECASE,
)
"""Titles of instalments: the next one does not take the place of the one before."""


_INSTRUCTIONS = re.compile(
    r"how to|getting started|introduc|install|set(?:ting)? ?up|upgrad|migrat|guide|tutorial|using"
    r"|build|running|deploy|configur|writing"
    "|安裝|安装|教學|教程|設定|设置|入門|入门|指南|部署|升級|升级",
    re.IGNORECASE,
)
"""Titles of what another version of its subject makes old; news of a version stay true."""


def find_overtaken(corpus: Corpus, texts: Texts) -> tuple[Overtaken, ...]:
    """Find the posts that the author, or the title of a newer post, says are overtaken.

    Age alone says nothing, nor does a later instalment of a series. The newest come first.
    """
    found: dict[int, Overtaken] = {}
    for post, other, line, paragraph in texts.around:
        one, two = corpus.posts[post], corpus.posts[other]
        if not (one.date and two.date) or other in corpus.translations_of(post):
            continue
        if two.date > one.date and (said := _SAYS_OLD.search(paragraph)):
            detail = f"it says so itself: “{_quote(paragraph, said)}”; newer: {two.source}"
            found[post] = Overtaken(one.source, two.source, line, detail)
        elif two.date < one.date and (said := _SAYS_NEW.search(paragraph)):
            detail = f"{one.source}:{line} says so: “{_quote(paragraph, said)}”"
            found.setdefault(other, Overtaken(two.source, one.source, 0, detail))
    for older, newer in _match_titles(corpus):
        one, two = corpus.posts[older], corpus.posts[newer]
        detail = f"{two.source} of {two.date} treats the same: “{two.title}”"
        found.setdefault(older, Overtaken(one.source, two.source, 0, detail))
    ordered = sorted(found.items(), key=lambda item: item[1].older)
    ordered.sort(key=lambda item: corpus.posts[item[0]].date or "", reverse=True)
    return tuple(each for _, each in ordered)


def _match_titles(corpus: Corpus) -> Iterator[tuple[int, int]]:
    """Yield older and newer of two posts, nearest to each other, that one title names.

    The titles differ in a version or in a word such as “revisited”.
    """
    groups: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, post in corpus.posts.items():
        words = _skeleton(post)
        if post.date and len(words) >= 3 and not _INSTALMENT.search(post.title):
            groups[words].append(number)
    places = {int(post): place for place, post in enumerate(corpus.post_vectors.posts)}
    pairs = [group for group in groups.values() if len(group) == 2]
    near = nearest_posts(corpus) if pairs else np.zeros(0, dtype=np.int64)
    for group in pairs:
        older, newer = sorted(group, key=lambda post: corpus.posts[post].date or "")
        one, two = corpus.posts[older], corpus.posts[newer]
        is_one = one.language == two.language and newer not in corpus.translations_of(older)
        is_series = older in corpus.series and corpus.series[older] == corpus.series.get(newer)
        if one.date == two.date or is_series or not is_one or not _is_renewed(one, two):
            continue
        first, second = places.get(older), places.get(newer)
        if first is None or second is None or not len(near):
            continue
        if near[first] == second and near[second] == first:
            yield older, newer


def _skeleton(post: Post) -> tuple[str, ...]:
    title = _REVISION.sub(" ", _NUMBER.sub(" ", to_simplified(post.title.casefold())))
    return tuple(_WORD.findall(title))


def _is_renewed(one: Post, two: Post) -> bool:
    """Whether the newer title is the older, of another version, or that of a revision.

    Another year makes an instalment of a yearly report; another version tells of another release.
    """
    numbers = [_NUMBER.findall(post.title) for post in (one, two)]
    if numbers[0] == numbers[1]:
        return not _REVISION.search(one.title)
    are_years = any(re.fullmatch(r"(?:19|20)\d\d", each) for each in (*numbers[0], *numbers[1]))
    return not are_years and bool(_INSTRUCTIONS.search(one.title))


def _quote(paragraph: str, said: re.Match[str]) -> str:
    start = max(0, said.start() - 20)
    shown = paragraph[start : said.end() + 60]
    return f"{'…' if start else ''}{shown}{'…' if said.end() + 60 < len(paragraph) else ''}"
