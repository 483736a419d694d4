"""The subjects of a blog: its posts laid out by meaning, parted into groups, each with a name.

Groups are found by meaning alone, so that a blog without tags has subjects too; tags and the words
of titles name them, those that are commonest in a group and rare outside it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from blog_search_mcp.index.analysis.languages import CJK
from blog_search_mcp.index.analysis.query import is_stopword
from blog_search_mcp.index.analysis.tokenizer import TOKEN, terms
from blog_search_mcp.index.relations.layout import lay_out

if TYPE_CHECKING:
    from blog_search_mcp.index.relations.corpus import Corpus
    from blog_search_mcp.index.types import Ids, Post, Vectors

MOST = 10
"""Subjects: as many colours as people tell apart."""
PER_SUBJECT = 6
"""Of which the square root is taken: 24 posts make 2 subjects, 600 and more make MOST."""
ROUNDS = 50
"""After which k-means stops; it converges in 10 to 30."""
WORDS = 3
"""That a name has at most."""
TAG = 1.5
"""What a tag counts more than a word of a title, since the author chose it as a subject's name."""
LEAST_GAIN = math.log(2)
"""A word that names a subject is in at least so much larger a share of its posts than of others."""
LONGEST = 6
"""Characters of a run without spaces that may be a word of a name."""


@dataclass(frozen=True, slots=True)
class BlogMap:
    """The posts of a blog that have a vector, one of each group of translations."""

    posts: tuple[Post, ...]
    """By date, then source; those without a date first."""
    places: Vectors
    """Of shape (len(posts), 2), in the unit square."""
    subjects: tuple[int, ...]
    """By post, its subject's place in `names`."""
    names: tuple[str, ...]
    """Of the subjects, the one with most posts first."""
    missing: int
    """Posts that are not on it: they have no vector yet."""


def map_blog(corpus: Corpus) -> BlogMap:
    """Make the map, once for each opened generation. Raises IndexBroken."""
    return corpus.keep("map", None, lambda: _map_blog(corpus))


def _map_blog(corpus: Corpus) -> BlogMap:
    vectors = corpus.post_vectors
    shown = [
        number
        for number in sorted(corpus.posts, key=lambda each: _by_date(corpus.posts[each]))
        if _leads(corpus, number)
    ]
    known = [number for number in shown if vectors.of(number) is not None]
    rows = vectors.rows[np.searchsorted(vectors.posts, known)]
    places = lay_out(rows)
    posts = tuple(corpus.posts[number] for number in known)
    groups = part(rows, count_subjects(len(posts)))
    names = name_subjects(posts, groups, corpus.snapshot.languages)
    return BlogMap(posts, places, tuple(groups.tolist()), names, len(shown) - len(known))


def _by_date(post: Post) -> tuple[str, str]:
    return post.date or "", post.source


def _leads(corpus: Corpus, number: int) -> bool:
    """Whether it stands for its translations: it is in the blog's commonest of their languages."""
    group = corpus.snapshot.translations.groups.get(number, ())
    languages = corpus.snapshot.languages

    def rank(post: int, language: str) -> tuple[int, int]:
        main = language.partition("-")[0]
        return (languages.index(main) if main in languages else len(languages)), post

    return not group or number == min(group, key=lambda each: rank(each.post, each.language)).post


def count_subjects(posts: int) -> int:
    """Choose into how many subjects a blog of so many posts is parted."""
    return max(1, min(MOST, round(math.sqrt(posts / PER_SUBJECT))))


