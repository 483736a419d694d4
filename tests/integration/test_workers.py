"""Work spread over processes: the same results in the same order, errors, none left over."""

from __future__ import annotations

import os
import re
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import NoReturn

import pytest

from blog_search_mcp.index.errors import ContentError, IngestFailed, UnreadablePost
from blog_search_mcp.ingest import workers
from blog_search_mcp.ingest.workers import LOST_REASON, MIN_POOLED, WorkerPool
from tests.support.blog import MakeBlog
from tests.support.ollama_standin import running
from tests.support.paths import ROOT
from tests.support.python import start_python
from tests.support.served import indexed
from tests.support.waiting import until

MANY = range(3 * MIN_POOLED)


def negated(number: int) -> tuple[int, int]:
    time.sleep(0.005)  # so that no process has done it all before the other has started
    return -number, os.getpid()


def unless_seven(number: int) -> int:
    if number == 7:
        raise ContentError("seven")
    return number


def say_lost(number: int, reason: str) -> tuple[int, str]:
    return number, reason


def lose(_item: object, reason: str) -> NoReturn:
    raise AssertionError(reason)


def killing_always(_number: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


class Site:
    """As large as a site's settings may be."""

    unpickled = 0

    def __getstate__(self) -> str:
        return "settings"

    def __setstate__(self, _settings: str) -> None:
        Site.unpickled += 1


def count_unpickled(_number: int, site: Site) -> int:
    return site.unpickled


@pytest.fixture(scope="module")
def helpers() -> Iterator[WorkerPool]:
    """Two processes that no test ends."""
    with closing(WorkerPool(2)) as pool:
        yield pool


def test_processes_give_what_one_gives_in_its_order(helpers: WorkerPool) -> None:
    found = list(helpers.map(negated, MANY, lose))
    assert [number for number, _ in found] == [-number for number in MANY]
    assert len({process for _, process in found} - {os.getpid()}) == 2
    assert list(helpers.map(unless_seven, range(8, 8 + MIN_POOLED), lose))[-1] == 7 + MIN_POOLED


def test_what_all_items_have_in_common_is_unpickled_once_in_a_process(helpers: WorkerPool) -> None:
    assert {*helpers.map(partial(count_unpickled, site=Site()), MANY, lose)} == {1}


@pytest.mark.parametrize(("most", "items"), [(2, MIN_POOLED - 1), (1, MIN_POOLED), (0, MIN_POOLED)])
def test_little_work_is_done_here(most: int, items: int) -> None:
    with closing(WorkerPool(most)) as helpers:
        assert {process for _, process in helpers.map(negated, range(items), lose)} == {os.getpid()}


def hang(number: int) -> tuple[int, int]:
    """Stand still at 1 as a regular expression does, which no wait for a lock would be."""
    if number == 1:
        with suppress(UnreadablePost):  # as of a part that cannot be read
            re.match("(a+)+$", "a" * 60 + "!")
    return number, os.getpid()


@pytest.mark.parametrize("is_main", [True, False])
def test_of_little_work_what_hangs_is_lost_too_and_in_other_threads_by_a_process(
    is_main: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "MAX_SECONDS", 1)
    handler = signal.getsignal(signal.SIGALRM)
    with closing(WorkerPool(2)) as helpers, ThreadPoolExecutor(1) as thread:

        def read() -> list[tuple[int, int | str]]:
            return list(helpers.map(hang, range(3), say_lost))

        found = read() if is_main else thread.submit(read).result()
        if not is_main:
            read_many = partial(helpers.map, negated, range(9), lose)
            assert len({process for _, process in thread.submit(list, read_many()).result()}) == 1
    assert found[1] == (1, LOST_REASON)
    assert [number for number, _ in found] == [0, 1, 2]
    assert ({found[0][1], found[2][1]} == {os.getpid()}) == is_main
    assert signal.getsignal(signal.SIGALRM) == handler
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_processes_that_end_whatever_they_do_end_the_ingest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workers, "MAX_LOST", 2)
    monkeypatch.setattr(workers, "IN_FLIGHT", 1)
    with closing(WorkerPool(2)) as helpers, pytest.raises(IngestFailed):
        list(helpers.map(killing_always, MANY, say_lost))


PARENT = """
import sys
from contextlib import closing, suppress
from blog_search_mcp.ingest.workers import WorkerPool
from tests.integration.test_workers import MANY, lose, negated
if __name__ == "__main__":
    with closing(WorkerPool(2)) as helpers:
        found = iter(helpers.map(negated, MANY, lose))
        print(*{process for _, process in (next(found) for _ in range(200))}, flush=True)
        sys.stdin.readline()
"""


def is_running(process: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc")
def test_a_process_that_is_killed_leaves_no_worker_behind(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    path = os.pathsep.join((str(ROOT / "src"), str(ROOT)))
    with start_python(script, env=os.environ | {"PYTHONPATH": path}) as parent:
        assert parent.stdout is not None
        helpers = [int(number) for number in parent.stdout.readline().split()]
        assert len(helpers) == 2
        parent.kill()
    until(lambda: not any(map(is_running, helpers)))


def test_a_blog_read_by_processes_is_the_blog_read_by_one(blog: MakeBlog) -> None:
    posts = {
        f"{number}.md": f"# Post {number}\n\nSoup {number}.\n\n- [that](0.md): its words\n"
        for number in range(MIN_POOLED)
    }
    made = blog(posts)
    one, hits = made.manifest, [made.search(query).hits for query in ("soup 7", "its words")]
    assert made.ingest(rebuild=True, processes=2).generation == 2
    two = made.manifest
    assert two.posts == one.posts
    vectors = "vectors/000001.faiss"
    assert two.files[vectors].sha256 == one.files[vectors].sha256
    assert [made.search(query).hits for query in ("soup 7", "its words")] == hits


def test_a_blog_read_by_processes_is_embedded_by_a_server(tmp_path: Path) -> None:
    posts = {f"{n}.md": f"# The soup of day {n}\n\nSoup is hot.\n" for n in MANY}
    with running() as ollama:
        indexed(tmp_path, posts, "--embedder", "ollama", "--embedder-url", ollama.host)
        assert len(ollama.embedded) > 1
