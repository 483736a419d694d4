"""`blog-search-mcp search`, and how it and `ask` print hits on a terminal.

The index is searched directly: no server, no protocol, and the SDK, which takes longest to
import, is not needed. The facts are those of the search page.

What matched is highlighted, and lines are as wide as the terminal, counted as it counts them:
a Chinese character takes two columns. Where the output is no terminal, lines are whole and
plain.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from blog_search_mcp.index.commands import command
from blog_search_mcp.server.cli.terminal import (
    escape_controls,
    escape_unencodable,
    tell,
    with_folders,
)
from blog_search_mcp.server.engine import engine_for_one
from blog_search_mcp.server.format.results import describe_others, one_line
from blog_search_mcp.server.settings import Settings
from blog_search_mcp.server.tools.search_blog import SearchArguments, find_hits

INDENT = "   "
MARKED = "bold yellow"
SECONDARY = "dim"
WARNING = "yellow"
LEAST = 0.0005
"""What adds less to a score cannot be seen in it."""
CONFIDENCE = {"high": "green", "medium": "yellow", "low": "red"}


def search(settings: Settings, arguments: SearchArguments, *, why: bool, as_json: bool) -> int:
    """Search and print the hits, `why` explaining each; returns the exit status.

    That is 1 if nothing is found. Raises BlogSearchError.
    """
    engine = engine_for_one(settings)
    answer = find_hits(engine, arguments)
    from blog_search_mcp.server.format.web import analyse_for_blog, answer_facts

    query = analyse_for_blog(arguments.query, engine.overview)
    facts = {"query": query.text, **answer_facts(answer, query)}
    facts["notice"] = with_folders(facts["notice"] or "", settings) or None
    console = make_console()
    if as_json:
        console.print(json.dumps(facts, ensure_ascii=False, indent=2), soft_wrap=True)
    elif facts["hits"]:
        show_page(console, facts, why=why)
        show_end(console, facts)
    else:
        tell(facts["notice"] or "", settings)
    return 0 if facts["hits"] else 1


def make_console() -> Console:
    """Make the console of stdout; nothing printed is read as markup, smileys or numbers."""
    escape_unencodable()
    return Console(markup=False, highlight=False, emoji=False)


def show_page(console: Console, page: Mapping[str, Any], *, why: bool = False) -> None:
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
        preview = hit["preview"].replace("\n", " ")
        _line(console, _highlight(preview, hit.get("marks", ())), INDENT)
        for line in _explain(hit, page["query"]) if why else ():
            _line(console, Text(escape_controls(line), SECONDARY), INDENT)


def show_end(console: Console, page: Mapping[str, Any]) -> None:
    """Print how many hits there are, and how to see more of them or read one."""
    more = ", more by --limit" if page["next_offset"] else ""
    best = page["hits"][0]
    opened = command("read", best["source"], best["chunk_index"])
    shown = f"Hits 1 to {len(page['hits'])} of {page['total']}{more}. To read one: {opened}"
    _line(console, Text(_fact(shown), SECONDARY))


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
        weight, value, kind = reason["share"], reason["value"], reason["kind"].replace("_", " ")
        if abs(weight * value) >= LEAST:
            lines.append(f"     {weight:.2f} × {value:.2f} = {weight * value:.3f}  {kind}")
    return lines
