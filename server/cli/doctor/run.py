"""The doctor's round: packages first, since all else needs them, then index, Ollama and clients."""

from __future__ import annotations

from typing import TYPE_CHECKING

from blog_search_mcp.server.cli.doctor import installed
from blog_search_mcp.server.cli.doctor.finding import Finding, as_json, as_lines, exit_status
from blog_search_mcp.server.cli.terminal import print_text
from blog_search_mcp.server.watch.staleness import now_in_utc

if TYPE_CHECKING:
    from datetime import datetime

    from blog_search_mcp.server.cli.install.clients import Places
    from blog_search_mcp.server.settings import Settings


def doctor(settings: Settings, places: Places) -> int:
    """Print what was found; returns the exit status, 1 if there is a problem."""
    found = examine(settings, places, now_in_utc())
    print_text(as_json(found) if settings.json else "\n".join(as_lines(found)))
    return exit_status(found)


def examine(settings: Settings, places: Places, now: datetime) -> list[Finding]:
    """Gather and judge everything; what needs a missing package is left for the next time."""
    packages = installed.gather()
    judged = installed.findings(packages)
    return judged if installed.missing(packages) else [*judged, *_rest(settings, places, now)]


def _rest(settings: Settings, places: Places, now: datetime) -> list[Finding]:
    from blog_search_mcp.server.cli.doctor import clients, index, ollama

    today = now.astimezone().date().isoformat()
    facts = index.gather(settings.index, settings.content, today)
    embedder = facts.manifest.embedder if facts.manifest else None
    return [
        *index.findings(facts, now),
        *ollama.findings(
            ollama.gather(settings.embedder_url, embedder),
            index.ingest_command(facts, "--rebuild"),
        ),
        *clients.findings(clients.gather(places), settings.index),
    ]
