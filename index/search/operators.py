"""Read a query's operators: quotes demand a phrase, `-word` and `NOT word` exclude posts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from blog_search_mcp.index.search.confidence import EVERY_WORD
from blog_search_mcp.index.search.retrieval import analyze
from blog_search_mcp.index.search.snapshot import Snapshot
from blog_search_mcp.index.text.query import is_stopword
from blog_search_mcp.index.text.tokenizer import fold, spell_words
from blog_search_mcp.index.words.searcher import LexicalLevel

QUOTED = re.compile(
    r'(?<!\S)"([^"]+)"(?=[\s.,:;!?]|$)|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|「([^」]+)」'
)
_WITHOUT = re.compile(
    r'(?<!\S)(-(?=[^\W\d_"])|(?:AND\s+)?NOT\s+(?=[^\WA-Z\d_"]))("[^"]+"|[^\s",.?!]{3,})'
)


class Demands(NamedTuple):
    """A query without its operators, and what they demand."""

    text: str
    post_ids: Sequence[int] | None
    """IDs of the posts to search; `None` for all."""
    chunks: frozenset[int]
    """IDs of the chunks that have a phrase in quotes; empty without one."""
    notice: str
    """Sentences that name what was left out and the phrases that no post has."""


def read_demands(snapshot: Snapshot, text: str, among: Sequence[int] | None) -> Demands:
    """Read the quotes and exclusions of a query over the posts in `among`; `None` is every post.

    If no post has a phrase, its words are searched for. Exclusions count only beside other words.
    """
    operators = {m.start(): m[2] for m in _WITHOUT.finditer(text) if _excludes_posts(snapshot, m)}
    rest = _WITHOUT.sub(lambda match: "" if match.start() in operators else match[0], text)
    if not spell_words(rest).strip():
        rest, operators = text, {}
    if not operators and not QUOTED.search(text):
        return Demands(text, among, frozenset(), "")
    posts = set(snapshot.table.posts.tolist() if among is None else among)
    chunks, notices = frozenset[int](), list[str]()
    for word in operators.values():
        if holders := {*_find_all(snapshot, snapshot.lexical.posts, word, len(posts))}:
            posts -= holders
            notices.append(f"Posts with {word} are left out.")
    for phrase in map("".join, QUOTED.findall(rest)):
        held = find_phrase(snapshot, phrase)
        holders = posts & {*snapshot.table.posts_of_chunks(np.array(held, np.int64)).tolist()}
        posts, chunks = holders or posts, chunks.union(held)
        notices += [] if holders else [f'No post has "{phrase}" in these words.']
    return Demands(rest, sorted(posts), chunks, " ".join(notices))


def find_phrase(snapshot: Snapshot, phrase: str) -> list[int]:
    """Return ids of the passages of `read_passages` that have these words in a row."""
    words, read = spell_words(phrase), read_passages(snapshot, phrase)
    return [number for number, passage in read if words in spell_words(passage)]


def _excludes_posts(snapshot: Snapshot, match: re.Match[str]) -> bool:
    """Whether `-word` or `NOT word` excludes posts; not if a post writes the word with that sign.

    In a query with an English function word, NOT is emphasis and excludes nothing.
    """
    sign, word = match[1] if match[1] == "-" else "not ", match[2]
    words = map(fold, _WITHOUT.sub(" ", match.string).split())
    if sign != "-" and any(is_stopword(each, ("en",)) for each in words):
        return False
    written = re.compile(rf"(?<![\w-]){sign}{re.escape(word)}(?!\w)", re.IGNORECASE)
    return not any(written.search(passage) for _, passage in read_passages(snapshot, word))


def _find_all(snapshot: Snapshot, level: LexicalLevel, words: str, limit: int) -> Iterator[int]:
    """Yield the ids at a level that hold all of the words, in any form and order."""
    coverage = level.coverage(analyze(snapshot, words), limit)
    return (number for number, share in coverage.items() if share >= EVERY_WORD)


def read_passages(snapshot: Snapshot, words: str) -> Iterator[tuple[int, str]]:
    """Yield id and text, with headings, of up to 500 passages that hold all of the words."""
    numbers = _find_all(snapshot, snapshot.lexical.chunks, words, 500)
    for number, chunk in snapshot.catalog.chunks(numbers).items():
        yield number, "\n".join((*chunk.all_headings, chunk.plain))