def part(rows: Vectors, count: int) -> Ids:
    """Part unit vectors into `count` groups by cosine (k-means), numbered by size.

    The first centre is the row nearest the mean, each further one the row farthest from those
    before.
    """
    if not len(rows):
        return np.zeros(0, dtype=np.int64)
    chosen = [int((rows @ rows.mean(axis=0)).argmax())]
    nearest = rows @ rows[chosen[0]]
    while len(chosen) < min(count, len(rows)):
        chosen.append(int(nearest.argmin()))
        nearest = np.maximum(nearest, rows @ rows[chosen[-1]])
    centres = rows[chosen]
    groups = np.full(len(rows), -1)
    for _ in range(ROUNDS):
        before, groups = groups, (rows @ centres.T).argmax(axis=1)
        if (before == groups).all():
            break
        sums = np.zeros_like(centres)
        np.add.at(sums, groups, rows)
        norms = np.linalg.norm(sums, axis=1, keepdims=True)
        centres = np.where(norms > 0, sums / np.maximum(norms, 1e-9), centres)
    sizes = np.bincount(groups, minlength=len(centres))
    order = np.argsort(-sizes, kind="stable")
    ranks = np.empty(len(order), dtype=np.int64)
    ranks[order] = np.arange(len(order))
    ranked: Ids = ranks[groups]
    return ranked


def name_subjects(posts: Sequence[Post], groups: Ids, languages: Sequence[str]) -> tuple[str, ...]:
    """Name each group by the words that set it apart, `""` where there are none."""
    words = [dict(_words(post, languages)) for post in posts]
    spellings: dict[str, Counter[str]] = {}
    for each in words:
        for key, spelling in each.items():
            spellings.setdefault(key, Counter())[spelling] += 1
    having = Counter(key for each in words for key in each)
    counts = np.bincount(groups)
    inside = [Counter[str]() for _ in counts]
    for each, group in zip(words, groups, strict=True):
        inside[group].update(each.keys())
    scores = [
        _distinctive(found, int(size), having, len(posts))
        for found, size in zip(inside, counts, strict=True)
    ]
    best = {key: max(each.get(key, 0.0) for each in scores) for key in having}
    own = [{key: value for key, value in each.items() if value == best[key]} for each in scores]
    return tuple(
        " · ".join(spellings[key].most_common(1)[0][0] for key in _apart(each)) for each in own
    )


def _distinctive(
    inside: Counter[str], size: int, having: Mapping[str, int], posts: int
) -> dict[str, float]:
    """Score words by how many posts of a group have them, and how few others."""
    scores = {}
    for key, count in inside.items():
        others = (having[key] - count + 0.5) / (posts - size + 1)
        gain = math.log(count / size / others)
        if gain > LEAST_GAIN and (count > 1 or size == 1):
            length = math.sqrt(len(key) - 1) if _EAST_ASIAN.fullmatch(key) else 1.0
            scores[key] = count * gain * length * (TAG if key.startswith("#") else 1.0)
    return scores


def _apart(scores: Mapping[str, float]) -> list[str]:
    """Choose the best words of which none is a part of another."""
    chosen: list[str] = []
    for key in sorted(scores, key=lambda each: (-scores[each], each)):
        bare = key.lstrip("#")
        if not any(bare in other or other.lstrip("#") in bare for other in chosen):
            chosen.append(key)
        if len(chosen) == WORDS:
            break
    return chosen


_EAST_ASIAN = re.compile(f"[{CJK}]+")
_LETTER = re.compile(r"[^\W\d_]{2}")


def _words(post: Post, languages: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the key and spelling of what may name the subject of a post."""
    for tag in post.tags:
        yield f"#{tag.casefold()}", tag
    for run in TOKEN.finditer(post.title):
        if run["cjk"]:
            yield from ((word, word) for word in _inside(run["cjk"], languages))
        elif _LETTER.search(run["name"]) and not is_stopword(run["name"].casefold(), languages):
            [first, *_] = terms(run["name"], post.language or "en")
            yield first.stem, run["name"]


def _inside(run: str, languages: Sequence[str]) -> Iterable[str]:
    """Return every part of a run without spaces that may be a word."""
    return (
        run[start:end]
        for start in range(len(run))
        for end in range(start + 2, min(start + LONGEST, len(run)) + 1)
        if not any(is_stopword(run[at : at + 2], languages) for at in range(start, end - 1))
    )
