"""Posts in, queries out, by kind: what an author's own posts say can be searched for.

Each kind asks for one post alone, so the post it was taken from is the answer
and no label is needed. Which queries are kept of many is decided by a hash, so
that a blog that grows keeps most of its queries.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

from markdown_it import MarkdownIt

from benchmarks.chinese import in_other_words, in_simplified
from benchmarks.descriptions import known_items
from benchmarks.types import Query
from benchmarks.wording import folded, without_numbers, words
from blog_search_mcp.ingest.documents.base import Body, Document

LEAST_WORDS = 2
"""A heading or title with fewer is a label, not a question."""

GENERIC = {
    "acknowledgements", "additionalresources", "aboutthisseries", "callforparticipation",
    "conclusion", "finalthoughts", "furtherreading", "gettingstarted", "gettinginvolved",
    "inconclusion", "knownissues", "learnmore", "morelinks", "nextsteps", "otherchanges",
    "overview", "relatedposts", "releasenotes", "seealso", "tableofcontents", "thankyou",
    "whatsnext", "wrappingup", "參考資料", "延伸閱讀", "相關文章", "下一步", "参考资料", "延伸阅读",
    "相关文章", "参考文献", "関連記事", "おわりに", "はじめに",
}  # fmt: skip
"""Headings any post might have, as `folded` writes them; that one post has it is chance."""

LEAST_IDENTIFIER = 3
MOST_IDENTIFIER = 60
"""Characters; a shorter one is part of other words, a longer one is a line of code."""

SEED = "1"

_MARKDOWN = MarkdownIt("commonmark").enable("table")

Posts = Sequence[Document]


def derive(posts: Posts, kinds: Iterable[str], limit: int) -> list[Query]:
    """At most `limit` queries of each kind, those of smallest hash."""
    return [query for kind in kinds for query in islice(KINDS[kind](posts), limit)]


def foreign(queries: Iterable[Query], posts: Posts) -> list[Query]:
    """Those of another blog's queries whose words this blog nowhere has in one piece."""
    contents = [folded(f"{post.post.title}\n{post.body.text}") for post in posts]
    return [query for query in queries if not any(folded(query.text) in text for text in contents)]


def descriptions(posts: Posts) -> Iterator[Query]:
    """Known items, in order of hash."""
    return in_order(known_items(posts))


def simplified_descriptions(posts: Posts) -> Iterator[Query]:
    """Known items of a Traditional Chinese blog as a reader of Simplified Chinese types them."""
    return in_simplified(descriptions(posts))


def regional(posts: Posts) -> Iterator[Query]:
    """Headings and titles of a Chinese blog in the other region's words, in order of hash."""
    return in_order(in_other_words(chain(headings(posts), titles(posts))))


def headings(posts: Posts) -> Iterator[Query]:
    """Headings of one post alone, numbers aside, which say something and are not its title."""
    found = ((text, post.post) for post in posts for text in _headings(post.body))
    telling = (
        (text, post.source)
        for text, post in found
        if words(text) >= LEAST_WORDS
        and folded(text) not in GENERIC
        and folded(text) != folded(post.title)
    )
    pairs = _of_one_post(telling, without_numbers)
    return in_order(Query("heading", text, source) for text, source in pairs)


def titles(posts: Posts) -> Iterator[Query]:
    """Titles of one post alone, in order of hash."""
    found = ((" ".join(post.post.title.split()), post.post.source) for post in posts)
    telling = (pair for pair in found if words(pair[0]) >= LEAST_WORDS)
    pairs = _of_one_post(telling, folded)
    return in_order(Query("title", text, source) for text, source in pairs)


def identifiers(posts: Posts) -> Iterator[Query]:
    """Inline code of one word that a single post's body or title holds, in any case.

    In order of hash, and found as they are asked for: comparing each with every post is
    the slow part.
    """
    found = ((code, post.post.source) for post in posts for code in _inline_code(post.body.text))
    named = ((code, source) for code, source in found if is_identifier(code))
    pairs = _of_one_post(named, str.casefold)
    contents = {
        post.post.source: f"{post.post.title}\n{post.body.text}".casefold() for post in posts
    }
    for query in in_order(Query("identifier", code, at, evidence=code) for code, at in pairs):
        others = (text for source, text in contents.items() if source != query.source)
        if not any(query.text.casefold() in text for text in others):
            yield query


def in_order(queries: Iterable[Query]) -> Iterator[Query]:
    """The same queries by hash, however the posts were listed."""
    return iter(sorted(queries, key=_hash))


def is_identifier(code: str) -> bool:
    """Whether inline code is one name: no spaces, a letter, neither too short nor a line."""
    return (
        LEAST_IDENTIFIER <= len(code) <= MOST_IDENTIFIER
        and len(code.split()) == 1
        and any(map(str.isalpha, code))
    )


KINDS: Mapping[str, Callable[[Posts], Iterator[Query]]] = {
    "description": descriptions,
    "heading": headings,
    "identifier": identifiers,
    "title": titles,
    "simplified": simplified_descriptions,
    "regional": regional,
}
"""How the queries of each kind are found, in order of hash."""


def _hash(query: Query) -> str:
    return hashlib.sha1(f"{SEED}\n{query.source}\n{query.text}".encode()).hexdigest()


def _of_one_post(
    found: Iterable[tuple[str, str]], same: Callable[[str], str]
) -> Iterator[tuple[str, str]]:
    """The first text of each group that `same` puts together, if one source alone has it."""
    groups: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for text, source in found:
        groups[same(text)].append((text, source))
    for pairs in groups.values():
        if len({source for _, source in pairs}) == 1:
            yield pairs[0]


def _headings(body: Body) -> Iterator[str]:
    for block in body.blocks:
        if block.kind == "heading":
            yield " ".join(block.heading.split())


def _inline_code(body: str) -> Iterator[str]:
    children = chain.from_iterable(token.children or () for token in _MARKDOWN.parse(body))
    return (token.content.strip() for token in children if token.type == "code_inline")
