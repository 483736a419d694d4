"""Find words in the plain prose of a Markdown text on which a link can be put."""

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from blog_search_mcp.index.text.display import write_sentence_end_pattern
from blog_search_mcp.index.text.languages import CJK
from blog_search_mcp.index.text.query import is_fragment, is_stopword
from blog_search_mcp.index.text.tokenizer import SPELLING, Term, terms
from blog_search_mcp.ingest.posts.markdown.parser import CODE, line_offsets, parse_blocks
from blog_search_mcp.server.author.draft import Draft
from blog_search_mcp.server.author.overlap import PostTitles

MASK = "\0"
"""Character that replaces a character outside prose, so that offsets stay valid."""
MAX_WORDS = 6.0
"""Maximum number of words under a link. Most links have 2 or 3. A CJK bigram counts half."""
MIN_WEIGHT = 0.35
"""Minimum weight of linked words, as a share of the weight of a word that no post has."""
MIN_TITLE_SHARE = 0.3
"""Minimum weight of linked words, as a share of `full` in `Prose.take_words`."""
FULL_SHARE = 0.99
"""Share of `full` from which linked words need not have MIN_WEIGHT: almost the whole title."""
UNRELATED_COST = 0.3
"""Cost of a linked word that is not in the title, as a share of its weight."""
_UNLINKED_BLOCKS = {"heading_open", "blockquote_open", "fence", "code_block", "html_block"}
_MASKED = re.compile(
    r"""
      <a\b[^<>]*>.{0,1000}?</a\s*>
    | <!--.{0,1000}?-->
    | </?[A-Za-z][^<>]*>
    | <[^\s<>:@]++[:@][^\s<>]++>
    | \{\{.{0,1000}?\}\} | \{%.{0,1000}?%\} | \{[^{}\n]*\}
    | \$\$.*?\$\$
    | (?:https?://|www\.)[^\s<>()\u3000-\u30ff\uff00-\uffef]+
    | [^\s<>()]{1,64}@[^\s<>()]+                # RFC 5321, 4.5.3.1.1: 64 before the sign
    | ^[ \t]*(?:import|export)\s[^\n]*(?=[;{"']) [^\n]*$
    | ^[ \t]*(?::::*|!!!|\?\?\?)[^\n]*$
    | ^[ \t>]*(?:[-*+]|\d+[.)])(?=[ \t])
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
"""Pattern of syntax that is no prose. The distance to `</a>`, `-->`, `}}` and `%}` is bounded, as a
text of opening marks would otherwise take quadratic time."""
_BRACKETS = re.compile(r"!?\[[^\[\]]*\](?:\((?:[^()]|\([^()]*\))*\)|[ ]?\[[^\[\]]*\]|:[ \t]*\S+)?")
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n")
_SENTENCE_BREAK = write_sentence_end_pattern(wide_marks="。！？；｜|", closers="”’*_")
_SENTENCE_STOP = re.compile(f"{_SENTENCE_BREAK}|{_PARAGRAPH_END.pattern}")
_UNLINKABLE = re.compile(r"[\0*_`\[\]<>|\\]|\n[ \t]*(?:\n|[>#:+*\-|])")
"""Pattern that linked words must not contain: other markup, or the marks of another block."""
_WHOLE_WORD = re.compile(rf"[{CJK}]|[^\W{CJK}]+(?:[-_'’./]+[^\W{CJK}]+)*")
"""Pattern of a CJK character, a word or an identifier. A part of a word is never linked."""
_PHRASE_BREAK = re.compile(r"[^\w\s\-'’./+#]")
Sentence = Sequence[Term]
"""Terms of one sentence, with their offsets in the text."""


class Words(NamedTuple):
    """Words on which a link may be put."""

    start: int
    end: int
    """Offset after the last character."""
    line: int
    """Line of the file on which the words begin, from 1."""
    text: str
    """The words in Markdown, unchanged."""
    share: float
    """Weight of the words as a share of `full` in `Prose.take_words`, in [0, 1]."""
    sentence: str


class Prose:
    """The prose of one text, and the words in it that are already taken for links."""

    def __init__(self, draft: Draft, titles: PostTitles) -> None:
        """Join the passages of a text; a line may have parts of several passages."""
        lines: dict[int, str] = {}
        for passage in draft.passages:
            for number, line in enumerate(passage.text.split("\n"), passage.first_line):
                lines[number] = lines.get(number, "") + line
        self.text = "\n".join(lines.get(n, "") for n in range(1, max(lines, default=1) + 1))
        self._offsets = line_offsets(self.text)
        self.draft, self.titles, self._languages = draft, titles, {draft.language, "en"}
        self._masked = _mask(self.text, self._offsets)
        self.sentences = tuple(_find_sentences(self._masked, draft.language))
        whole = [match.span() for match in _WHOLE_WORD.finditer(self._masked)]
        self._starts, self._ends = {start for start, _ in whole}, {end for _, end in whole}
        self._taken: list[Words] = []

    def line_of(self, place: int) -> int:
        """Return the line of the file that contains the character at offset `place`."""
        return min(bisect_right(self._offsets, place), len(self._offsets) - 1)

    def sentences_of(self, passage: int) -> list[Sentence]:
        """Return the sentences that begin on a line of a passage."""
        lines = self.draft.passages[passage].first_line, self.draft.passages[passage].last_line
        return [s for s in self.sentences if lines[0] <= self.line_of(s[0].start) <= lines[1]]

    def take_words(
        self, sentences: Iterable[Sentence], wanted: Collection[str], full: float | None = None
    ) -> Words | None:
        """Take the words that have the most weight of `wanted`, the terms of a title or headings.

        `full` is the weight that gives a share of 1, by default the weight of all `wanted`. The
        first of equal words are taken, and no words twice. Returns `None` if none weigh enough.
        """
        full = full or self.titles.rarity.sum(wanted) or 1.0
        parts = (
            words
            for sentence in sentences
            for first, term in enumerate(sentence)
            if term.start in self._starts and self._is_wanted(term, wanted)
            if (words := self._find_part(sentence, first, wanted, full))
        )
        best = max(parts, key=lambda words: round(words.share, 3), default=None)
        self._taken += filter(None, [best])
        return best

    def _find_part(
        self, sentence: Sentence, first: int, wanted: Collection[str], full: float
    ) -> Words | None:
        """Return the best words from the term `first` on, if they weigh enough and are free."""
        start = before = sentence[first].start
        best, end, lost, length, held = 0.0, 0, 0.0, 0.0, set[str]()
        for term in sentence[first:]:
            # The parts of an identifier follow it as terms, but they are not counted as words.
            length += 0.5 if is_fragment(term.stem) else float(term.start >= before)
            if length > MAX_WORDS or _PHRASE_BREAK.search(self._masked, before, term.start):
                break
            before = term.end
            if term.stem in wanted:
                held.add(term.stem)
            else:
                lost += UNRELATED_COST * self.titles.rarity.of(term.stem)
            score = self.titles.rarity.sum(held) - lost
            if score > best and term.end in self._ends and self._is_wanted(term, wanted):
                best, end = score, term.end
        is_telling = best >= min(FULL_SHARE * full, MIN_WEIGHT * self.titles.rarity.highest)
        if not is_telling or best < MIN_TITLE_SHARE * full or not self._is_free(start, end):
            return None
        around = self.text[sentence[0].start : sentence[-1].end]
        share = min(best / full, 1.0)
        return Words(start, end, self.line_of(start), self.text[start:end], share, around)

    def _is_wanted(self, term: Term, wanted: Collection[str]) -> bool:
        return term.stem in wanted and not is_stopword(term.exact, self._languages)

    def _is_free(self, start: int, end: int) -> bool:
        is_taken = any(start < other.end and other.start < end for other in self._taken)
        is_word = any(map(str.isalpha, self.text[start:end]))
        return is_word and not is_taken and not _UNLINKABLE.search(self._masked, start, end)


def _mask(text: str, offsets: Sequence[int]) -> str:
    """Replace blocks that are no prose by line breaks, and syntax within prose by MASK."""
    masked = text
    for token in parse_blocks(text, "body"):
        if token.type in _UNLINKED_BLOCKS and token.map:
            start, end = (offsets[min(line, len(offsets) - 1)] for line in token.map)
            masked = masked[:start] + "\n" * (end - start) + masked[end:]
    bounds = [0, *(match.end() for match in _PARAGRAPH_END.finditer(masked)), len(masked)]
    return "".join(_mask_paragraph(masked[start:end]) for start, end in pairwise(bounds))


def _mask_paragraph(paragraph: str) -> str:
    # Brackets are masked to a depth of 4, for example an image in a link in a list of links.
    for pattern in (CODE, _MASKED, *[_BRACKETS] * 4):
        paragraph = pattern.sub(lambda match: MASK * len(match[0]), paragraph)
    return paragraph


def _find_sentences(text: str, language: str) -> Iterator[Sentence]:
    bounds = [0, *(match.end() for match in _SENTENCE_STOP.finditer(text)), len(text)]
    for start, end in pairwise(bounds):
        moved = (
            term._replace(start=term.start + start, end=term.end + start)
            for term in terms(text[start:end], language)
            if term.role != SPELLING
        )
        if words := tuple(moved):
            yield words
