"""Choose the words of a text to put a link to a post on."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from blog_search_mcp.index.analysis.languages import CJK
from blog_search_mcp.index.analysis.query import is_bigram, is_stopword
from blog_search_mcp.index.analysis.tokenizer import Term
from blog_search_mcp.index.relations.linking.prose import Prose, Sentence
from blog_search_mcp.index.relations.linking.titles import Titles

MOST_WORDS = 6.0
"""Words under a link, a pair of Han characters as half of one: posts link 2 or 3."""
LEAST_SHARE = 0.3
"""Of the weight of a title or heading that words must have to be put under a link."""
ALL = 0.99
"""The same of words that hold all of it, however common they are."""
UNRELATED = 0.3
"""What a word of the text's own takes away, of its weight, from the words around it."""

_WHOLE = re.compile(rf"[^\W{CJK}]+(?:[-_'’./]+[^\W{CJK}]+)*")
"""A word or an identifier, of which no part is put under a link."""
_APART = re.compile(r"[^\w\s\-'’./+#]")
"""What words of one phrase do not have between them."""


class Words(NamedTuple):
    """Words to put a link on."""

    start: int
    end: int
    """Place in the text, half open."""
    share: float
    """How much of the title or heading they hold, in [0, 1]."""


class WordFinder:
    """Finds words of one text, each for one link."""

    def __init__(self, prose: Prose, titles: Titles, languages: Collection[str]) -> None:
        """Take the text, the titles of the blog, and the languages of the function words."""
        self._prose, self._titles, self._languages = prose, titles, languages
        self.taken: list[Words] = []
        """Those that have a link."""

    def find(
        self, sentences: Iterable[Sentence], wanted: Collection[str], full: float | None = None
    ) -> Words | None:
        """Find the part of a sentence that holds most of `wanted`, terms of a title or of headings.

        `full` is the weight that counts as all of it. Of equals the first is taken.
        """
        full = full or self._titles.rarity.sum(wanted) or 1.0
        parts = (
            words
            for sentence in sentences
            for first, term in enumerate(sentence.terms)
            if self._bears(term, wanted)
            and (words := self._read_part(sentence, sentence.terms[first:], wanted, full))
        )
        return max(parts, key=lambda words: round(words.share, 3), default=None)

    def _read_part(
        self, sentence: Sentence, terms: Sequence[Term], wanted: Collection[str], full: float
    ) -> Words | None:
        """Return the best part of a sentence that begins with the first of its `terms`."""
        best, end, lost, length, before = 0.0, 0, 0.0, 0.0, terms[0].start
        held: set[str] = set()
        for term in terms:
            # The parts of an identifier are no words beside it.
            length += 0.5 if is_bigram(term.stem) else float(term.start >= before)
            if length > MOST_WORDS or _APART.search(self._prose.masked, before, term.start):
                break
            before = term.end
            if term.stem in wanted:
                held.add(term.stem)
            else:
                lost += UNRELATED * self._titles.rarity.of(term.stem)
            score = self._titles.rarity.sum(held) - lost
            if score > best and self._bears(term, wanted):
                best, end = score, term.end
        is_telling = best >= ALL * full or self._titles.is_telling(best)
        is_telling = is_telling and best >= LEAST_SHARE * full
        return self._check(sentence, terms[0].start, end, best / full) if is_telling else None

    def _bears(self, term: Term, wanted: Collection[str]) -> bool:
        return term.stem in wanted and not is_stopword(term.exact, self._languages)

    def _check(self, sentence: Sentence, first: int, last: int, share: float) -> Words | None:
        """Return the whole words of a part if a link may be put on them."""
        start, end = first, last
        for whole in _WHOLE.finditer(self._prose.masked, sentence.start, sentence.end):
            if whole.start() < last and first < whole.end():
                start, end = min(start, whole.start()), max(end, whole.end())
        text = self._prose.masked[start:end]
        if (start, end) != (first, last) and any(map(str.isdigit, text)):  # 10 is no part of 1.10
            return None
        is_free = not any(start < other.end and other.start < end for other in self.taken)
        is_free = is_free and any(map(str.isalpha, text)) and self._prose.is_linkable(start, end)
        return Words(start, end, min(share, 1.0)) if is_free else None
