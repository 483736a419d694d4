"""Analyse a query: its weighted terms, whether it asks or is running text, and what it names."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from string import ascii_lowercase
from typing import TypeAlias

from blog_search_mcp.index.text.languages import (
    CJK,
    EAST_ASIAN,
    SOUTHEAST_ASIAN,
    STEMMED,
    function_words,
    language_of,
    primary_subtag,
    stemmer_of,
)
from blog_search_mcp.index.text.tokenizer import (
    EXTRA,
    MAJOR,
    SPELLING,
    Term,
    fold,
    name_key,
    stem,
    terms,
)

STOPWORD_WEIGHT = 0.4
"""Weight of a stop word, relative to other words. 1 costs questions over a Chinese blog, a quarter
of them in English, .08 of nDCG@10; 0 costs questions .02 to .03."""

_ASKS = (
    "how|why|what|when|which|who|where|can|could|does|do|did|is|are|was|were|has|have|should|would"
    "|wie|was|warum|wann|wo|welche[rsn]?|kann|cómo|qué|por qué|cuándo|dónde|cuál"
    "|comment|pourquoi|quel\\w*|quand|où"
)
_QUESTION = re.compile(
    rf"[?？]|(?:^|[.:;!]\s)(?:[^\w.:;!]|[.:;!](?!\s))*+(?:{_ASKS})\b"
    r"|,\s(?:(?:how|why|what|which|who|where|when)\s(?:do|does|did|is|are|can|should|long|many|much)"
    r"|(?:do|does|did|is|are|can|could|should|would)\s(?:i|we|you|it|its|they|there|the|my|our))\b"
    r"|[嗎吗呢麼么哪誰谁]|如何|怎|為何|为何|幾|能不能|是不是|會不會|会不会|要不要|多少|几(?=倍|个|次|种|天|年)"
    r"|(?:です|ます|の)か|どう|なぜ|何|いつ|どこ|どの",
    re.IGNORECASE,
)

_CODE = re.compile(
    r"[A-Za-z_][_.:\\][A-Za-z_]|\w/\w|\w\(|::|[`{}<>=\[\]$@#*&|;]|(?:^|\s)--?\w|[a-z][A-Z]"
)
"""Marks of an identifier, a path, a call or a flag."""

_EAST_ASIAN, _BIGRAM = re.compile(f"[{CJK}]"), re.compile(rf"[{CJK}]{{2}}\Z|[{SOUTHEAST_ASIAN}]")


@dataclass(frozen=True, slots=True)
class Word:
    """One term of a query."""

    exact: str
    stems: tuple[str, ...]
    """Its stem in each of the blog's languages and what else is counted as it, without repeats."""
    weight: float
    """Its say before its rarity, at most 1."""
    is_extra: bool = False
    """Whether a query does not lack it where no post has it: its parts are words too."""

    @property
    def is_needed(self) -> bool:
        """Whether the blog lacks it if no post has it."""
        return self.weight == 1.0 and not self.is_extra

    @property
    def is_character(self) -> bool:
        """Whether it is one Han, kana or hangul character and no grammar; posts have pairs."""
        return self.weight == 1.0 and bool(_EAST_ASIAN.fullmatch(self.exact))


@dataclass(frozen=True, slots=True)
class Query:
    """One analysed query."""

    text: str
    words: tuple[Word, ...]
    """The distinct words in order."""
    language: str
    """ISO 639-1; empty for a few words that show none."""
    is_question: bool
    """Asked, rather than described: a description resembles how a post begins."""
    is_prose: bool
    """Running text, of four content words or more; a pair of Han characters is half of one."""
    has_other_script: bool
    """Whether it is in another script than most of the blog: East Asian, or not."""

    @property
    def content(self) -> Sequence[Word]:
        """Its words but function words; all if it has no others."""
        return [word for word in self.words if word.weight == 1.0] or self.words


