"""`blog-search-mcp author audit`: print the state of the blog, what there is of each kind first."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import TYPE_CHECKING

from blog_search_mcp.index.relations.audit import KINDS, audit
from blog_search_mcp.server.cli.author import AUDIT_KINDS
from blog_search_mcp.server.cli.author.render import Facts, show
from blog_search_mcp.server.engine import engine_for_author

if TYPE_CHECKING:
    from collections.abc import Sequence

    from blog_search_mcp.server.settings import Settings

FIELDS = ("source", "line", "detail", "others")
"""What is shown of a finding; a `source` that is empty stands for the whole blog."""


def run(settings: Settings, limit: int, fails_on: Sequence[str], *, as_json: bool) -> int:
    """Print the findings; returns 1 if there are some of a kind of `--fail-on`, else 0.

    Raises IndexProblem.
    """
    engine, today = engine_for_author(settings), date.today()
    corpus = engine.corpus()
    sources = frozenset(post.source for post in corpus.posts.values())
    state = audit(corpus, engine.status.read_content(sources, today), today)
    facts = {
        "posts": state.posts,
        "counts": {kind: len(state.findings[kind]) for kind in KINDS},
        "findings": {
            kind: [
                {name: getattr(finding, name) for name in FIELDS}
                for finding in state.findings[kind][:limit]
            ]
            for kind in KINDS
        },
        "notice": state.notice or None,
    }
    show(facts, settings, _write_lines, as_json=as_json)
    return int(any(state.findings[kind] for kind in KINDS if kind in fails_on))


def _write_lines(facts: Facts) -> Iterator[str]:
    counts = facts["counts"]
    width = max(len(f"{count:,}") for count in counts.values())
    for kind, count in counts.items():
        yield f"{count:>{width},}  {kind:<{max(map(len, KINDS))}}  {AUDIT_KINDS[kind]}"
    for kind, findings in facts["findings"].items():
        if findings:
            left = counts[kind] - len(findings)
            more = f", the first {len(findings)}; more by --limit N" if left else ""
            yield from ("", f"{kind} ({counts[kind]:,}{more})")
        for finding in findings:
            line = f":{finding['line']}" if finding["line"] else ""
            yield f"{finding['source']}{line} {finding['detail']}".strip()
