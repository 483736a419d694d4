"""Queries derived from posts, by kind. Their right posts are known without labels.

A hash of the text decides which queries are kept, so that a growing blog keeps most of them.
"""

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import TypeVar

from blog_search_mcp.index.text.languages import CJK, function_words, language_of, primary_subtag
from blog_search_mcp.index.text.tokenizer import to_simplified

T = TypeVar("T")

HEADING_WORDS = 2
"""Minimum words of a heading as a query. Shorter ones are labels."""
SPECIFIC_WORDS = 3
"""Minimum words of a specific heading, without function words. Two CJK letters count as a word."""
SHORT = 2
"""Maximum words, or unbroken runs of CJK letters, of a title X for "what is X?"."""
DEFINITION = {
    "en": "What is {}?",
    "zh": "什么是 {}？",
    "zh-hant": "什麼是 {}？",
    "ja": "{} とは",
    "de": "Was ist {}?",
}
"""Question for a definition, by language. Posts in other languages get none."""
MISSPELLED_LETTERS = 5
"""Minimum letters of a word to misspell. Search does not correct shorter ones."""
TRADITIONAL_SHARE = 0.05
"""Share of CJK letters that differ in Simplified script, above which a text is Traditional. In
Traditional text a quarter of them differ, in Simplified text only a few variants."""
OPENING = 500
"""Number of a post's first characters that are used to detect the script."""
LEAST_IDENTIFIER, MOST_IDENTIFIER = 3, 60
"""Bounds in characters. A shorter name is part of other words; a longer one is a line of code."""
GENERIC = {
    "acknowledgements", "conclusion", "finalthoughts", "furtherreading", "gettingstarted",
    "knownissues", "learnmore", "nextsteps", "overview", "releasenotes", "seealso",
    "tableofcontents", "wrappingup", "參考資料", "延伸閱讀", "相關文章", "下一步", "参考资料",
    "延伸阅读", "相关文章", "参考文献", "関連記事", "おわりに", "はじめに",
}  # fmt: skip
"""Headings that any post could have, as `fold` returns them. They are not used as queries."""
_CJK = re.compile(f"[{CJK}]")
_RUN = re.compile(rf"[{CJK}]+|[^\W{CJK}]+(?:[-.][^\W{CJK}]+)*")
_FENCE = re.compile(r"^ {0,3}(```+|~~~+).*?^ {0,3}\1", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"(?<!`)(`+)(?!`)([^`\n]+)(?<!`)\1(?!`)")
_WORD = re.compile(r"[\w'’+#./-]+")
_CHINESE_ASKING = re.compile(
    "什[麼么]|怎[麼么樣样]?|如何|[為为](?:什[麼么]|何)|哪[個个些]?|多少|[幾几](?=[個个倍次])|[請请][問问]"
    "|是不是|能不能|[嗎吗呢吧的了？，。]"
)
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Query:
    """A text to search for, and the posts that answer it."""

    kind: str
    """`title`, `heading`, `question`, …"""
    text: str
    right: tuple[str, ...] = ()
    """Sources of the right posts, none if the blog has no answer."""
    evidence: str = ""
    """Words of a right post that answer the query, verbatim; `""` if unknown."""


@dataclass(frozen=True, slots=True)
class Text:
    """A post, read from its index."""

    source: str
    title: str
    language: str
    """Language, ISO 639-1 or `zh-hant` for Traditional Chinese."""
    headings: tuple[str, ...]
    body: str


Posts = Sequence[Text]
Kind = Callable[[Posts], Iterator[Query]]


def derive_queries(posts: Posts, limit: int) -> list[Query]:
    """Return at most `limit` queries of each kind: the ones with the smallest hashes."""
    kinds = (titles, definitions, misspelled, headings, identifiers, simplified)
    return [query for kind in kinds for query in islice(kind(posts), limit)]


def titles(posts: Posts) -> Iterator[Query]:
    """Yield each title. Every post with the title is right."""
    holders = _group((post.title.casefold(), post) for post in posts if post.title)
    return sort_by_hash(
        Query("title", same[0].title, tuple(post.source for post in same))
        for same in holders.values()
    )


def definitions(posts: Posts) -> Iterator[Query]:
    """Yield "what is X?" for each short title X."""
    languages = {post.source: post.language for post in posts}
    for query in titles(posts):
        asked = DEFINITION.get(languages[query.right[0]], "")
        if asked and 0 < len(_RUN.findall(query.text)) <= SHORT:
            yield Query("definition", asked.format(query.text), query.right)


def misspelled(posts: Posts) -> Iterator[Query]:
    """Yield titles of several words, the longest ASCII word of each misspelled."""
    for query in titles(posts):
        text = _misspell(query.text)
        if text != query.text and len(text.split()) > 1:
            yield Query("misspelled", text, query.right)