def analyze_query(text: str, languages: Sequence[str] = ("en",)) -> Query:
    """The query in `text`, which may be anything.

    `languages` are those of the blog, the commonest first. A few words do not show their language,
    so each is looked up by its stem in every one; a post matches by its own. Function words of the
    query's own language weigh little too, whatever the blog is written in. A few kanji look
    Chinese, and to a Japanese blog they are Japanese.
    """
    blog = [primary_subtag(language) for language in languages]
    shown = language_of(text)
    if shown == "zh" and "ja" in blog and "zh" not in blog:
        shown = "ja"
    # English is a query's own language where it shows no other, and Chinese grammar none in a
    # Japanese query.
    grammar = frozenset({*blog, shown or "en"} - ({"zh"} if shown == "ja" else set()))
    spoken = {stemmer_of(language): language for language in languages}.values()
    read: list[tuple[Term, set[str]]] = []
    for same in zip(*(terms(text, language) for language in spoken), strict=True):
        if same[0].role != SPELLING:
            read.append((same[0], set()))
        read[-1][1].update(term.stem for term in same)
    words = dict.fromkeys(
        Word(
            term.exact,
            tuple(sorted(stems)),
            STOPWORD_WEIGHT if is_stopword(term.exact, grammar) else 1.0,
            term.role == EXTRA,
        )
        for term, stems in read
        if term.role != MAJOR
    )
    asked = {word.stems for word in words if word.weight == 1.0}
    length = sum(0.5 if is_bigram(stems[0]) else 1.0 for stems in asked)
    return Query(
        text=text,
        words=tuple(words),
        language=shown,
        is_question=bool(_QUESTION.search(text)),
        is_prose=length >= 4.0 and not _CODE.search(text),
        has_other_script=(shown in EAST_ASIAN) is EAST_ASIAN.isdisjoint(blog[:1]),
    )


def is_stopword(word: str, languages: Collection[str]) -> bool:
    """Whether `word`, folded, is a function word of any of `languages` or made of grammar.

    A Han character or pair counts in Chinese, if either is grammar: in Japanese the same
    characters make words (時間, 使用). One or two kana count if they are all hiragana.
    """
    if len(word) <= 2 and word[:1] > "\u303f":
        chinese = any(primary_subtag(language) == "zh" for language in languages)
        grammar = chinese and not function_words("zh").isdisjoint(word)
        return grammar or all("\u3040" <= c <= "\u309f" for c in word)
    return any(word in _folded(language) for language in languages)


@cache
def _folded(language: str) -> frozenset[str]:
    return frozenset(fold(word) for word in function_words(language))


@cache
def _asking_words() -> frozenset[str]:
    path = Path(__file__).parents[1] / "data" / "asking_words.txt"
    return frozenset(map(fold, path.read_text(encoding="utf-8").split()))


def is_bigram(word: str) -> bool:
    """Whether `word` is two neighbours out of a run of a script without spaces."""
    return bool(_BIGRAM.match(word))


def join_neighbours(
    query: Query, languages: Sequence[str], frequency_of: Callable[[str], int]
) -> Query:
    """The query with words that posts write as one, and no seldomer, counted as that one too.

    A word whose stems no post has is looked up as it stands: a query may lack the accents by which
    stemmers tell endings (zlutoucky, žluťoučký).
    """
    joined: dict[str, set[str]] = defaultdict(set)
    stemmers = {stemmer_of(language) for language in languages}
    for first, second in pairwise(PLAIN_WORD.finditer(query.text)):
        if first.end() + 1 == second.start():
            least = min(max(frequency_of(stem(w[0], s)) for s in stemmers) for w in (first, second))
            stems = {stem(first[0] + second[0], stemmer) for stemmer in stemmers}
            for word in (first[0], second[0]):
                joined[fold(word)] |= {
                    stem for stem in stems if frequency_of(stem) >= max(least, 1)
                }
    lost = (w.exact for w in query.words if not any(map(frequency_of, w.stems)))
    joined |= {exact: joined[exact] | {exact} for exact in lost}
    words = (replace(w, stems=tuple(sorted({*w.stems, *joined[w.exact]}))) for w in query.words)
    return replace(query, words=tuple(words))


