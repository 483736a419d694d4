"""Memory that the system refuses: a sentence, said before a library ends the process.

Native code that gets no memory seldom raises: OpenBLAS exits, tantivy's Rust aborts, FAISS's C++
and thread starts end with SIGSEGV, and Python can catch none of it. So a limit of address space
that is too small (`ulimit -v`, setrlimit(2)) is refused before they are loaded. A process that the
kernel kills for want of memory says nothing.
"""

from __future__ import annotations

import re

NEEDED = 2 << 30
"""Bytes of address space, of which a tenth is ever used: libraries, and 64 MB for each thread that
allocates. With two processors an ingest failed in each run at 1.4 GB, in one of three at 1.6 and in
none of nine from 1.8 on, with either model of the package."""

_SIGNS = re.compile(
    r"can't start new thread|cannot allocate memory|failed to map segment|bad_alloc"
    r"|failed to spawn|temporarily unavailable",
    re.IGNORECASE,
)
"""Of threads and memory refused, as Python, the loader, C++ and Rust say it."""

_EXHAUSTED = (
    "The system gives this process no more memory or threads. Raise its limits, which "
    "`ulimit -a` shows, or end other programs, then run again."
)


def describe_small_limit() -> str | None:
    """Say that this process may map too little memory; `None` if it may map enough."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return None
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY or limit >= NEEDED:
        return None
    return (
        f"This process may map {limit >> 20:,} MB of memory and needs {NEEDED >> 20:,}, most of "
        "which it will not use. Raise the limit: `ulimit -v unlimited`."
    )


def describe_exhaustion(error: BaseException) -> str | None:
    """Say that memory or threads ran out if that is what a foreign `error` means, else `None`."""
    is_meant = isinstance(error, MemoryError) or _SIGNS.search(str(error))
    return _EXHAUSTED if is_meant else None
