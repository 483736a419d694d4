"""Print the facts of an author's command: as JSON, or as lines for a person."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

from blog_search_mcp.server.cli.terminal import print_lines, print_text, with_folders
from blog_search_mcp.server.format.results import one_line
from blog_search_mcp.server.settings import Settings

Facts: TypeAlias = dict[str, Any]


def show(
    facts: Facts,
    settings: Settings,
    write_lines: Callable[[Facts], Iterable[str]],
    *,
    as_json: bool,
) -> None:
    """Print `facts` as JSON if that is asked for, else their notice and the lines about them."""
    notice = facts.get("notice")
    if notice:
        facts = facts | {"notice": with_folders(notice, settings)}
    if as_json:
        print_text(json.dumps(facts, ensure_ascii=False, indent=2))
    else:
        print_lines([*([facts["notice"]] if notice else []), *write_lines(facts)])


def join(*parts: str | None) -> str:
    """Put the parts that are there on one indented line."""
    return f"   {' · '.join(one_line(part) for part in parts if part)}"
