"""Print text and facts so that nothing in them steers a terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import click

from blog_search_mcp.index.invocation import Message
from blog_search_mcp.ingest.last_ingest import blog_of
from blog_search_mcp.server.format.results import describe_others, one_line
from blog_search_mcp.server.settings import Settings

FAILED, WRONG_USAGE = 1, 2
"""Exit statuses: it could not be done, and the command line cannot be meant."""

_PICTURES: dict[int, int | str] = {
    **{code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n"},
    **dict.fromkeys((*range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)), 0xFFFD),
    **dict.fromkeys((0x61C, 0x200E, 0x200F), ""),
}
"""Unicode's pictures for control characters, and a mark for what has none: a post may hold them,
a terminal obeys them. Marks that turn the direction of writing make a line read as another; weak
ones, which posts in Hebrew have, are left out."""
_ESCAPES = {code: f"\\u{code:04x}" for code in _PICTURES if code > 31}
"""The same for JSON, whose other control characters are escaped already."""


def escape_controls(text: str) -> str:
    """Replace control characters by visible ones, so that a terminal obeys none."""
    return text.translate(_PICTURES)


def print_text(text: str) -> None:
    """Print text on stdout."""
    sys.stdout.write(f"{escape_controls(text)}\n")


def print_error(text: str) -> None:
    """Print text on stderr."""
    sys.stderr.write(f"{escape_controls(text)}\n")


def print_json(value: object) -> None:
    """Print JSON on stdout; Chinese stays itself."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2).translate(_ESCAPES) + "\n")


def fill_in_folders(sentence: str, settings: Settings) -> str:
    """Write a sentence, the commands of a message for this run's index and its posts."""
    return sentence.for_blog(blog_of(settings.index)) if isinstance(sentence, Message) else sentence


def print_message(sentence: str, settings: Settings) -> None:
    """Print a sentence on stderr, its commands with this run's folders."""
    print_error(fill_in_folders(sentence, settings))


def print_facts(facts: dict[str, Any], settings: Settings, *, as_json: bool) -> None:
    """Print `facts` as JSON if that is asked for, else as lines, the notice first."""
    notice = fill_in_folders(facts.get("notice") or "", settings)
    if as_json:
        print_json(facts | ({"notice": notice or None} if "notice" in facts else {}))
    else:
        rest = {name: value for name, value in facts.items() if name != "notice"}
        print_text("\n".join([*([one_line(notice)] if notice else []), *_format_facts(rest)]))


def _format_facts(facts: dict[str, Any], indent: str = "") -> Iterator[str]:
    """Write facts a line each, those below others indented; what is empty is left out."""
    for name, value in facts.items():
        if value in (None, "", [], {}):
            continue
        if isinstance(value, dict):
            yield from (f"{indent}{name}:", *_format_facts(value, f"{indent}  "))
        elif isinstance(value, list):
            yield f"{indent}{name}:"
            for item in value:
                lines = _format_facts(item) if isinstance(item, dict) else [one_line(str(item))]
                for place, line in enumerate(lines):
                    yield f"{indent}  {' ' if place else '-'} {line}"
        else:
            yield f"{indent}{name}: {one_line(str(value))}"


def format_page(page: Mapping[str, Any], *, why: bool = False) -> Iterator[str]:
    """Write the confidence, the notice and each hit, of the facts of `search --json`.

    Of the hits of a tool there are fewer facts, none of which `why` explains a score by.
    """
    confidence = click.style(page["confidence"], "red" if page["confidence"] == "low" else "green")
    sure = f" ({page['certainty']:.2f} likely to hold an answer)" if why else ""
    yield f"Confidence: {confidence}{sure}"
    if page["notice"]:
        yield format_line(page["notice"], fg="yellow")
    for number, hit in enumerate(page["hits"], page.get("offset", 0) + 1):
        heading = f" › {_clean_line(hit['heading'])}" if hit.get("heading") else ""
        score = "  " + click.style(f"{hit['score']:.3f}", "cyan") if "score" in hit else ""
        yield f"{number}. {click.style(_clean_line(hit['title']), bold=True)}{heading}{score}"
        about = [
            f"{hit['source']} chunk {hit['chunk_index']}",
            f"lines {hit['lines']}" if "lines" in hit else "",
            hit.get("date"),
            ", ".join(hit.get("authors") or ()),
            ", ".join(hit.get("tags", ())),
            *describe_others(hit),
        ]
        yield format_line(" · ".join(filter(None, about)), "   ", dim=True)
        if hit.get("url"):
            yield format_line(hit["url"], "   ", fg="blue")
        yield f"   {_format_preview(hit)}"
        for line in _format_reasons(hit) if why else ():
            yield f"   {click.style(escape_controls(line), dim=True)}"


def _format_preview(hit: Mapping[str, Any]) -> str:
    text = escape_controls(hit["preview"].replace("\n", " "))
    for start, end in reversed(hit.get("marks", ())):
        text = text[:start] + click.style(text[start:end], "yellow", bold=True) + text[end:]
    return text


def _format_reasons(hit: Mapping[str, Any]) -> Iterator[str]:
    """Write what a hit's score is made of."""
    yield "why:"
    for reason in hit["reasons"]:
        weight, value, kind = reason["share"], reason["value"], reason["kind"].replace("_", " ")
        if round(weight * value, 3):
            yield f"     {weight:.2f} × {value:.2f} = {weight * value:.3f}  {kind}"


def _clean_line(text: str) -> str:
    """Put a fact on one line: what follows a break of the author's would read as ours."""
    return escape_controls(one_line(text))


def format_line(text: str, indent: str = "", **attributes: Any) -> str:
    """Put a fact on one line, which looks as `attributes` say."""
    return indent + click.style(_clean_line(text), **attributes)
