"""What is said of an error where the system refuses memory."""

from __future__ import annotations

from blog_search_mcp.index.errors import describe_exhaustion


def test_want_of_memory_is_one_sentence_and_other_errors_are_none_of_it() -> None:
    assert "memory" in str(describe_exhaustion(MemoryError()))
    assert describe_exhaustion(OSError(28, "No space left on device")) is None