PLAIN_WORD = re.compile(r"(?<![^\s\"'(])[A-Za-z]+(?![^\s\"'),.:;!?])")
"""A word that stands by itself, and is no part of an identifier, a path or a flag."""

Titles: TypeAlias = Mapping[str, Sequence[int]]
"""Ids of the posts that have a title, by its key."""

_MEANING_QUESTION = re.compile(
    r"^(?:what(?:['’]?s| is| are| was)|who is|define|explain)\s+(?:(?:an?|the)\s+)?"
    r"|^was (?:ist|sind)\s+(?:(?:ein|eine|der|die|das)\s+)?"
    r"|^qu[eé] (?:es|son)\s+(?:(?:un|una|el|la)\s+)?"
    r"|^(?:c['’]est quoi|qu['’]est-ce qu(?:e|['’]un|['’]une))\s*"
    r"|^(?:什[麼么]是|甚[麼么]是|何[謂谓]|啥是|[請请]?解[釋释])\s*"
    r"|(?<!\s)\s*(?:是(?:什[麼么]|甚[麼么]|啥)|的意思)[\s?？。]*$"
    r"|(?<!\s)\s*(?:とは(?:何(?:ですか|か)?)?|って(?:何|なに)(?:ですか)?)[\s?？。]*$",
    re.IGNORECASE,
)
"""Words before or behind a name that ask for its meaning, in English, German, Spanish, French,
Chinese and Japanese."""


def index_titles(titles: Iterable[tuple[int, str]]) -> Titles:
    """Index posts, given as id and title, by the keys of their titles."""
    posts = defaultdict[str, list[int]](list)
    for post, title in titles:
        if key := name_key(title):
            posts[key].append(post)
    return dict(posts)


def name_keys(query: str) -> tuple[str, ...]:
    """Return the keys of what a query may be the name of: as it stands, without question words."""
    name = _MEANING_QUESTION.sub("", query.strip(" \t¿"))
    return tuple(dict.fromkeys(filter(None, (name_key(query), name_key(name)))))


def find_named_posts(titles: Titles, query: str) -> Sequence[int]:
    """Return the posts whose title is the query, or else the query without its question words."""
    return next((titles[key] for key in name_keys(query) if key in titles), ())


LEAST_LETTERS, LEAST_ENDED, MOST_LETTERS = 6, 4, 40
"""Letters from which on a word may be misspelled, since a shorter one is like too many others; from
which on it may lack an ending that no stemmer here knows (Lodz, Łodzi); and up to which it may be
either, since an edit for each and each letter of the alphabet is looked up."""


def correct_spelling(
    text: str,
    languages: Sequence[str],
    frequency_of: Callable[[str], int],
    is_word: Callable[[str], bool],
    find_written: Callable[[str], str],
) -> tuple[str, str] | None:
    """The word of a query that no post has and that is no English word, with what it may be meant.

    That is two words in a row that it is, else the commonest word of the blog, whose languages
    these are, which is the same but for one letter, not the first, that is another (first of all z
    for s), left out, added, or exchanged with the next. `frequency_of` says how many posts
    have a stem, and `find_written` how posts write folded words, `""` if none does: a stem with
    another ending is nobody's word. `is_word` knows English alone: a query with several such words
    is in another language or another field.
    """
    if language_of(text) not in {"", "en"} and not _EAST_ASIAN.search(text):
        return None
    stemmers = {stemmer_of(language) for language in languages}

    def count(word: str) -> int:
        forms = ([fold(w), *(stem(w, name) for name in stemmers)] for w in word.split())
        return min(max(map(frequency_of, spelled)) for spelled in forms)

    words = PLAIN_WORD.findall(text)
    unknown = [word for word in words if not (count(word.lower()) or is_word(word.lower()))]
    if len(unknown) != 1 or not LEAST_ENDED <= len(unknown[0]) <= MOST_LETTERS:
        return None
    lower = unknown[0].lower()
    ended = (lower + letter for letter in ascii_lowercase)
    edits = _edits(lower) if len(lower) >= LEAST_LETTERS else ended
    counts = {word: number for word in edits if (number := count(word))}

    def rank(word: str) -> tuple[bool | int, ...]:
        return " " in word, word.replace("z", "s") == lower, counts[word], is_word(word)

    nearest = sorted(counts, key=rank, reverse=True)
    meant = next(filter(None, map(find_written, nearest)), "")
    return (unknown[0], meant) if meant else None


