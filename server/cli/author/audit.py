"""`blog-search-mcp author audit`: print the state of the blog, what there is of each kind first."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rich.text import Text

from blog_search_mcp.server.audit import audit_facts
from blog_search_mcp.server.cli.author import AUDIT_KINDS
from blog_search_mcp.server.cli.display import SECONDARY, WARNING, console
from blog_search_mcp.server.cli.terminal import escape_controls, print_text
from blog_search_mcp.server.engine import engine_for_author
from blog_search_mcp.server.format.results import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from blog_search_mcp.server.settings import Settings


def run(settings: Settings, limit: int, fails_on: Sequence[str], *, as_json: bool) -> int:
    """Print the findings; returns 1 if there are some of a kind of `--fail-on`, else 0.

    Raises IndexProblem.
    """
    facts = audit_facts(engine_for_author(settings), limit)
    if as_json:
        print_text(json.dumps(facts, ensure_ascii=False, indent=2))
    else:
        _show(console(), facts)
    return int(any(facts["counts"][kind] for kind in fails_on))


def _show(out: Console, facts: dict[str, Any]) -> None:
    if facts["notice"]:
        out.print(Text(escape_controls(facts["notice"]), WARNING), soft_wrap=True)
    width = max(len(f"{count:,}") for count in facts["counts"].values())
    for kind, count in facts["counts"].items():
        line = f"{count:>{width},}  {kind:<{max(map(len, AUDIT_KINDS))}}  {AUDIT_KINDS[kind]}"
        out.print(Text(line, "bold" if count else SECONDARY), soft_wrap=True)
    for kind, count in facts["counts"].items():
        found = facts["findings"][kind]
        if found:
            more = f", the first {len(found)}; more by --limit N" if len(found) < count else ""
            out.print(Text(f"\n{kind}", "bold").append(f" ({count:,}{more})", SECONDARY))
        for each in found:
            place = each["source"] + (f":{each['line']}" if each["line"] else "")
            text = Text(f"{escape_controls(one_line(place))} " if place else "", "cyan")
            out.print(text.append(_plain(each["detail"]), "default"), soft_wrap=True)


def _plain(detail: str) -> str:
    return escape_controls(one_line(detail))
