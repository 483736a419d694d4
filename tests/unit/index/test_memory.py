"""What is said where the system refuses memory or threads."""

from __future__ import annotations

import pytest

from blog_search_mcp.index.memory import NEEDED, describe_exhaustion, describe_small_limit

resource = pytest.importorskip("resource", reason="Windows limits no address space")


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


@pytest.mark.parametrize("error", [ValueError("nonsense"), OSError(28, "No space left on device")])
def test_other_errors_are_none_of_memory(error: Exception) -> None:
    assert describe_exhaustion(error) is None


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
