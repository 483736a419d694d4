"""Print hits and passages on a terminal, for `search` and `ask`.

What matched is highlighted, and lines are as wide as the terminal, counted as it counts them:
a Chinese character takes two columns. Where the output is no terminal, lines are whole and
plain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from blog_search_mcp.server.cli.terminal import escape_controls, escape_unencodable
from blog_search_mcp.server.format.results import describe_others, one_line

if TYPE_CHECKING:
    from blog_search_mcp.index.types import Passage, ReasonKind

INDENT = "   "
MARKED = "bold yellow"
SECONDARY = "dim"
WARNING = "yellow"
KINDS: dict[ReasonKind, str] = {
    "passage": "words of its best passage",
    "coverage": "how much of the words one passage of it holds",
    "post": "words of the whole post",
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


def show_page(
    console: Console, page: Mapping[str, Any], *, why: bool = False, previews: bool = True
) -> None:
    """Print the confidence, the notice and each hit: the facts that `search --json` prints.

    Of the hits of a tool there are fewer facts, none of which `why` explains a score by.
    """
    confidence = page["confidence"]
    text = Text("Confidence: ").append(confidence, CONFIDENCE[confidence])
    if why:
        text.append(f" ({page['certainty']:.2f} likely to hold an answer)")
    _line(console, text)
    if page["notice"]:
        _line(console, Text(_fact(page["notice"]), WARNING))
    for number, hit in enumerate(page["hits"], page["offset"] + 1):
        _head(console, number, hit)
        if previews:
            _line(
                console, _highlight(hit["preview"].replace("\n", " "), hit.get("marks", ())), INDENT
            )
        for line in _explain(hit, page["query"]) if why else ():
            _line(console, Text(escape_controls(line), SECONDARY), INDENT)


def show_end(console: Console, page: Mapping[str, Any], passage: Passage | None) -> None:
    """Print how to see more hits, or the text of the one that was read and where it stands."""
    if passage is None:
        first, end, total = page["offset"] + 1, page["offset"] + len(page["hits"]), page["total"]
        more = ", more by --limit" if page["next_offset"] else ""
        shown = f"Hits {first} to {end} of {total}{more}; --read N opens one."
    else:
        for chunk in page["passage"]["chunks"]:
            text = _highlight(chunk["text"], chunk["marks"])
            console.print(Text("\n"), text, Text("\n"), sep="", end="", soft_wrap=True)
        before, after = passage.heading_before, passage.heading_after
        place = [
            f"\nChunk {passage.asked + 1} of {passage.count}",
            *([f"before it: {_fact(before)}"] if before else []),
            *([f"after it: {_fact(after)}"] if after else []),
        ]
        shown = f"{'; '.join(place)}."
    _line(console, Text(shown, SECONDARY))


def _highlight(text: str, marks: Iterable[Sequence[int]]) -> Text:
    """Highlight what `marks` count in UTF-16; the text obeys nothing and keeps its lines."""
    shown = Text(escape_controls(text))
    for start, end in marks:
        before = len(_slice(text, 0, start))
        shown.stylize(MARKED, before, before + len(_slice(text, start, end)))
    return shown


def _slice(text: str, start: int, end: int) -> str:
    return text.encode("utf-16-le")[2 * start : 2 * end].decode("utf-16-le")


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


def _head(console: Console, number: int, hit: Mapping[str, Any]) -> None:
    """Print a hit's title, where it stands and its link."""
    text = Text(f"{number}. ").append(_fact(hit["title"]), "bold")
    if hit.get("heading"):
        text.append(f" › {_fact(hit['heading'])}")
    _line(console, text.append(f"  {hit['score']:.3f}", "cyan"))
    about = [
        f"{hit['source']} chunk {hit['chunk_index']}, lines {hit['lines']}",
        hit.get("date"),
        ", ".join(hit.get("tags", ())),
        *describe_others(hit),
    ]
    _line(console, Text(_fact(" · ".join(filter(None, about))), SECONDARY), INDENT)
    if hit.get("url"):
        _line(console, Text(_fact(hit["url"]), "blue"), INDENT)


def _explain(hit: Mapping[str, Any], query: str) -> list[str]:
    """Write what of the query is in the hit, and what its score is made of."""
    words = ", ".join(_slice(query, *span) for span in hit["answered"])
    share = "none" if hit["lexical"] is None else f"{hit['lexical']:.2f}"
    dense = hit["dense"]
    meaning = "not compared" if dense is None else f"{dense:.3f} above the blog's mean"
    lines = [
        f"why: found here {words or 'none of the words'}",
        f"     share of the query's words here: {share}",
        f"     meaning, as a cosine to the query: {meaning}",
    ]
    for reason in hit["reasons"]:
        weight, value, kind = reason["share"], reason["value"], KINDS[reason["kind"]]
        if abs(weight * value) >= LEAST:
            lines.append(f"     {weight:.2f} × {value:.2f} = {weight * value:.3f}  {kind}")
    return lines
