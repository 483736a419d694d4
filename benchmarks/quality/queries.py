"""Queries made of the posts, by kind, each asking for one post alone, so that no label is needed.

Which queries are kept of many is decided by a hash, so that a blog that grows keeps most of its
queries. The kinds `simplified` and `regional` are Chinese headings and titles rewritten by the
tables that search itself uses: measured is what search makes of the difference, not how good the
tables are.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain, islice

from benchmarks.quality.types import Query
from blog_search_mcp.index.analysis.languages import (
    CJK,
    function_words,
    language_of,
    primary_subtag,
)
from blog_search_mcp.index.analysis.query import LEAST_LETTERS, analyse_query
from blog_search_mcp.index.analysis.synonyms import regional_words
from blog_search_mcp.index.analysis.tokenizer import to_simplified
from blog_search_mcp.index.posts.document import Document, find_language
from blog_search_mcp.index.posts.markdown.inline import strip_markup
from blog_search_mcp.index.relations.translations import group_sources

HEADING_WORDS = 2
"""A heading with fewer is a label, not a question."""

SHORT = 2
"""Words, or unbroken runs of CJK letters, up to which a title is the name of something that is
asked for: "what is X?"."""

CARDS = "/knowledge-cards/"
"""In the path of a post that explains one term."""

DEFINITION = {
    "en": "What is {}?",
    "zh": "什么是 {}？",
    "zh-hant": "什麼是 {}？",
    "ja": "{} とは",
    "de": "Was ist {}?",
}
"""How a language asks what its title names; a post in another one is not asked for so."""


TRADITIONAL_SHARE = 0.05
"""Share of the letters that are written otherwise in Simplified characters: of Traditional text a
quarter are, of Simplified text the few that the table takes for variants."""

OPENING = 500
"""Characters of a post by which its script is detected."""

GENERIC = {
    "acknowledgements", "additionalresources", "aboutthisseries", "callforparticipation",
    "conclusion", "finalthoughts", "furtherreading", "gettingstarted", "gettinginvolved",
    "inconclusion", "knownissues", "learnmore", "morelinks", "nextsteps", "otherchanges",
    "overview", "relatedposts", "releasenotes", "seealso", "tableofcontents", "thankyou",
    "whatsnext", "wrappingup", "參考資料", "延伸閱讀", "相關文章", "下一步", "参考资料", "延伸阅读",
    "相关文章", "参考文献", "関連記事", "おわりに", "はじめに",
}  # fmt: skip
"""Headings any post might have, as `fold` writes them; that one post has it is chance."""

SPECIFIC_WORDS = 3
"""Words but function words, two CJK letters for one, from which on a heading is about something."""

LEAST_IDENTIFIER = 3
MOST_IDENTIFIER = 60
"""Characters; a shorter one is part of other words, a longer one is a line of code."""

SEED = "1"

Posts = Sequence[Document]

DESCRIPTION_LETTERS = 20
DESCRIPTION_WORDS = 4
"""A description with fewer names a subject that many posts may share."""

COPIED = 0.8
"""Share of a description that, found in one piece in the body, makes it a copy of the body."""

_CJK = re.compile(f"[{CJK}]")
"""Chinese, Japanese and Korean letters, of which two say about what a word says."""
_RUN = re.compile(rf"[{CJK}]+|[^\W{CJK}]+(?:[-.][^\W{CJK}]+)*")
_CODE = re.compile(r"(?<!`)(`+)(?!`)([^`\n]+)(?<!`)\1(?!`)")
_WORD = re.compile(r"[\w'’+#./-]+")
_CHINESE_ASKING = re.compile(
    "什[麼么]|怎[麼么樣样]?|如何|[為为](?:什[麼么]|何)|哪[個个些]?|多少|[幾几](?=[個个倍次])|[請请][問问]"
    "|是不是|能不能|[嗎吗呢吧的了？，。]"
)
_NUMBER = re.compile(r"\d+")


def descriptions(posts: Posts) -> Iterator[Query]:
    """Authors' descriptions that ask for one post alone, in order of hash."""
    described = [
        (post, strip_markup(post.post.description)) for post in posts if post.post.description
    ]
    uses = Counter(fold_without_digits(text) for _, text in described)
    return sort_by_hash(
        Query("description", " ".join(text.split()), post.post.source)
        for post, text in described
        if uses[fold_without_digits(text)] == 1
        and count_letters(text) >= DESCRIPTION_LETTERS
        and count_words(text) >= DESCRIPTION_WORDS
        and not is_copied(text, post.post.title, post.body.text)
    )