def _edits(word: str) -> Iterator[str]:
    """Yield everything that is one edit away from a word and begins as it does."""
    for place in range(1, len(word) + 1):
        before, after = word[:place], word[place:]
        yield from (before + letter + after for letter in ascii_lowercase)
        yield from (before + letter + after[1:] for letter in ascii_lowercase if after)
        yield before + after[1:]
        yield before + after[1:2] + after[:1] + after[2:]
        if min(place, len(after)) > 2:
            yield f"{before} {after}"


COMPOUNDS = frozenset({"da", "de", "fi", "hu", "nl", "no", "sv"})
"""Languages that write compounds as one word, so that posts seldom have one as it is asked for."""


def find_missing_words(
    query: Query,
    languages: Sequence[str],
    frequency_of: Callable[[str], int],
    has_compound: Callable[[str], bool],
    is_word: Callable[[str], bool],
) -> Mapping[str, bool]:
    """What a query is about and no post has in any form, as written, by whether it is a name.

    Names, numbers and identifiers come first. Other words count in a language of the blog that has
    a stemmer, since nothing else knows their forms. `has_compound` says whether the blog has words
    that hold or begin like a stem; `is_word` knows the words of English, which a sentence may begin
    with.
    """
    spoken = query.language or primary_subtag(languages[0])
    has_forms = spoken in STEMMED.intersection(map(primary_subtag, languages))
    had = {word.exact for word in query.words if any(map(frequency_of, word.stems))}
    missing = {word.exact for word in query.words if word.is_needed} - had - _asking_words()
    read, spans = [*terms(query.text, languages[0])], list[tuple[int, int, bool]]()
    held = [(term.start, term.end) for term in read if term.exact in had]
    for term in read:
        is_held = any(start <= term.start and term.end <= end for start, end in held)
        if term.exact not in missing or is_held or is_stopword(term.exact, STEMMED):
            continue
        written = query.text[term.start : term.end]
        is_name = _is_name(term, query, languages[0], is_word)
        is_content = has_forms and re.fullmatch(r"[^\W\d_]{3,}", written)
        if is_name or (is_content and not (spoken in COMPOUNDS and has_compound(term.stem))):
            is_inside = spans and term.start < spans[-1][1]
            over = spans.pop() if is_inside else (term.start, term.end, False)
            spans.append((over[0], max(over[1], term.end), over[2] or is_name))
    spans.sort(key=lambda span: not span[2])
    return {query.text[start:end]: is_name for start, end, is_name in spans}


def _is_name(term: Term, query: Query, blog: str, is_word: Callable[[str], bool]) -> bool:
    """Whether a term is written as a name.

    That is with a digit, a mark or a capital inside, or in Latin letters among East Asian ones. A
    capital in front tells one where most words have none, but not in German.
    """
    written, words = query.text[term.start : term.end], query.text.split()
    if not re.fullmatch(r"\w\w+|\d[\d.,]*\d", written) or is_bigram(term.stem):
        return False
    if query.language in EAST_ASIAN or any(not c.isalpha() or c.isupper() for c in written[1:]):
        return True
    before = re.search(r"\w(\W*)\Z", query.text[max(term.start - 9, 0) : term.start])
    begins = (not before or re.search(r"[.:;!?]\s", before[1])) and is_word(written.lower())
    capitals = sum(word[0].isupper() for word in words)
    is_telling = (query.language or primary_subtag(blog)) != "de" and 2 * capitals <= len(words)
    return is_telling and written[0].isupper() and not begins
