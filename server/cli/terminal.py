"""Print text and facts so that nothing in them steers a terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any, TypeAlias

from blog_search_mcp.index.commands import complete_commands
from blog_search_mcp.index.posts.last_ingest import blog_of
from blog_search_mcp.server.format.results import one_line
from blog_search_mcp.server.settings import Settings

Facts: TypeAlias = dict[str, Any]

_PICTURES = {
    **{code: 0x2400 + code for code in range(32) if chr(code) not in "\t\n"},
    **dict.fromkeys((*range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)), 0xFFFD),
}
"""Unicode's pictures for control characters, and a mark for what has none: a post may hold them,
a terminal obeys them. Marks that turn the direction of writing make a line read as another."""


def escape_controls(text: str) -> str:
    """Replace control characters by visible ones, so that a terminal obeys none."""
    return text.translate(_PICTURES)


def with_folders(sentence: str, settings: Settings) -> str:
    """Complete the commands in a sentence for this run's index and its posts."""
    return complete_commands(sentence, blog_of(settings.index)) if "`" in sentence else sentence


def tell(sentence: str, settings: Settings) -> None:
    """Print a sentence on stderr, its commands with this run's folders."""
    sys.stderr.write(escape_controls(f"{with_folders(sentence, settings)}\n"))


def print_text(text: str) -> None:
    """Print `text` on stdout."""
    sys.stdout.write(f"{escape_controls(text)}\n")


def print_json(value: object) -> None:
    """Print JSON on stdout; Chinese stays itself."""
    sys.stdout.write(f"{json.dumps(value, ensure_ascii=False, indent=2)}\n")


def show(facts: Facts, settings: Settings, *, as_json: bool) -> None:
    """Print `facts` as JSON if that is asked for, else as lines, the notice first."""
    notice = with_folders(facts.get("notice") or "", settings)
    if as_json:
        print_json(facts | ({"notice": notice or None} if "notice" in facts else {}))
    else:
        rest = {name: value for name, value in facts.items() if name != "notice"}
        print_text("\n".join([*([one_line(notice)] if notice else []), *_write_facts(rest)]))


def _write_facts(facts: Facts, indent: str = "") -> Iterator[str]:
    """Write facts a line each, those below others indented; what is empty is left out."""
    for name, value in facts.items():
        if value in (None, "", [], {}):
            continue
        if isinstance(value, dict):
            yield from (f"{indent}{name}:", *_write_facts(value, f"{indent}  "))
        elif isinstance(value, list):
            yield f"{indent}{name}:"
            for item in value:
                lines = _write_facts(item) if isinstance(item, dict) else [one_line(str(item))]
                for place, line in enumerate(lines):
                    yield f"{indent}  {' ' if place else '-'} {line}"
        else:
            yield f"{indent}{name}: {one_line(str(value))}"
