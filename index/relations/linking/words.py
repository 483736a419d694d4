"""Choose the words of a text to put a link to a post on."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from blog_search_mcp.index.analysis.query import is_bigram, is_stopword

if TYPE_CHECKING:
    from blog_search_mcp.index.analysis.tokenizer import Term
    from blog_search_mcp.index.relations.linking.names import Mention, Names
    from blog_search_mcp.index.relations.linking.prose import Prose, Sentence

MOST_WORDS = 6.0
"""Words under a link, a pair of Han characters as half of one: posts link 2 or 3."""

LEAST_SHARE = 0.3
"""Of the weight of a title or heading that words must have to be put under a link."""

LEAST_WEIGHT = 0.35
"""The same, as a share of the weight of a word that no post has: less is said everywhere."""

UNRELATED = 0.3
"""What a word of the text's own takes away, of its weight, from the words around it."""

OFTEN = 0.1
"""Share of the posts having the words that must link with them for them to be a name."""

_JOINING = "-_'’./"
"""Inside a word."""

_APART = re.compile(r"[^\w\s\-'’./+#]")
"""What words of one phrase do not have between them."""


Place = tuple[int, int]
"""In a text, half open."""


@dataclass(frozen=True, slots=True)
class Words:
    """Words to put a link on."""

    start: int
    end: int
    """Place in the text."""
    share: float
    """How much of the title or heading they hold, in [0, 1]."""
    why: str
    """`title`, `heading`, `subject` for a rare word that the post says often, or `linked` for what
    other links to the post are put on."""


def find_name(
    prose: Prose, mentions: Iterable[Mention], taken: Collection[Place] = ()
) -> Words | None:
    """Find the fullest name of a post among those that the text mentions, outside `taken`."""
    return max(_find_mentions(prose, mentions, taken), key=_rank, default=None)


def find_part(
    prose: Prose,
    sentences: Iterable[Sentence],
    names: Names,
    wanted: Collection[str],
    full: float,
    why: str,
    languages: Collection[str],
    taken: Collection[Place] = (),
) -> Words | None:
    """Find the part of a sentence that holds most of `wanted`, terms of a title or of headings.

    `full` is the weight that counts as all of it, above 0.
    """
    parts = (
        part
        for sentence in sentences
        for part in _parts(prose, sentence, names, frozenset(wanted), full, why, languages, taken)
    )
    return max(parts, key=_rank, default=None)


def _rank(words: Words) -> tuple[float, int, int]:
    """Prefer what holds more, then what stands earlier, then what is shorter."""
    return round(words.share, 3), -words.start, words.start - words.end


def _find_mentions(
    prose: Prose, mentions: Iterable[Mention], taken: Collection[Place]
) -> Iterator[Words]:
    for mention in mentions:
        start, end = mention.start, mention.end
        if prose.is_quoted(start) or _is_taken(start, end, taken):
            continue
        if (start, end) != _whole_words(prose.masked, start, end):
            continue
        if mention.share >= LEAST_SHARE:
            yield Words(start, end, mention.share, "title")
        elif mention.used >= OFTEN:
            yield Words(start, end, mention.used, "linked")


def _parts(
    prose: Prose,
    sentence: Sentence,
    names: Names,
    wanted: frozenset[str],
    full: float,
    why: str,
    languages: Collection[str],
    taken: Collection[Place],
) -> Iterator[Words]:
    """Yield the best part of a sentence that begins with each of its wanted terms."""
    found = sentence.terms

    def bears(term: Term) -> bool:
        return term.stem in wanted and not is_stopword(term.exact, languages)

    for first, term in enumerate(found):
        if not bears(term):
            continue
        best: tuple[float, float, int] | None = None
        held: set[str] = set()
        lost = 0.0
        for last in range(first, len(found)):
            gap = prose.masked[found[last - 1].end : found[last].start] if last > first else ""
            if _length(found[first : last + 1]) > MOST_WORDS or _APART.search(gap):
                break
            stem = found[last].stem
            if stem not in wanted:
                lost += UNRELATED * names.weigh([stem])
                continue
            held.add(stem)
            score = names.weigh(sorted(held)) - lost
            if bears(found[last]) and (best is None or score > best[0]):
                best = (score, score / full, found[last].end)
        if best is None or best[1] < LEAST_SHARE or best[0] < LEAST_WEIGHT * names.highest:
            continue
        start, end = _whole_words(prose.masked, term.start, best[2])
        is_whole = (start, end) == (term.start, best[2])
        has_digit = any(map(str.isdigit, prose.text[start:end]))
        if has_digit and not is_whole:  # 10 is no part of 1.10
            continue
        if not any(map(str.isalpha, prose.text[start:end])):
            continue
        if prose.is_quoted(start) or _is_taken(start, end, taken):
            continue
        if prose.is_linkable(start, end):
            yield Words(start, end, min(best[1], 1.0), why)


def _length(found: Sequence[Term]) -> float:
    """Count words; the parts of an identifier are none beside it."""
    length, end = 0.0, -1
    for term in found:
        if is_bigram(term.stem):
            length += 0.5
        elif term.start >= end:
            length += 1.0
            end = term.end
    return length


def _is_taken(start: int, end: int, taken: Collection[Place]) -> bool:
    return any(start < other_end and other_start < end for other_start, other_end in taken)


def _whole_words(text: str, start: int, end: int) -> Place:
    """Extend a part of a word, such as of an identifier or a version, to all of it."""
    while _goes_on(text, start - 1, start, -1):
        start -= 1
    while _goes_on(text, end, end - 1, 1):
        end += 1
    return start, end


def _goes_on(text: str, place: int, inside: int, step: int) -> bool:
    """Whether the character at `place` is of one word with the one `inside` beside it."""
    if not 0 <= place < len(text) or not (_is_letter(text[inside]) or text[inside] in _JOINING):
        return False
    beyond = text[place + step : place + step + 1] if place + step >= 0 else ""
    joins = text[place] in _JOINING and bool(beyond) and _is_letter(beyond)
    return _is_letter(text[place]) or joins


def _is_letter(character: str) -> bool:
    """Whether it is of a word that has spaces around it, which Han has not."""
    return character.isalnum() and unicodedata.east_asian_width(character) not in "WF"
