"""A disk that says no, to whichever library writes at that moment: one sentence, nothing lost."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from blog_search_mcp.index.errors import IndexProblem
from tests.reliability.conftest import RecordRuns
from tests.support.blog import MakeBlog


@contextmanager
def cramped(limit: int) -> Iterator[None]:
    """Let no file grow beyond a size: whoever writes more is refused, be it Python, FAISS,
    tantivy or SQLite."""
    import resource

    _, hard = before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


SIZES = (0, 10, 100, 300, 1_000, 2_000, 4_000, 8_000, 12_000, 16_000, 24_000, 40_000, 60_000)


def posts(edition: int) -> dict[str, str]:
    return {
        f"{n}.md": f"# Soup {n}\n\nBoil onion{n} in edition{edition}. {f'So{n} on{n}. ' * 30}\n"
        for n in range(9)
    }


@pytest.mark.skipif(sys.platform != "linux", reason="limits the size of files")
def test_a_refusal_of_any_write_is_reported_and_loses_nothing(
    blog: MakeBlog, full: bool, record_runs: RecordRuns
) -> None:
    made = blog(posts(0))
    refusals, sizes = 0, range(0, 60_000, 500) if full else SIZES
    for edition, size in enumerate(sizes, start=1):
        made.write(posts(edition))
        said = ""
        with cramped(size):
            try:
                made.ingest()
            except IndexProblem as error:
                said = str(error)
        if said:
            refusals += 1
            live = [len(made.sources_with(f"edition{each}")) for each in (edition - 1, edition)]
            assert sorted(live) == [0, 9], (size, said)
            assert "disk" in said
        else:
            assert len(made.sources_with(f"edition{edition}")) == 9
        made.ingest()
        assert len(made.sources_with(f"edition{edition}")) == 9
    assert refusals > len(sizes) / 4
    record_runs(len(sizes), len(sizes))
