"""`blog-search-mcp doctor`: run all checks and print what they find."""

from __future__ import annotations

from datetime import UTC, datetime

from blog_search_mcp.server.cli.doctor.clients import check_clients
from blog_search_mcp.server.cli.doctor.embedding_server import check_server
from blog_search_mcp.server.cli.doctor.index import check_index
from blog_search_mcp.server.cli.doctor.results import CheckResult, as_lines, exit_status
from blog_search_mcp.server.cli.doctor.tools import describe_tools
from blog_search_mcp.server.cli.install.clients import Machine
from blog_search_mcp.server.cli.terminal import print_text
from blog_search_mcp.server.settings import Settings


def doctor(settings: Settings, machine: Machine) -> int:
    """Print what was found; return the exit status, 1 if there is a problem."""
    results = run_checks(settings, machine, datetime.now(UTC))
    print_text("\n".join(as_lines(results)))
    return exit_status(results)


def run_checks(settings: Settings, machine: Machine, now: datetime) -> list[CheckResult]:
    """Check index, embedding server and clients."""
    check = check_index(settings.index, None, now)
    return [
        *check.results,
        *check_server(settings.embedder_url, check.embedder, f"{check.ingest} --rebuild"),
        describe_tools(settings.toolset),
        *check_clients(machine, settings.index),
    ]