def is_copied(text: str, title: str, body: str) -> bool:
    """Whether the title holds the description, or the body holds most of it in one piece."""
    wanted, content = fold(text), fold(strip_markup(body))
    piece = math.ceil(len(wanted) * COPIED)
    pieces = (wanted[at : at + piece] for at in range(len(wanted) - piece + 1))
    return wanted in fold(title) or any(each in content for each in pieces)


def headings(posts: Posts) -> Iterator[Query]:
    """Headings of one post alone, numbers aside, which say something and are not its title."""
    found = (
        (" ".join(block.heading.split()), post.post)
        for post in posts
        for block in post.body.blocks
        if block.kind == "heading"
    )
    telling = (
        (text, post.source)
        for text, post in found
        if count_words(text) >= HEADING_WORDS and fold(text) not in {*GENERIC, fold(post.title)}
    )
    pairs = _of_one_post(telling, fold_without_digits)
    return sort_by_hash(Query("heading", text, source) for text, source in pairs)


def titles(posts: Posts) -> Iterator[Query]:
    """Titles as they stand but those that two posts share, in order of hash.

    Translations of one post may share theirs, and each of them is right.
    """
    return sort_by_hash(
        Query(
            "title",
            title,
            first,
            tuple(others),
            parts=("short",) * is_short(title) + ("card",) * (CARDS in f"/{first}"),
        )
        for title, (first, *others) in _unshared_titles(posts)
    )


def definitions(posts: Posts) -> Iterator[Query]:
    """Ask "what is X?" for each short title X that no other post has, in order of hash."""
    languages = {post.post.source: detect_language(post) for post in posts}
    return sort_by_hash(
        Query("definition", DEFINITION[language].format(title), first, tuple(others))
        for title, (first, *others) in _unshared_titles(posts)
        if is_short(title) and (language := languages[first]) in DEFINITION
    )


def is_short(title: str) -> bool:
    """Whether a title is a term: at most SHORT words or runs of CJK letters."""
    return 0 < len(_RUN.findall(title)) <= SHORT


def detect_language(post: Document) -> str:
    """Return the language of a post as an index has it, `zh-hant` for Traditional Chinese."""
    language = primary_subtag(find_language(post))
    text = post.body.text[:OPENING]
    changed = sum(a != b for a, b in zip(text, to_simplified(text), strict=True))
    is_traditional = changed > TRADITIONAL_SHARE * len(_CJK.findall(text))
    return "zh-hant" if language == "zh" and is_traditional else language


def _unshared_titles(posts: Posts) -> Iterator[tuple[str, list[str]]]:
    """Each title with its post, or with all of a post's translations that have it."""
    families = group_sources(post.post.source for post in posts)
    groups = {source: number for number, family in enumerate(families) for source in family}
    holders: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for post in posts:
        title = " ".join(post.post.title.split())
        holders[title.casefold()].append((title, post.post.source))
    for pairs in holders.values():
        if len({groups.get(source, source) for _, source in pairs}) == 1:
            yield pairs[0][0], [source for _, source in pairs]


def misspelled(posts: Posts) -> Iterator[Query]:
    """Titles of several words, the longest English one with a letter at the wrong place."""
    found = ((query, _misspell(query.text)) for query in titles(posts))
    return (
        replace(query, kind="misspelled", text=text, parts=())
        for query, text in found
        if text != query.text and len(text.split()) > 1
    )


def _misspell(title: str) -> str:
    """The title with the letters in the middle of its longest word exchanged.

    One of them is left out if they are equal, and none if no word is long enough to be corrected.
    """
    words = [word for word in title.split() if word.isascii() and word.isalpha()]
    longest = max(words, key=len, default="")
    if len(longest) < LEAST_LETTERS:
        return title
    middle = len(longest) // 2
    left, right = longest[middle - 1], longest[middle]
    inside = right + left if left != right else left
    return title.replace(longest, longest[: middle - 1] + inside + longest[middle + 1 :], 1)


def reduce_to_keywords(question: str) -> str:
    """Return a question without signs and function words, as an assistant searches for it."""
    known = function_words(language_of(question) or "en")
    words = (word.strip("./-") for word in _WORD.findall(_CHINESE_ASKING.sub(" ", question)))
    return " ".join(word for word in words if word and word.lower() not in known)


def simplified(posts: Posts) -> Iterator[Query]:
    """Headings and titles of a Traditional Chinese blog in Simplified characters, by hash."""
    return sort_by_hash(
        Query("simplified", text, query.source, query.also)
        for query, text in _simplify_chinese(posts)
        if text != query.text
    )


def regional(posts: Posts) -> Iterator[Query]:
    """Headings and titles of a Chinese blog in the other region's words, in order of hash.

    That of a Traditional one is the mainland. In Simplified characters, whoever says it.
    """
    rewritten = (
        (query, text, _swap_regional_words(text, from_taiwan=text != query.text))
        for query, text in _simplify_chinese(posts)
    )
    return sort_by_hash(
        Query("regional", other, query.source, query.also)
        for query, text, other in rewritten
        if other != text
    )


