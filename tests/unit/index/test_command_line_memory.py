"""What is said where a limit leaves too little memory."""

from __future__ import annotations

import pytest

from blog_search_mcp.index.command_line import NEEDED, describe_small_limit

resource = pytest.importorskip("resource", reason="Windows limits no address space")


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        (
            100 << 20,
            "This process may map 100 MB of memory and needs 2,048, most of which it will not use. "
            "Raise the limit: `ulimit -v unlimited`.",
        ),
        (NEEDED, None),
        (resource.RLIM_INFINITY, None),
    ],
)
def test_a_limit_below_what_libraries_need_is_told(
    limit: int, said: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _which: (limit, resource.RLIM_INFINITY))
    assert describe_small_limit() == said
