"""Print hits and passages on a terminal, for `search` and `ask`.

What matched is highlighted, and lines are as wide as the terminal, counted as it counts them:
a Chinese character takes two columns. Where the output is no terminal, lines are whole and
plain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from blog_search_mcp.server.cli.terminal import escape_controls, escape_unencodable
from blog_search_mcp.server.format.results import (
    HitFacts,
    PageFacts,
    describe_place,
    one_line,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from blog_search_mcp.index.analysis.query import Query
    from blog_search_mcp.index.search.highlight import Span
    from blog_search_mcp.index.types import Answer, Hit, Passage, ReasonKind

INDENT = "   "
MARKED = "bold yellow"
SECONDARY = "dim"
WARNING = "yellow"
KINDS: dict[ReasonKind, str] = {
    "passage": "words of its best passage",
    "coverage": "how much of the words one passage of it holds",
    "post": "words of the whole post",
    "several": "words of its best three passages",
    "about": "words of its description",
    "meaning": "meaning of its nearest passage",
    "opening": "meaning of its beginning",
    "gated_meaning": "meaning of its nearest passage, for what no passage words",
    "gated_opening": "meaning of its beginning, for what no passage words",
    "heading": "the query is one of its headings",
    "verbatim": "the query stands in it word for word",
}
LEAST = 0.0005
"""What adds less to a score cannot be seen in it."""
CONFIDENCE = {"high": "green", "medium": "yellow", "low": "red"}


def console() -> Console:
    """Make the console of stdout; nothing printed is read as markup, smileys or numbers."""
    escape_unencodable()
    return Console(markup=False, highlight=False, emoji=False)


@dataclass(frozen=True, slots=True)
class Details:
    """What the index alone knows of a page: not on the wire, so `ask` has none."""

    answer: Answer
    query: Query
    why: bool = False
    """Whether each score is explained."""


def show_hits(console: Console, page: PageFacts, details: Details) -> None:
    """Print a page of hits and how to see more."""
    show_page(console, page, details)
    end = page.offset + len(page.results)
    more = ", more by --limit" if page.has_more else ""
    shown = f"Hits {page.offset + 1} to {end} of {page.total}{more}; --read N opens one."
    _line(console, Text(shown, SECONDARY))


def show_page(console: Console, page: PageFacts, details: Details | None = None) -> None:
    """Print the confidence, the notice and each hit."""
    _confidence(console, page, details)
    hits = details.answer.hits if details else (None,) * len(page.results)
    for number, (facts, hit) in enumerate(zip(page.results, hits, strict=True), page.offset + 1):
        _head(console, number, facts, hit)
        preview = facts.preview.replace("\n", " ")
        matches = _marks(preview, hit, details) if hit and details else ()
        _line(console, highlight(preview, matches), INDENT)
        if hit and details and details.why:
            _why(console, hit, details.query)


def show_passage(console: Console, page: PageFacts, details: Details, passage: Passage) -> None:
    """Print one hit with its text, verbatim, and where that stands in its post."""
    [facts], [hit] = page.results, details.answer.hits
    _confidence(console, page, details)
    _head(console, page.offset + 1, facts, hit)
    if details.why:
        _why(console, hit, details.query)
    for chunk in passage.chunks:
        text = highlight(chunk.text, _marks(chunk.text, hit, details))
        console.print(Text("\n"), text, Text("\n"), sep="", end="", soft_wrap=True)
    around = [
        f"Chunk {passage.asked + 1} of {passage.count}",
        f"before it: {one_line(passage.heading_before)}" if passage.heading_before else None,
        f"after it: {one_line(passage.heading_after)}" if passage.heading_after else None,
    ]
    place = "; ".join(filter(None, around))
    _line(console, Text(f"\n{escape_controls(place)}.", SECONDARY))


def _marks(text: str, hit: Hit, details: Details) -> Iterable[Span]:
    from blog_search_mcp.index.search.highlight import highlight

    return highlight(text, details.query, hit.post.language)


def highlight(text: str, spans: Iterable[Span]) -> Text:
    """Highlight the spans; the text obeys nothing and keeps its lines."""
    shown = Text(escape_controls(text))
    for start, end in spans:
        shown.stylize(MARKED, start, end)
    return shown


def _fact(text: str) -> str:
    """Put a fact on one line: what follows a break of the author's would read as ours."""
    return escape_controls(one_line(text))


def _line(console: Console, text: Text, indent: str = "") -> None:
    """Print a paragraph, each line of it indented; whole where there is no terminal."""
    room = console.width - len(indent)
    lines = text.wrap(console, room) if console.is_terminal else [text]
    for line in lines:
        line.rstrip()
        console.print(Text(indent) + line, soft_wrap=True)


def _confidence(console: Console, page: PageFacts, details: Details | None) -> None:
    text = Text("Confidence: ").append(page.confidence, CONFIDENCE[page.confidence])
    if details and details.why:
        certainty = details.answer.certainty
        text.append(f" ({certainty:.2f} likely to hold an answer)")
    _line(console, text)
    if page.notice:
        _line(console, Text(_fact(page.notice), WARNING))


def _head(console: Console, number: int, facts: HitFacts, hit: Hit | None) -> None:
    """Print a hit's title, where it stands and its link."""
    text = Text(f"{number}. ").append(_fact(facts.title), "bold")
    if facts.heading:
        text.append(f" › {_fact(facts.heading)}")
    _line(console, text.append(f"  {facts.score:.3f}", "cyan"))
    about = [
        f"{facts.source} chunk {facts.chunk_index}, lines {facts.lines}",
        facts.date,
        ", ".join(hit.post.tags) if hit else None,
        *(f"also in {language}: {source}" for language, source in facts.translations.items()),
        describe_place(facts.series),
    ]
    _line(console, Text(_fact(" · ".join(filter(None, about))), SECONDARY), INDENT)
    if facts.url:
        _line(console, Text(_fact(facts.url), "blue"), INDENT)


def _why(console: Console, hit: Hit, query: Query) -> None:
    from blog_search_mcp.index.search.highlight import highlight_query

    text = hit.chunk.plain or hit.chunk.text
    spans = highlight_query(query, text, hit.post.language)
    found = ", ".join(query.text[start:end] for start, end in spans)
    words = "none" if hit.lexical is None else f"{hit.lexical:.2f}"
    meaning = "not compared" if hit.dense is None else f"{hit.dense:.3f} above the blog's mean"
    lines = [
        f"why: found here {found or 'none of the words'}",
        f"     share of the query's words here: {words}",
        f"     meaning, as a cosine to the query: {meaning}",
    ]
    for reason in hit.reasons:
        added = reason.share * reason.value
        if abs(added) >= LEAST:
            product = f"{reason.share:.2f} × {reason.value:.2f} = {added:.3f}"
            lines.append(f"     {product}  {KINDS[reason.kind]}")
    for line in lines:
        _line(console, Text(escape_controls(line), SECONDARY), INDENT)
