"""Analyse a query: its weighted terms, whether it asks, is running text or a name, and of what."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from blog_search_mcp.index.analysis.languages import (
    CJK,
    function_words,
    language_of,
    primary_subtag,
    stemmer_of,
)
from blog_search_mcp.index.analysis.tokenizer import Term, fold, name_key, terms

WEIGHT = 0.4
"""What is left of a stop word's say. 1 costs questions over a Chinese blog, a quarter of them in
English, .08 of nDCG@10; 0 costs questions .02 to .03."""

_STOPWORDS_PAIR = 2


def is_stopword(word: str, languages: Collection[str]) -> bool:
    """Whether `word`, folded, is a function word of any of `languages` or made of grammar.

    A Han character or pair counts in Chinese, if either is grammar: in Japanese the same
    characters make words (時間, 使用). One or two kana count if they are all hiragana.
    """
    if len(word) <= _STOPWORDS_PAIR and word[:1] > "\u303f":
        chinese = any(primary_subtag(language) == "zh" for language in languages)
        grammar = chinese and not function_words("zh").isdisjoint(word)
        return grammar or all("\u3040" <= c <= "\u309f" for c in word)
    return any(word in _folded(language) for language in languages)


@cache
def _folded(language: str) -> frozenset[str]:
    return frozenset(fold(word) for word in function_words(language))


_QUESTION = re.compile(
    r"[?？]|^\W*(?:how|why|what|when|which|who|where|can|does|do|did|is|are|should"
    r"|wie|was|warum|wann|wo|welche[rsn]?|kann|cómo|qué|por qué|cuándo|dónde|cuál"
    r"|comment|pourquoi|quel\w*|quand|où)\b"
    r"|[嗎吗呢麼么哪誰谁]|如何|怎|為何|为何|幾|(?:です|ます|の)か|どう|なぜ|何|いつ|どこ|どの",
    re.IGNORECASE,
)

_CODE = re.compile(
    r"[A-Za-z_][_.:\\][A-Za-z_]|\w/\w|\w\(|::|[`{}<>=\[\]$@#*&|;]|(?:^|\s)--?\w|[a-z][A-Z]"
)
"""Marks of an identifier, a path, a call or a flag."""

_ALONE = re.compile(f"[{CJK}]")

PROSE_TERMS = 4.0
"""Terms of its own (a pair of Han characters as half of one) that make a query running text."""


@dataclass(frozen=True, slots=True)
class Word:
    """One term of a query."""

    exact: str
    stems: tuple[str, ...]
    """Its stem in each of the blog's languages and what else is counted as it, without repeats."""
    weight: float
    """Its say before its rarity, at most 1."""

    @property
    def is_character(self) -> bool:
        """Whether it is one Han, kana or hangul character and no grammar; posts have pairs."""
        return self.weight == 1.0 and bool(_ALONE.fullmatch(self.exact))


@dataclass(frozen=True, slots=True)
class Query:
    """One analysed query."""

    text: str
    words: tuple[Word, ...]
    """In order, without repeats."""
    is_question: bool
    """Asked, rather than described: a description resembles how a post begins."""
    is_prose: bool
    """Running text, rather than an identifier, a title or a few words."""


def analyse_query(text: str, languages: Sequence[str] = ("en",)) -> Query:
    """The query in `text`, which may be anything.

    `languages` are those of the blog. A few words do not show their language, so each
    is looked up by its stem in every one; a post matches by its own. Function words of
    the query's own language weigh little too, whatever the blog is written in.
    """
    spoken = {stemmer_of(language): language for language in languages}.values()
    streams = [list(terms(text, language)) for language in spoken]
    known = _known(text, languages)
    words = tuple(dict.fromkeys(_word(same, known) for same in zip(*streams, strict=True)))
    own = {word.stems for word in words if word.weight == 1.0}
    return Query(
        text=text,
        words=words,
        is_question=bool(_QUESTION.search(text)),
        is_prose=sum(_length(stems[0]) for stems in own) >= PROSE_TERMS and not _CODE.search(text),
    )


def language_of_query(text: str, languages: Sequence[str]) -> str:
    """The language of a query to a blog in these languages; `""` for a few words that show none.

    A few kanji look Chinese, and to a Japanese blog they are Japanese.
    """
    blog, own = {primary_subtag(language) for language in languages}, language_of(text)
    return "ja" if own == "zh" and "ja" in blog and "zh" not in blog else own


def _known(text: str, languages: Sequence[str]) -> frozenset[str]:
    """The languages whose function words weigh little: the query's own and those of the blog.

    English is a query's own language where it shows no other. Chinese grammar is none in Japanese.
    """
    blog = {primary_subtag(language) for language in languages}
    own = language_of_query(text, languages) or "en"
    return frozenset((blog | {own}) - ({"zh"} if own == "ja" else set()))


def _word(same: tuple[Term, ...], languages: Collection[str]) -> Word:
    """One place of the query as each language stems it."""
    exact = same[0].exact
    weight = WEIGHT if is_stopword(exact, languages) else 1.0
    return Word(exact, tuple(sorted({term.stem for term in same})), weight)


def is_bigram(word: str) -> bool:
    """Whether `word` is two Han, kana or hangul characters out of a run of them."""
    return len(word) == 2 and all(map(_ALONE.match, word))


def _length(word: str) -> float:
    return 0.5 if is_bigram(word) else 1.0


Titles = Mapping[str, tuple[int, ...]]
"""Ids of the posts that have a title, by its key."""

_NAMED = re.compile(
    r"^(?:what(?:['’]?s| is| are| was)|who is|define|explain)\s+(?:(?:an?|the)\s+)?"
    r"|^was (?:ist|sind)\s+(?:(?:ein|eine|der|die|das)\s+)?"
    r"|^qu[eé] (?:es|son)\s+(?:(?:un|una|el|la)\s+)?"
    r"|^(?:c['’]est quoi|qu['’]est-ce qu(?:e|['’]un|['’]une))\s*"
    r"|^(?:什[麼么]是|甚[麼么]是|何[謂谓]|啥是|[請请]?解[釋释])\s*"
    r"|\s*(?:是(?:什[麼么]|甚[麼么]|啥)|的意思)[\s?？。]*$"
    r"|\s*(?:とは(?:何(?:ですか|か)?)?|って(?:何|なに)(?:ですか)?)[\s?？。]*$",
    re.IGNORECASE,
)
"""What asks for the meaning of a name, in the languages of `index.analysis.languages` that blogs
here are written in."""


def index_titles(titles: Iterable[tuple[int, str]]) -> Titles:
    """Index posts, given as id and title, by the keys of their titles."""
    found = defaultdict[str, tuple[int, ...]](tuple)
    for post, title in titles:
        if key := name_key(title):
            found[key] += (post,)
    return dict(found)


def name_keys(query: str) -> tuple[str, ...]:
    """Return the keys of what a query may be the name of: as it stands, without question words."""
    name = _NAMED.sub("", query.strip(" \t¿"))
    return tuple(dict.fromkeys(filter(None, (name_key(query), name_key(name)))))


def find_named_posts(titles: Titles, query: str) -> tuple[int, ...]:
    """Return the posts whose title is the query, or else the query without its question words."""
    return next((titles[key] for key in name_keys(query) if key in titles), ())
