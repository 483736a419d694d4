"""Hits and passages as a terminal shows them: facts of a search come in, lines go out.

What matched is highlighted, and lines are as wide as the terminal, counted as it counts them:
a Chinese character takes two columns. Where the output is no terminal, lines are whole and
plain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from blog_search_mcp.index.search.highlight import answered, marks
from blog_search_mcp.server.cli.terminal import escape_controls, escape_unencodable
from blog_search_mcp.server.format.results import heading_path, link, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from blog_search_mcp.index.analysis.query import Query
    from blog_search_mcp.index.search.highlight import Span
    from blog_search_mcp.index.types import Answer, Chunk, Hit, Kind, Passage, Post

INDENT = "   "
MARKED = "bold yellow"
ASIDE = "dim"
WARNING = "yellow"
KINDS: dict[Kind, str] = {
    "passage": "words of its best passage",
    "post": "words of the whole post",
    "several": "words of its best three passages",
    "lead": "words of its beginning",
    "about": "words of its description",
    "meaning": "meaning",
}
LEAST = 0.0005
"""What adds less to a score cannot be seen in it."""
CONFIDENCE = {"high": "green", "medium": "yellow", "low": "red"}


def console() -> Console:
    """Make the console of stdout; nothing printed is read as markup, smileys or numbers."""
    escape_unencodable()
    return Console(markup=False, highlight=False, emoji=False)


def show_hits(
    console: Console, answer: Answer, query: Query, notice: str | None, why: bool
) -> None:
    """Print how sure the answer is, what must be known, each hit, and how to see more."""
    _confidence(console, answer, why)
    if notice:
        _line(console, Text(_fact(notice), WARNING))
    for number, hit in enumerate(answer.hits, answer.offset + 1):
        _line(console, _head(number, hit))
        _about(console, hit.post, hit.chunk, hit)
        preview = hit.preview.replace("\n", " ")
        _line(console, marked(preview, marks(preview, query, hit.post.language)), INDENT)
        if why:
            _why(console, hit, query)
    end = answer.offset + len(answer.hits)
    more = f", more by --offset {end}" if end < answer.total else ""
    shown = f"Hits {answer.offset + 1} to {end} of {answer.total}{more}; --read N opens one."
    _line(console, Text(shown, ASIDE))


def show_passage(
    console: Console, answer: Answer, passage: Passage, query: Query, why: bool
) -> None:
    """Print one hit with its text, verbatim, and where that stands in its post."""
    [hit] = answer.hits
    _confidence(console, answer, why)
    if answer.notice:
        _line(console, Text(_fact(answer.notice), WARNING))
    _line(console, _head(answer.offset + 1, hit))
    _about(console, passage.post, hit.chunk, hit)
    if why:
        _why(console, hit, query)
    for chunk in passage.chunks:
        text = marked(chunk.text, marks(chunk.text, query, passage.post.language))
        console.print(Text("\n"), text, Text("\n"), sep="", end="", soft_wrap=True)
    _line(console, Text("\n" + escape_controls(_around(passage)), ASIDE))


def marked(text: str, spans: Iterable[Span]) -> Text:
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


def _confidence(console: Console, answer: Answer, why: bool) -> None:
    text = Text("Confidence: ").append(answer.confidence, CONFIDENCE[answer.confidence])
    if why:
        text.append(f" ({answer.certainty:.2f}, where half of the blog's own headings reach 1)")
    _line(console, text)


def _head(number: int, hit: Hit) -> Text:
    heading = heading_path(hit.chunk.headings, hit.post.title)
    text = Text(f"{number}. ").append(_fact(hit.post.title), "bold")
    if heading:
        text.append(f" › {_fact(heading)}")
    return text.append(f"  {hit.score:.3f}", "cyan")


def _about(console: Console, post: Post, chunk: Chunk, hit: Hit) -> None:
    shown = [chunk] if hit.beside is None else [chunk, hit.beside]
    first, last = min(c.first_line for c in shown), max(c.last_line for c in shown)
    facts = [
        f"{post.source} chunk {chunk.index}, lines {first}-{last}",
        post.date,
        ", ".join(post.tags),
        *(f"also in {language}: {source}" for language, source in hit.translations),
    ]
    _line(console, Text(_fact(" · ".join(filter(None, facts))), ASIDE), INDENT)
    if url := link(post, chunk):
        _line(console, Text(_fact(url), "blue"), INDENT)


def _why(console: Console, hit: Hit, query: Query) -> None:
    for line in _reasons(hit, query):
        _line(console, Text(escape_controls(line), ASIDE), INDENT)


def _reasons(hit: Hit, query: Query) -> Iterator[str]:
    text = hit.chunk.plain or hit.chunk.text
    found = [query.text[start:end] for start, end in answered(query, text, hit.post.language)]
    yield f"why: found here {', '.join(found) or 'none of the words'}"
    words = "none" if hit.lexical is None else f"{hit.lexical:.2f}"
    yield f"     share of the query's words here: {words}"
    meaning = "not compared" if hit.dense is None else f"{hit.dense:.3f} above the blog's mean"
    yield f"     meaning, as a cosine to the query: {meaning}"
    for reason in hit.reasons:
        added = reason.share * reason.value
        if abs(added) >= LEAST:
            product = f"{reason.share:.2f} × {reason.value:.2f} = {added:.3f}"
            yield f"     {product}  {KINDS[reason.kind]}"


def _around(passage: Passage) -> str:
    facts = [
        f"Chunk {passage.asked + 1} of {passage.count}",
        f"before it: {one_line(passage.heading_before)}" if passage.heading_before else None,
        f"after it: {one_line(passage.heading_after)}" if passage.heading_after else None,
    ]
    return "; ".join(filter(None, facts)) + "."
