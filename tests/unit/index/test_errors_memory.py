"""What is said of a foreign error where the system refuses memory or threads."""

from __future__ import annotations

import pytest

from blog_search_mcp.index.errors import describe_exhaustion


class PanicException(BaseException):
    """What Rust raises is no Exception."""


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RuntimeError("can't start new thread"),
        OSError(12, "Cannot allocate memory"),
        ImportError("libgomp.so.1: failed to map segment from shared object"),
        RuntimeError("[ONNXRuntimeError] : 6 : Exception during initialization: std::bad_alloc"),
        ValueError("System error.'Failed to spawn segment merging thread'"),
        PanicException('Os { code: 11, message: "Resource temporarily unavailable" }'),
    ],
)
def test_what_libraries_raise_for_want_of_memory_is_one_sentence(error: BaseException) -> None:
    assert describe_exhaustion(error) == (
        "The system gives this process no more memory or threads. Raise its limits, which "
        "`ulimit -a` shows, or end other programs, then run again."
    )


@pytest.mark.parametrize(
    "error",
    [
        ValueError("nonsense"),
        OSError(28, "No space left on device"),
        RuntimeError("503 Service Temporarily Unavailable"),
    ],
)
def test_other_errors_are_none_of_memory(error: Exception) -> None:
    assert describe_exhaustion(error) is None