def _misspell(title: str) -> str:
    """Exchange the two middle letters of the longest ASCII word; of two equal ones drop one."""
    words = [word for word in title.split() if word.isascii() and word.isalpha()]
    longest = max(words, key=len, default="")
    if len(longest) < MISSPELLED_LETTERS:
        return title
    middle = len(longest) // 2
    left, right = longest[middle - 1], longest[middle]
    inside = right + left if left != right else left
    return title.replace(longest, longest[: middle - 1] + inside + longest[middle + 1 :], 1)


def headings(posts: Posts) -> Iterator[Query]:
    """Yield headings of only one post, ignoring numbers, unless short, generic or its title."""
    holders = _group(
        (_NUMBER.sub("", fold(heading)), (" ".join(heading.split()), post.source))
        for post in posts
        for heading in post.headings
        if count_words(heading) >= HEADING_WORDS
        and fold(heading) not in GENERIC | {fold(post.title)}
    )
    return sort_by_hash(
        Query("heading", same[0][0], (same[0][1],))
        for same in holders.values()
        if len({source for _, source in same}) == 1
    )


def identifiers(posts: Posts) -> Iterator[Query]:
    """Yield one-word inline code that only one post has in its body or title, ignoring case.

    Words are compared with every post one by one, since a caller may need only the first.
    """
    named = _group(
        (code.casefold(), (code, post.source))
        for post in posts
        for code in (match[2].strip() for match in _CODE.finditer(_FENCE.sub("", post.body)))
        if _is_name(code)
    )
    contents = {post.source: f"{post.title}\n{post.body}".casefold() for post in posts}
    firsts = (same[0] for same in named.values())
    for query in sort_by_hash(Query("identifier", code, (at,), code) for code, at in firsts):
        others = (text for source, text in contents.items() if source not in query.right)
        if not any(query.text.casefold() in text for text in others):
            yield query


def _is_name(code: str) -> bool:
    """Whether inline code is a name: one word with a letter, within the bounds of length."""
    fits = LEAST_IDENTIFIER <= len(code) <= MOST_IDENTIFIER
    return fits and len(code.split()) == 1 and any(map(str.isalpha, code))


def simplified(posts: Posts) -> Iterator[Query]:
    """Yield Traditional Chinese headings and titles in Simplified characters."""
    for query in chain(headings(posts), titles(posts)):
        text = to_simplified(query.text)
        if text != query.text and language_of(query.text) == "zh":
            yield Query("simplified", text, query.right)


def reduce_to_keywords(question: str) -> str:
    """Return a question without punctuation and function words, as assistants search for it."""
    known = function_words(language_of(question) or "en")
    words = (word.strip("./-") for word in _WORD.findall(_CHINESE_ASKING.sub(" ", question)))
    return " ".join(word for word in words if word and word.lower() not in known)


def is_specific(heading: str) -> bool:
    """Whether a heading has enough content words to be a query on another blog."""
    return count_words(reduce_to_keywords(heading)) >= SPECIFIC_WORDS


def select_foreign(texts: Iterable[str], posts: Posts) -> list[str]:
    """Select the texts of another blog that no post here contains verbatim."""
    contents = [fold(f"{post.title}\n{post.body}") for post in posts]
    return [text for text in texts if not any(fold(text) in content for content in contents)]


def sort_by_hash(queries: Iterable[Query]) -> Iterator[Query]:
    """Sort queries by the hash of their text, so that the order of posts does not matter."""
    return iter(sorted(queries, key=lambda query: hashlib.sha1(query.text.encode()).digest()))


def language_of_post(tag: str, body: str) -> str:
    """Return the primary language of a post's tag; `zh-hant` if Chinese text is Traditional."""
    language, text = primary_subtag(tag), body[:OPENING]
    changed = sum(a != b for a, b in zip(text, to_simplified(text), strict=True))
    is_traditional = changed > TRADITIONAL_SHARE * len(_CJK.findall(text))
    return "zh-hant" if language == "zh" and is_traditional else language


def fold(text: str) -> str:
    """Return only letters and digits, casefolded: texts that differ in marks become equal."""
    return "".join(filter(str.isalnum, text.casefold()))


def count_words(text: str) -> float:
    """Count the words of `text`; a CJK letter counts as half a word."""
    return len(_CJK.sub(" ", text).split()) + len(_CJK.findall(text)) / 2


def _group(pairs: Iterable[tuple[str, T]]) -> dict[str, list[T]]:
    groups = defaultdict[str, list[T]](list)
    for key, value in pairs:
        groups[key].append(value)
    return groups
