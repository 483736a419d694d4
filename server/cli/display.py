"""`blog-search-mcp search`, and how it and `ask` print hits.

The index is searched directly: no server, no protocol, and the SDK, which takes longest to
import, is not needed. The facts are those of the search page; on a terminal what matched is
highlighted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from blog_search_mcp.index.commands import command
from blog_search_mcp.server.cli.terminal import escape_controls, print_json, tell, with_folders
from blog_search_mcp.server.engine import engine_for_one
from blog_search_mcp.server.format.results import describe_others, one_line
from blog_search_mcp.server.settings import Settings
from blog_search_mcp.server.tools.search_blog import SearchArguments, find_hits, shorten_query

CONFIDENCE = {"normal": "green", "low": "red"}
LEAST = 0.0005
"""What adds less to a score cannot be seen in it."""


def search(settings: Settings, arguments: SearchArguments, *, why: bool, as_json: bool) -> int:
    """Search and print the hits, `why` explaining each; returns the exit status.

    That is 1 if nothing is found. Raises BlogSearchError.
    """
    engine = engine_for_one(settings)
    answer = find_hits(engine, arguments)
    from blog_search_mcp.server.format.web import analyse_for_blog, answer_facts

    query = analyse_for_blog(shorten_query(arguments.query), engine.overview)
    page = {"query": query.text, **answer_facts(answer, query)}
    page["notice"] = with_folders(page["notice"] or "", settings) or None
    hits = page["hits"]
    if as_json:
        print_json(page)
    elif hits:
        show_page(page, why=why)
        more = ", more by --limit" if page["next_offset"] else ""
        opened = command("read", hits[0]["source"], hits[0]["chunk_index"])
        footer = f"Hits 1 to {len(hits)} of {page['total']}{more}. To read one: {opened}"
        click.echo(_style(footer, dim=True))
    else:
        tell(page["notice"] or "", settings)
    return 0 if hits else 1


def show_page(page: Mapping[str, Any], *texts: str, why: bool = False) -> None:
    """Print the confidence, the notice and each hit, the facts of `search --json`, and `texts`.

    Of the hits of a tool there are fewer facts, none of which `why` explains a score by.
    """
    click.echo("\n".join([*_write_page(page, why=why), *texts]))


def _write_page(page: Mapping[str, Any], *, why: bool) -> Iterator[str]:
    confidence = click.style(page["confidence"], CONFIDENCE[page["confidence"]])
    sure = f" ({page['certainty']:.2f} likely to hold an answer)" if why else ""
    yield f"Confidence: {confidence}{sure}"
    if page["notice"]:
        yield _style(page["notice"], fg="yellow")
    for number, hit in enumerate(page["hits"], page.get("offset", 0) + 1):
        heading = f" › {_clean(hit['heading'])}" if hit.get("heading") else ""
        score = "  " + click.style(f"{hit['score']:.3f}", "cyan") if "score" in hit else ""
        yield f"{number}. {click.style(_clean(hit['title']), bold=True)}{heading}{score}"
        about = [
            f"{hit['source']} chunk {hit['chunk_index']}",
            f"lines {hit['lines']}" if "lines" in hit else "",
            hit.get("date"),
            ", ".join(hit.get("authors") or ()),
            ", ".join(hit.get("tags", ())),
            *describe_others(hit),
        ]
        yield _style(" · ".join(filter(None, about)), "   ", dim=True)
        if hit.get("url"):
            yield _style(hit["url"], "   ", fg="blue")
        yield f"   {_highlight(hit)}"
        for line in _explain(hit) if why else ():
            yield f"   {click.style(escape_controls(line), dim=True)}"


def _highlight(hit: Mapping[str, Any]) -> str:
    text, at, shown = escape_controls(hit["preview"].replace("\n", " ")), 0, ""
    for start, end in hit.get("marks", ()):
        shown += _slice(text, at, start) + click.style(
            _slice(text, start, end), "yellow", bold=True
        )
        at = end
    return shown + _slice(text, at)


def _explain(hit: Mapping[str, Any]) -> Iterator[str]:
    """Write what a hit's score is made of."""
    yield "why:"
    for reason in hit["reasons"]:
        weight, value, kind = reason["share"], reason["value"], reason["kind"].replace("_", " ")
        if abs(weight * value) >= LEAST:
            yield f"     {weight:.2f} × {value:.2f} = {weight * value:.3f}  {kind}"


def _slice(text: str, start: int, end: int | None = None) -> str:
    """Cut out what facts count in UTF-16, as browsers do."""
    units = text.encode("utf-16-le")
    return units[2 * start : None if end is None else 2 * end].decode("utf-16-le")


def _clean(text: str) -> str:
    """Put a fact on one line: what follows a break of the author's would read as ours."""
    return escape_controls(one_line(text))


def _style(text: str, indent: str = "", **style: Any) -> str:
    return indent + click.style(_clean(text), **style)
