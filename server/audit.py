"""The state of the blog that is served, as JSON facts."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from blog_search_mcp.index.relations.audit import Finding
    from blog_search_mcp.server.engine import Engine

LIMIT = 10
"""Findings of each kind that are shown unless more are asked for."""


def audit_facts(served: Engine, limit: int, *, today: date | None = None) -> dict[str, Any]:
    """Look over the blog: how many findings of each kind there are, and the first of them.

    Raises IndexProblem.
    """
    from blog_search_mcp.index.relations.audit import KINDS, audit

    today = today or date.today()
    corpus = served.corpus()
    sources = frozenset(post.source for post in corpus.posts.values())
    state = audit(corpus, served.status.read_content(sources, today), today)
    return {
        "posts": state.posts,
        "counts": {kind: len(state.findings[kind]) for kind in KINDS},
        "findings": {
            kind: [_finding_facts(each) for each in state.findings[kind][:limit]] for kind in KINDS
        },
        "notice": state.notice or None,
    }


def _finding_facts(found: Finding) -> dict[str, Any]:
    """Name sources; one that is empty stands for the whole blog."""
    return {
        "source": found.source,
        "line": found.line,
        "detail": found.detail,
        "others": list(found.others),
    }
