"""Print on a terminal, without the control characters of posts and files."""

import json
import shutil
import sys
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

import click

from blog_search_mcp.index.invocation import Message
from blog_search_mcp.index.text.display import count_columns, one_line
from blog_search_mcp.ingest.last_ingest import blog_of
from blog_search_mcp.server.format.results import write_facts, write_head
from blog_search_mcp.server.settings import Settings

FAILED, WRONG_USAGE = 1, 2
"""Exit statuses of a command that failed, and of a command line with a mistake."""
_CONTROLS: dict[int, int | str] = {
    **{code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n"},
    **dict.fromkeys((*range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)), 0xFFFD),
    **dict.fromkeys((0x61C, 0x200E, 0x200F), ""),
}
"""Replacements, by code point, of characters that control a terminal: pictures for C0 controls but
tab and line feed, nothing for direction marks (posts in Hebrew have them), U+FFFD for others."""
_ESCAPES = {code: f"\\u{code:04x}" for code in _CONTROLS if code > 31}
"""JSON escapes of the same characters, without C0 controls, which `json.dumps` escapes itself."""


def escape_controls(text: str) -> str:
    """Replace the characters of a text that control a terminal."""
    return text.translate(_CONTROLS)


def print_text(text: str) -> None:
    """Print text and a line end on stdout, without control characters."""
    sys.stdout.write(f"{escape_controls(text)}\n")


def print_error(text: str) -> None:
    """Print text and a line end on stderr, without control characters."""
    sys.stderr.write(f"{escape_controls(text)}\n")


def print_json(value: object) -> None:
    """Print a value on stdout as indented JSON; letters of other scripts are not escaped."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2).translate(_ESCAPES) + "\n")


def fill_in_folders(sentence: str, settings: Settings) -> str:
    """Return a sentence; if it is a Message, its commands name the index and posts of this run."""
    return sentence.for_blog(blog_of(settings.index)) if isinstance(sentence, Message) else sentence


def print_message(sentence: str, settings: Settings) -> None:
    """Print a sentence, as `fill_in_folders` returns it, on stderr."""
    print_error(fill_in_folders(sentence, settings))


def print_facts(facts: dict[str, Any], settings: Settings, *, as_json: bool) -> None:
    """Print facts on stdout: as JSON, or as the notice and indented lines."""
    notice = fill_in_folders(facts.get("notice") or "", settings)
    if as_json:
        print_json(facts | ({"notice": notice or None} if "notice" in facts else {}))
    else:
        rest = {name: value for name, value in facts.items() if name != "notice"}
        print_text("\n".join([*([one_line(notice)] if notice else []), *_format_facts(rest)]))


def _format_facts(facts: dict[str, Any], indent: str = "") -> Iterator[str]:
    """Yield a line for each fact, nested ones indented. Facts without a value are left out."""
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


def format_page(page: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines for the confidence, the notice and each hit of a page."""
    confidence = click.style(page["confidence"], "red" if page["confidence"] == "low" else "green")
    yield f"Confidence: {confidence}"
    if page["notice"]:
        yield format_line(page["notice"], fg="yellow")
    for number, hit in enumerate(page["hits"], page.get("offset", 0) + 1):
        yield format_line(write_head(number, hit), bold=True)
        if facts := write_facts(hit):
            yield format_line(facts, "   ", dim=True)
        text = escape_controls(hit["preview"].replace("\n", " "))
        for start, end in reversed(hit.get("marks", ())):
            text = f"{text[:start]}\1{text[start:end]}\2{text[end:]}"
        begin, stop = click.style("\0", "yellow", bold=True).split("\0")
        for line in _wrap_text(text):
            yield f"   {line}".replace("\1", begin).replace("\2", stop)


def _wrap_text(text: str) -> list[str]:
    """Break a text into lines that leave 4 columns of a terminal free. Else keep one line."""
    if not sys.stdout.isatty():
        return [text]
    width = (shutil.get_terminal_size().columns - 4) * len(text) // max(count_columns(text), 1)
    return textwrap.wrap(text, max(width, 10), break_on_hyphens=False)


def format_line(text: str, indent: str = "", **attributes: Any) -> str:
    """Return a text on one line, styled; a post's line break could otherwise fake a line."""
    return indent + click.style(escape_controls(one_line(text)), **attributes)
