"""`setup`: which clients are meant, and what an answer at the terminal means."""

from __future__ import annotations

import pytest

from blog_search_mcp.server.cli.setup import parse_choice

FOUND = ("claude-code", "cursor", "zed")


@pytest.mark.parametrize(
    ("line", "chosen"),
    [
        ("\n", FOUND),
        ("2\n", ("cursor",)),
        ("3, 1", ("zed", "claude-code")),
        ("1 1", ("claude-code",)),
        ("4", None),
        ("0", None),
        ("cursor", None),
        ("1,x", None),
    ],
)
def test_an_answer_names_clients_by_their_numbers(
    line: str, chosen: tuple[str, ...] | None
) -> None:
    assert parse_choice(line, FOUND) == chosen
