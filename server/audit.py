"""The state of the blogs that are served, as JSON facts."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from blog_search_mcp.index.relations.audit import Finding
    from blog_search_mcp.server.engine import Served

LIMIT = 10
"""Findings of each kind that are shown unless more are asked for."""


def audit_facts(served: Served, limit: int, *, today: date | None = None) -> dict[str, Any]:
    """Look over every blog: how many findings of each kind there are, and the first of them.

    Raises IndexProblem.
    """
    from blog_search_mcp.index.relations.audit import KINDS, audit

    today = today or date.today()
    corpora = served.corpora()
    sources = {
        name: frozenset(post.source for post in corpus.posts.values())
        for name, corpus in corpora.items()
    }
    folders = served.status.read_contents(sources, today)
    audits = {name: audit(corpora[name], folders[name], today) for name in corpora}
    findings = {
        kind: [(name, each) for name, found in audits.items() for each in found.findings[kind]]
        for kind in KINDS
    }
    notices = (
        f"{name}: {each.notice}" if name else each.notice
        for name, each in audits.items()
        if each.notice
    )
    return {
        "posts": sum(each.posts for each in audits.values()),
        "counts": {kind: len(found) for kind, found in findings.items()},
        "findings": {
            kind: [_finding_facts(*each) for each in found[:limit]]
            for kind, found in findings.items()
        },
        "notice": " ".join(notices) or None,
    }


def _finding_facts(blog: str, found: Finding) -> dict[str, Any]:
    """Give sources as the library does; one that is empty stands for the whole blog."""
    sources = ["/".join(filter(None, (blog, each))) for each in (found.source, *found.others)]
    return {
        "source": sources[0],
        "line": found.line,
        "detail": found.detail,
        "others": sources[1:],
    }
