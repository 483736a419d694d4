"""Read what a query demands: words in quotes stand so in each hit, -word and NOT word in none."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import numpy as np

from blog_search_mcp.index.analysis.tokenizer import spell_words
from blog_search_mcp.index.lexical.searcher import LexicalLevel
from blog_search_mcp.index.search.confidence import EVERY_WORD
from blog_search_mcp.index.search.retrieval import analyse
from blog_search_mcp.index.search.snapshot import Snapshot

QUOTED = re.compile(
    r'(?<!\S)"([^"]+)"(?=[\s.,:;!?]|$)|“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|「([^」]+)」'
)
_WITHOUT = re.compile(r'(?<!\S)(-(?=[^\W\d_"])|NOT\s+(?=[^\WA-Z\d_"]))("[^"]+"|[^\s",.?!]{3,})')

MOST_READ = 500
"""Passages with all words of a phrase that are read for it."""


def read_demands(
    snapshot: Snapshot, text: str, among: Sequence[int] | None
) -> tuple[str, Sequence[int] | None, frozenset[int], str]:
    """Read a query over these posts: what to search for, among which posts and passages, a notice.

    `None` is every post, and no passage any. What no post has in quotes is searched for without
    them; -word is an option where posts write it so. The notice says what was done.
    """
    rest = _WITHOUT.sub("", text)
    left_out = _WITHOUT.findall(text) if spell_words(rest).strip() else []
    if not left_out and not QUOTED.search(text):
        return text, among, frozenset(), ""
    posts = set(snapshot.table.posts.tolist() if among is None else among)
    passages, said = frozenset[int](), list[str]()
    for sign, word in left_out:
        if any(sign + word in passage for _, passage in _read_passages(snapshot, word)):
            rest = text
        elif holding := {*_find_all(snapshot, snapshot.lexical.posts, word, len(posts))}:
            posts -= holding
            said.append(f"Posts with {word} are left out.")
    for phrase in map("".join, QUOTED.findall(rest)):
        words, read = spell_words(phrase), _read_passages(snapshot, phrase)
        held = [number for number, passage in read if words in spell_words(passage)]
        holding = posts & {*snapshot.table.posts_of(np.array(held, np.int64)).tolist()}
        posts, passages = holding or posts, passages.union(held)
        said += [] if holding else [f'No post has "{phrase}" in these words.']
    return rest, sorted(posts), passages, " ".join(said)


def _find_all(snapshot: Snapshot, level: LexicalLevel, words: str, limit: int) -> Iterator[int]:
    """The ids at a level that hold all of the words, in any form and order."""
    coverage = level.coverage(analyse(snapshot, words), limit)
    return (number for number, share in coverage.items() if share >= EVERY_WORD)


def _read_passages(snapshot: Snapshot, words: str) -> Iterator[tuple[int, str]]:
    """The passages that hold all of the words, with their headings."""
    numbers = _find_all(snapshot, snapshot.lexical.chunks, words, MOST_READ)
    for number, chunk in snapshot.catalog.chunks(numbers).items():
        yield number, "\n".join((*chunk.all_headings, chunk.plain))
