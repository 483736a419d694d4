"""Cut a paragraph that is too long for one passage where a reader would pause.

Cuts fall between sentences, else between words, else (a word of a megabyte) between characters,
never between a character and the marks that belong to it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from blog_search_mcp.ingest.chunking.token_count import count_tokens, exceeds

_SENTENCE = re.compile(
    r".+?(?:[。！？；…]+[」』”’）]*|(?<![.!?;])[.!?;]+[\"')\]]*(?=\s)|\n|\Z)\s*", re.DOTALL
)
"""A run of marks is tried from its first one alone: from each, a line of dots takes minutes."""

_WORD = re.compile(r"\S+\s*|\s+")
_JOINERS = {"\u200d", "\ufe0e", "\ufe0f"}
"""Zero-width joiner and variation selectors: they belong to the character before them."""

MOST_MARKS = 30
"""Marks that belong to one character (Unicode's Stream-Safe Text Format, UAX 15); of more, each is
looked at again from every cut."""


def sentence_ends(text: str, most: int) -> list[int]:
    """Cut `text` into parts of at most `most` word pieces; return their ends.

    Whole sentences are gathered up to `most`, so that a cut comes as late as it may.
    """
    ends: list[int] = []
    gathered = most
    start = 0
    for end in _small_ends(text, most):
        pieces = count_tokens(text[start:end])
        if ends and gathered + pieces <= most:
            ends[-1], gathered = end, gathered + pieces
        else:
            ends.append(end)
            gathered = pieces
        start = end
    return ends


def _small_ends(text: str, most: int) -> Iterator[int]:
    for sentence in _SENTENCE.finditer(text):
        if not exceeds(sentence[0], most):
            yield sentence.end()
            continue
        for word in _WORD.finditer(text, *sentence.span()):
            yield from _ends_in_word(text, word.start(), word.end(), most)


def _ends_in_word(text: str, start: int, end: int, most: int) -> Iterator[int]:
    """The word's end if it fits, else that of each slice of `most` characters."""
    if exceeds(text[start:end], most):
        cut = start + most
        while cut < end:
            cut = after_marks(text, cut, end)
            yield cut
            cut += most
    yield end


def after_marks(text: str, cut: int, end: int) -> int:
    """Return the first place from `cut` to `end` that parts no character from its marks."""
    end = min(end, cut + MOST_MARKS)
    while cut < end and _belongs_to_previous(text[cut]):
        cut += 1
    return cut


def _belongs_to_previous(character: str) -> bool:
    return character in _JOINERS or unicodedata.category(character).startswith("M")