def _simplify_chinese(posts: Posts) -> Iterator[tuple[Query, str]]:
    """The Chinese headings and titles, each with its text in Simplified characters."""
    for query in chain(headings(posts), titles(posts)):
        if language_of(query.text) == "zh":
            yield query, to_simplified(query.text)


def _swap_regional_words(text: str, *, from_taiwan: bool) -> str:
    """`text` with each word, the longest first, as the other region says it first."""
    words, pattern = _regional_table(from_taiwan=from_taiwan)
    return pattern.sub(lambda match: words[match[0]], text)


@cache
def _regional_table(*, from_taiwan: bool) -> tuple[dict[str, str], re.Pattern[str]]:
    words: dict[str, str] = {}
    for mainland, taiwan in regional_words():
        word, other = (taiwan, mainland) if from_taiwan else (mainland, taiwan)
        words.setdefault(word, other)
    longest = sorted(words, key=lambda word: -len(word))
    return words, re.compile("|".join(map(re.escape, longest)))


def identifiers(posts: Posts) -> Iterator[Query]:
    """Inline code of one word that a single post's body or title holds, in any case.

    In order of hash, and found as they are asked for: comparing each with every post is
    the slow part.
    """
    found = (
        (code[2].strip(), post.post.source)
        for post in posts
        for block in post.body.blocks
        if not block.opening
        for code in _CODE.finditer(post.body.text[block.start : block.end])
    )
    named = ((code, source) for code, source in found if _is_name(code))
    pairs = _of_one_post(named, str.casefold)
    contents = {
        post.post.source: f"{post.post.title}\n{post.body.text}".casefold() for post in posts
    }
    for query in sort_by_hash(Query("identifier", code, at, evidence=code) for code, at in pairs):
        others = (text for source, text in contents.items() if source != query.source)
        if not any(query.text.casefold() in text for text in others):
            yield query


def _is_name(code: str) -> bool:
    """Whether inline code is one name: no spaces, a letter, neither too short nor a line."""
    fits = LEAST_IDENTIFIER <= len(code) <= MOST_IDENTIFIER
    return fits and len(code.split()) == 1 and any(map(str.isalpha, code))


KINDS: Mapping[str, Callable[[Posts], Iterator[Query]]] = {
    "description": descriptions,
    "heading": headings,
    "identifier": identifiers,
    "title": titles,
    "definition": definitions,
    "misspelled": misspelled,
    "simplified": simplified,
    "regional": regional,
}
"""How the queries of each kind are found, in order of hash."""


def derive_queries(posts: Posts, kinds: Iterable[str], limit: int) -> list[Query]:
    """Make at most `limit` queries of each kind, those of smallest hash."""
    return [query for kind in kinds for query in islice(KINDS[kind](posts), limit)]


def select_foreign(queries: Iterable[Query], posts: Posts) -> list[Query]:
    """Select those of another blog's queries that no post here contains verbatim."""
    contents = [fold(f"{post.post.title}\n{post.body.text}") for post in posts]
    return [query for query in queries if not any(fold(query.text) in text for text in contents)]


def sort_by_hash(queries: Iterable[Query]) -> Iterator[Query]:
    """Sort queries by hash, however the posts were listed."""

    def digest(query: Query) -> str:
        text = f"{SEED}\n{query.source}\n{query.text}"
        return hashlib.sha1(text.encode()).hexdigest()

    return iter(sorted(queries, key=digest))


def fold(text: str) -> str:
    """Letters and digits alone, without case: texts that differ in marks alone are equal."""
    return "".join(filter(str.isalnum, text.casefold()))


def fold_without_digits(text: str) -> str:
    """`fold` without digits: one pattern filled in twice is equal."""
    return _NUMBER.sub("", fold(text))


def is_specific(heading: str) -> bool:
    """Whether a heading has enough words of its own that another blog's readers would ask it."""
    content = [word for word in analyse_query(heading).words if word.weight == 1.0]
    own = _CJK.findall(heading)
    latin = [word for word in content if not _CJK.search(word.exact)]
    return len(latin) + len(own) / 2 >= SPECIFIC_WORDS and fold(heading) not in GENERIC


def count_letters(text: str) -> int:
    """How many letters and digits `text` has, a CJK one counting for two."""
    return len(fold(text)) + len(_CJK.findall(text))


def count_words(text: str) -> float:
    """How many words `text` has, a CJK letter counting for half of one."""
    return len(_CJK.sub(" ", text).split()) + len(_CJK.findall(text)) / 2


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
