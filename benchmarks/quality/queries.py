"""Queries made of the posts, by kind, whose right answer is known without any label.

Which queries are kept of many is decided by a hash, so that a blog that grows keeps most of them.
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
"""Least words of a heading that is asked for; one with fewer is a label, not a question."""
SPECIFIC_WORDS = 3
"""Least words of a specific heading without function words; two CJK letters count as one word."""
SHORT = 2
"""Most words, or unbroken runs of CJK letters, of a title that is a term: "what is X?"."""
DEFINITION = {
    "en": "What is {}?",
    "zh": "什么是 {}？",
    "zh-hant": "什麼是 {}？",
    "ja": "{} とは",
    "de": "Was ist {}?",
}
"""Question for a definition, by language; posts in other languages get none."""
MISSPELLED_LETTERS = 5
"""Least letters of a word that is misspelled: search does not correct shorter ones."""
TRADITIONAL_SHARE = 0.05
"""Share of the letters that are written otherwise in Simplified characters: of Traditional text a
quarter are, of Simplified text the few that the table takes for variants."""
OPENING = 500
"""Characters of a post by which its script is detected."""
LEAST_IDENTIFIER, MOST_IDENTIFIER = 3, 60
"""Bounds in characters: a shorter name is part of other words, a longer one a line of code."""
GENERIC = {
    "acknowledgements", "conclusion", "finalthoughts", "furtherreading", "gettingstarted",
    "knownissues", "learnmore", "nextsteps", "overview", "releasenotes", "seealso",
    "tableofcontents", "wrappingup", "參考資料", "延伸閱讀", "相關文章", "下一步", "参考资料",
    "延伸阅读", "相关文章", "参考文献", "関連記事", "おわりに", "はじめに",
}  # fmt: skip
"""Headings any post might have, as `fold` writes them; that one post has it is chance."""
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
    """Sources of the posts that count as found; none if the blog does not answer."""
    evidence: str = ""
    """Words of the post that answer it, verbatim; empty if nobody said which."""


@dataclass(frozen=True, slots=True)
class Text:
    """A post as its index has it."""

    source: str
    title: str
    language: str
    """Language, ISO 639-1 or `zh-hant` for Traditional Chinese."""
    headings: tuple[str, ...]
    body: str


Posts = Sequence[Text]
Kind = Callable[[Posts], Iterator[Query]]


def derive_queries(posts: Posts, limit: int) -> list[Query]:
    """Make at most `limit` queries of each kind, those of smallest hash."""
    kinds = (titles, definitions, misspelled, headings, identifiers, simplified)
    return [query for kind in kinds for query in islice(kind(posts), limit)]


def titles(posts: Posts) -> Iterator[Query]:
    """Ask for each title as it stands; every post that has it is right."""
    holders = _group((post.title.casefold(), post) for post in posts if post.title)
    return sort_by_hash(
        Query("title", same[0].title, tuple(post.source for post in same))
        for same in holders.values()
    )


def definitions(posts: Posts) -> Iterator[Query]:
    """Ask "what is X?" for each short title X."""
    languages = {post.source: post.language for post in posts}
    for query in titles(posts):
        asked = DEFINITION.get(languages[query.right[0]], "")
        if asked and 0 < len(_RUN.findall(query.text)) <= SHORT:
            yield Query("definition", asked.format(query.text), query.right)


def misspelled(posts: Posts) -> Iterator[Query]:
    """Ask for titles of several words, the longest English one with a letter at a wrong place."""
    for query in titles(posts):
        text = _misspell(query.text)
        if text != query.text and len(text.split()) > 1:
            yield Query("misspelled", text, query.right)


def _misspell(title: str) -> str:
    """Exchange the two letters in the middle of the longest word, or leave one out of two equal."""
    words = [word for word in title.split() if word.isascii() and word.isalpha()]
    longest = max(words, key=len, default="")
    if len(longest) < MISSPELLED_LETTERS:
        return title
    middle = len(longest) // 2
    left, right = longest[middle - 1], longest[middle]
    inside = right + left if left != right else left
    return title.replace(longest, longest[: middle - 1] + inside + longest[middle + 1 :], 1)


def headings(posts: Posts) -> Iterator[Query]:
    """Ask for headings of one post alone, numbers aside, which say something and are no title."""
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
    """Ask for inline code of one word that a single post's body or title holds, in any case.

    They are yielded one by one, since comparing each with every post is slow.
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
    """Whether inline code is one name: no spaces, a letter, neither too short nor a line."""
    fits = LEAST_IDENTIFIER <= len(code) <= MOST_IDENTIFIER
    return fits and len(code.split()) == 1 and any(map(str.isalpha, code))


def simplified(posts: Posts) -> Iterator[Query]:
    """Ask for the headings and titles of a Traditional Chinese blog in Simplified characters."""
    for query in chain(headings(posts), titles(posts)):
        text = to_simplified(query.text)
        if text != query.text and language_of(query.text) == "zh":
            yield Query("simplified", text, query.right)


def reduce_to_keywords(question: str) -> str:
    """Return a question without signs and function words, as an assistant searches for it."""
    known = function_words(language_of(question) or "en")
    words = (word.strip("./-") for word in _WORD.findall(_CHINESE_ASKING.sub(" ", question)))
    return " ".join(word for word in words if word and word.lower() not in known)


def is_specific(heading: str) -> bool:
    """Whether a heading has enough words of its own that another blog's readers would ask it."""
    return count_words(reduce_to_keywords(heading)) >= SPECIFIC_WORDS


def select_foreign(texts: Iterable[str], posts: Posts) -> list[str]:
    """Select the texts of another blog that no post here contains verbatim."""
    contents = [fold(f"{post.title}\n{post.body}") for post in posts]
    return [text for text in texts if not any(fold(text) in content for content in contents)]


def sort_by_hash(queries: Iterable[Query]) -> Iterator[Query]:
    """Sort queries by hash, however the posts were listed."""
    return iter(sorted(queries, key=lambda query: hashlib.sha1(query.text.encode()).digest()))


def language_of_post(tag: str, body: str) -> str:
    """Return the language of a post by its tag, `zh-hant` for Traditional Chinese by its text."""
    language, text = primary_subtag(tag), body[:OPENING]
    changed = sum(a != b for a, b in zip(text, to_simplified(text), strict=True))
    is_traditional = changed > TRADITIONAL_SHARE * len(_CJK.findall(text))
    return "zh-hant" if language == "zh" and is_traditional else language


def fold(text: str) -> str:
    """Letters and digits alone, without case: texts that differ in marks alone are equal."""
    return "".join(filter(str.isalnum, text.casefold()))


def count_words(text: str) -> float:
    """Count the words of `text`; a CJK letter counts as half a word."""
    return len(_CJK.sub(" ", text).split()) + len(_CJK.findall(text)) / 2


def _group(pairs: Iterable[tuple[str, T]]) -> dict[str, list[T]]:
    groups = defaultdict[str, list[T]](list)
    for key, value in pairs:
        groups[key].append(value)
    return groups
