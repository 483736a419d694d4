from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.index.store.disk import read_regular, regular_size

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_of_the_size_it_may_have_is_read(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"four")
    assert (read_regular(path, 4), regular_size(path)) == (b"four", 4)
    with pytest.raises(OSError, match="Too large"):
        read_regular(path, 3)


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("pipe", "Not a regular file"),
        ("folder", "Is a directory"),
        ("/dev/zero", "Not a regular file"),
    ],
)
def test_what_is_no_file_is_not_opened(target: str, said: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    link = tmp_path / "link"
    link.symlink_to(target)
    with pytest.raises(OSError, match=said):
        read_regular(link, 1 << 20)
