"""The state of the blogs that are served, as JSON facts for the terminal and the page."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from blog_search_mcp.server.engine import Served

LIMIT = 10
"""Findings of each kind that are shown unless more are asked for."""
LIMIT_MOST = 1_000


NO_DRAFTS = "Drafts are shown on the machine of the server alone."


def audit_facts(
    served: Served, limit: int, *, shows_drafts: bool = True, today: date | None = None
) -> dict[str, Any]:
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
    folders = served.folder.read_contents(sources, today)
    audits = {name: audit(corpora[name], folders[name], today) for name in corpora}
    findings = {
        kind: [
            {
                name_of: _prefix(name, value) if name_of in ("source", "others") else value
                for name_of, value in asdict(finding).items()
                if name_of != "kind"
            }
            for name, found in audits.items()
            for finding in found.findings[kind]
        ]
        for kind in KINDS
    }
    if not shows_drafts:
        findings["stale-drafts"] = []
    notices = (
        f"{name}: {each.notice}" if name else each.notice
        for name, each in audits.items()
        if each.notice
    )
    return {
        "posts": sum(each.posts for each in audits.values()),
        "counts": {kind: len(found) for kind, found in findings.items()},
        "findings": {kind: found[:limit] for kind, found in findings.items()},
        "notice": " ".join((*notices, *(() if shows_drafts else (NO_DRAFTS,)))) or None,
    }


def _prefix(name: str, value: str | tuple[str, ...]) -> str | list[str]:
    """Return sources as the library gives them; one that is empty stands for the whole blog."""
    if isinstance(value, str):
        return "/".join(filter(None, (name, value)))
    return ["/".join(filter(None, (name, each))) for each in value]
