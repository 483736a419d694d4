"""`blog-search-mcp doctor`: run all checks and print what they tell."""

from __future__ import annotations

from datetime import UTC, datetime

from blog_search_mcp.server.cli.doctor.clients import check_clients
from blog_search_mcp.server.cli.doctor.index import check_index
from blog_search_mcp.server.cli.doctor.results import write_results
from blog_search_mcp.server.cli.doctor.tools import describe_tools
from blog_search_mcp.server.cli.install.clients import Machine
from blog_search_mcp.server.cli.terminal import print_lines
from blog_search_mcp.server.settings import Settings


def doctor(settings: Settings, machine: Machine) -> int:
    """Check index, embedder, tools and clients; return the exit status, 1 if there is a problem."""
    results = [
        *check_index(settings, datetime.now(UTC)),
        describe_tools(settings.toolset),
        *check_clients(machine, settings),
    ]
    print_lines(write_results(results))
    return int(any(result.state == "problem" for result in results))
