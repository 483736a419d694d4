"""Rules of Windows and macOS that Linux has not, as documented, made where they would bite.

Windows refuses to rename over, or to delete, a file that somebody has open (ERROR_ACCESS_DENIED,
ERROR_SHARING_VIOLATION: both PermissionError); FAT and network disks have no links; both systems'
usual file systems take `A.md` and `a.md` for one name. The whole state is compared after each: what
is found, what the next ingest embeds, what it does.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.blog import Blog, MakeBlog

SOUP = "# Soup\n\nBoil an onion.\n"
TEA = "# Tea\n\nA leaf.\n"
QUERIES = ("onion", "leaf", "boil soup", "tea")


def state(made: Blog) -> list[tuple[str, float, str]]:
    """Every answer: sources, scores and texts."""
    hits = [hit for query in QUERIES for hit in made.search(query).hits]
    return [(hit.post.source, hit.score, hit.chunk.text) for hit in hits]


class Opened:
    """Refuses a call of pathlib for paths that somebody has open, so many times."""

    def __init__(
        self, call: str, names: str, times: float, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.refused = 0
        self._real: Callable[..., Any] = getattr(os, call)

        def refuse(path: Any, *more: Any, **named: Any) -> Any:
            target = Path(os.fsdecode(more[0] if more else path)).name
            if not (Path(target).match(names) and self.refused < times):
                return self._real(path, *more, **named)
            self.refused += 1
            raise PermissionError(errno.EACCES, "Access is denied", os.fspath(path))

        monkeypatch.setattr(os, call, refuse)


def test_a_switch_waits_for_whoever_has_current_open(
    blog: MakeBlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = blog({"soup.md": SOUP})
    made.write({"tea.md": TEA})
    opened = Opened("replace", "CURRENT", 3, monkeypatch)
    report = made.ingest()
    assert (opened.refused, report.generation, report.added) == (3, 2, 1)
    assert {source for source, _, _ in state(made)} == {"soup.md", "tea.md"}


@pytest.mark.parametrize("number", [errno.EPERM, errno.EOPNOTSUPP, errno.EMLINK, errno.EXDEV])
def test_a_disk_without_links_has_the_same_index(
    number: int, blog: MakeBlog, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [{"tea.md": TEA}, {"soup.md": SOUP + "\nAnd salt.\n"}]
    linked, copied = blog({"soup.md": SOUP}), blog({"soup.md": SOUP})

    def refuse(*_paths: object) -> None:
        raise OSError(number, os.strerror(number))

    for posts in texts:
        linked.write(posts)
        linked.ingest()
    with monkeypatch.context() as patched:
        patched.setattr(os, "link", refuse)
        for posts in texts:
            copied.write(posts)
            copied.ingest()
        assert copied.ingest().generation == 3
    assert state(copied) == state(linked)
