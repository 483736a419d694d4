"""A writer killed at any moment: the index before it still opens, the next ingest succeeds."""

import random
import signal
import subprocess
from pathlib import Path

from tests.reliability.conftest import RecordRuns
from tests.reliability.killing import kill_an_ingest
from tests.support.blog import Blog, MakeBlog
from tests.support.python import run_python

LONGEST = 0.4
"""Seconds; about what the ingest below takes."""


def posts(version: int) -> dict[str, str]:
    return {
        f"{n}.md": f"# Post {n}\n\nAbout number{n} in version{version}. {'And so on. ' * 300}\n"
        for n in range(25)
    }


def test_an_index_survives_any_kill_of_its_writer(
    blog: MakeBlog, full: bool, record_runs: RecordRuns
) -> None:
    chosen = random.Random(7)
    made = blog(posts(0))
    killed = 0
    versions = 200 if full else 5
    for version in range(1, versions + 1):
        made.write(posts(version))
        before = made.manifest.generation
        status = kill_an_ingest(made, chosen.uniform(0, LONGEST))
        killed += status == -signal.SIGKILL
        is_switched = made.manifest.generation != before
        assert made.sources_with(f"version{version if is_switched else version - 1}")
        made.ingest()
        assert made.sources_with(f"version{version}")
        assert not made.sources_with(f"version{version - 1}")
        # Killed right behind the switch it has not deleted the oldest, as the next change does.
        assert 2 <= len(list(made.layout.generations.iterdir())) <= 2 + is_switched
    assert killed > 1
    record_runs(versions, versions)


FIRST_INGEST = """
import os, signal, sys
from pathlib import Path
from blog_search_mcp.ingest import embed as embedding
from tests.support.blog import Blog
from tests.support.fakes import FakeEmbedder

class Killed(FakeEmbedder):
    def embed_documents(self, texts):
        if len(self.documents) >= int(sys.argv[3]):
            os.kill(os.getpid(), signal.SIGKILL)
        return super().embed_documents(texts)

embedding.MAX_INLINE_WINDOWS = 8
embedding.BLOCK = 8
Blog(Path(sys.argv[1]), Path(sys.argv[2]), Killed()).ingest()
"""


def test_a_first_ingest_that_is_killed_while_it_embeds_leaves_every_word_and_goes_on(
    tmp_path: Path,
) -> None:
    made = Blog(tmp_path / "content", tmp_path / "index")
    made.write({f"{number}.md": f"About number{number}.\n" for number in range(200)})
    waiting = []
    for _ in range(2):
        ran = run_python("-c", FIRST_INGEST, made.content, made.index, 64)
        assert ran.returncode == -signal.SIGKILL, ran.stderr
        waiting.append(made.manifest.waiting)
        assert made.sources_with("number7") == ["7.md"]
    assert 200 > waiting[0] > waiting[1] > 0
    report = made.ingest()
    assert (report.added, made.manifest.waiting) == (0, 0)
    assert report.embedded < waiting[1]
    assert made.sources_with("number199") == ["199.md"]


STOPPED = """
import os, signal, sys
from pathlib import Path
from tests.support.blog import Blog

wanted = int(sys.argv[3])
count = 0

def counted(call):
    def counting(*given, **named):
        global count
        count += 1
        if count == wanted:
            os.kill(os.getpid(), signal.SIGKILL)
        return call(*given, **named)
    return counting

for name in ("fsync", "replace", "rename"):
    setattr(os, name, counted(getattr(os, name)))
Blog(Path(sys.argv[1]), Path(sys.argv[2])).ingest()
print(count)
"""


def stopped(blog: Blog, at: int) -> subprocess.CompletedProcess[str]:
    return run_python("-c", STOPPED, blog.content, blog.index, at)


def test_a_kill_at_each_step_of_the_switch_leaves_one_whole_index(blog: MakeBlog) -> None:
    """An ingest ends with two system calls for its record, before them those of the switch."""
    made = blog({"soup.md": "# Soup\n\nversion0\n"})
    made.write({"soup.md": "# Soup\n\nversion1\n"})
    steps = int(stopped(made, 0).stdout)
    served = []
    for version, before_the_end in enumerate((8, 6, 5, 4, 3), start=2):
        made.write({"soup.md": f"# Soup\n\nversion{version}\n"})
        ran = stopped(made, steps + 1 - before_the_end)
        assert ran.returncode == -signal.SIGKILL, ran.stderr
        new, old = (made.sources_with(f"version{each}") for each in (version, version - 1))
        assert new + old == ["soup.md"]
        served.append("new" if new else "old")
        made.ingest()
        assert made.sources_with(f"version{version}")
    assert served == ["old", "old", "old", "old", "new"]
