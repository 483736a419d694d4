"""Print text and facts on a terminal safely."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from io import TextIOWrapper
from typing import Any, TypeAlias

from blog_search_mcp.index.commands import complete_commands
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


def tell(sentence: str, settings: Settings) -> None:
    """Print a sentence on stderr, its commands with this run's folders."""
    sys.stderr.write(escape_controls(f"{with_folders(sentence, settings)}\n"))


def with_folders(sentence: str, settings: Settings) -> str:
    """Complete the commands in a sentence for this run's index and its posts."""
    if "`" not in sentence:
        return sentence
    from blog_search_mcp.index.posts.last_ingest import blog_of

    return complete_commands(sentence, blog_of(settings.index))


def show(facts: Facts, settings: Settings, *, as_json: bool) -> None:
    """Print `facts` as JSON if that is asked for, else as lines, what must be known first."""
    if notice := facts.get("notice"):
        facts = facts | {"notice": with_folders(notice, settings)}
    if as_json:
        print_text(json.dumps(facts, ensure_ascii=False, indent=2))
    else:
        rest = {name: value for name, value in facts.items() if name != "notice"}
        print_lines([*([facts["notice"]] if notice else []), *_write_facts(rest)])


def _write_facts(facts: Facts, indent: str = "") -> Iterator[str]:
    """Write facts a line each, those below others indented; what is empty is left out."""
    for name, value in facts.items():
        if isinstance(value, dict) and value:
            yield from (f"{indent}{name}:", *_write_facts(value, f"{indent}  "))
        elif isinstance(value, list) and value:
            yield f"{indent}{name}:"
            for item in value:
                lines = [*_write_facts(item)] if isinstance(item, dict) else [_one_line(item)]
                yield f"{indent}  - {lines[0]}"
                yield from (f"{indent}    {line}" for line in lines[1:])
        elif value not in (None, "", [], {}):
            yield f"{indent}{name}: {_one_line(value)}"


def _one_line(value: object) -> str:
    return " ".join(str(value).split())


def print_lines(lines: Iterable[str]) -> None:
    """Print each on a line of its own on stdout, whatever the names of files in it hold."""
    print_text("\n".join(escape_controls(line).replace("\n", "\u240a") for line in lines))


def print_text(text: str) -> None:
    """Print `text` on stdout, with escapes for what its encoding cannot write."""
    escape_unencodable()
    sys.stdout.write(text + "\n")


def escape_unencodable() -> None:
    """Let stdout write escapes for what its encoding lacks: a path may be no text at all."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
