"""`blog-server doctor`: run all checks and print what they find."""

from __future__ import annotations

from datetime import UTC, datetime

from blog_search_mcp.server.cli.doctor.findings import Finding, as_json, as_lines, exit_status
from blog_search_mcp.server.cli.doctor.packages import check_packages, read_environment
from blog_search_mcp.server.cli.install.clients import Places
from blog_search_mcp.server.cli.terminal import print_text
from blog_search_mcp.server.settings import Settings


def doctor(settings: Settings, places: Places) -> int:
    """Print what was found; return the exit status, 1 if there is a problem."""
    findings = run_checks(settings, places, datetime.now(UTC))
    print_text(as_json(findings) if settings.json else "\n".join(as_lines(findings)))
    return exit_status(findings)


def run_checks(settings: Settings, places: Places, now: datetime) -> list[Finding]:
    """Check packages, index, Ollama and clients; the packages alone while one is missing."""
    environment = read_environment()
    packages = check_packages(environment)
    if None in environment.found.values():
        return packages
    from blog_search_mcp.server.cli.doctor.clients import check_clients
    from blog_search_mcp.server.cli.doctor.index import check_index
    from blog_search_mcp.server.cli.doctor.ollama import check_ollama

    index = check_index(settings.index, settings.content, now)
    return [
        *packages,
        *index.findings,
        *check_ollama(settings.embedder_url, index.embedder, f"{index.ingest} --rebuild"),
        *check_clients(places, settings.index),
    ]
