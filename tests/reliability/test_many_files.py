"""A folder of very many tiny posts: each is indexed, and memory stays bounded."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.support.python import run_python

BASE_KB = 300_000
A_POST_KB = 3
"""Of memory that an ingest may take: 751 MB were seen for 200,000 posts."""


@pytest.mark.skipif(sys.platform != "linux", reason="systems count memory in units of their own")
def test_very_many_tiny_posts_are_ingested_in_bounded_memory(tmp_path: Path, full: bool) -> None:
    count = 200_000 if full else 2_000
    done = run_python("-m", "tests.reliability.many_files", tmp_path, count, timeout=None)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen.pop("kilobytes") < BASE_KB + count * A_POST_KB
    assert seen == {
        "posts": [count, count, count - 1],
        "changes": [[count, 0, 0], [0, 0, 0], [0, 1, 1]],
        "generations": [0, 1],
        "embedded": [0, 1],
        "found": [f"{(count - 1) // 1_000}/{count - 1}.md", "0/0.md"],
    }
