"""`blog-server doctor`: run all checks and print what they find."""

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
    checks = [check_index(each.index, each.content, now) for each in settings.each]
    by_embedder = {check.embedder: check for check in reversed(checks)}
    if len(by_embedder) > 1:
        by_embedder.pop(None, None)
    return [
        *(result for check in checks for result in check.results),
        *(
            result
            for embedder, check in by_embedder.items()
            for result in check_server(settings.embedder_url, embedder, f"{check.ingest} --rebuild")
        ),
        describe_tools(settings.toolset),
        *check_clients(machine, [each.index for each in settings.each]),
    ]
