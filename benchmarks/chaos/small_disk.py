"""Disks of a few pages: a tmpfs in a mount namespace of its own, so that nothing outside sees it.

`unshare` (util-linux) makes the namespace, for root and, where the system allows it, for any
user. The ingests are the real command with the embedded model.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

from benchmarks.chaos.copied import CopiedBlog, copied
from benchmarks.chaos.fault import Fault, Say

ROOMS = (0, 1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128)
"""Pages of 4 KiB that are left when the ingest begins; the last is more than it needs."""

ENDING = "check the disk's space and the folder's permissions, then run again."

POSTS = 8


def on_small_disks(work: Path, say: Say) -> tuple[Fault, ...]:
    """Ingest on disks of several sizes and on a read-only one; no row where there is no tmpfs."""
    work.mkdir()
    alone = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"])]
    command = [*alone, sys.executable, "-m", "benchmarks.chaos.small_disk", str(work)]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        say(f"no small disks: {getattr(error, 'stderr', None) or error}")
        return ()
    return tuple(Fault(**row) for row in json.loads(ran.stdout))


def main() -> None:
    """In the namespace: make the disks, print the rows."""
    work = Path(sys.argv[1])
    disk = work / "disk"
    disk.mkdir()
    _mount("tmpfs", "-t", "tmpfs", "-o", "size=1g", str(disk))
    source = work / "posts"
    source.mkdir()
    for number in range(POSTS):
        text = f"# Soup {number}\n\n" + f"Boil onion {number} in water.\n\n" * 40
        (source / f"{number}.md").write_text(text, encoding="utf-8")
    blog = copied(source, disk)
    rows = [_full(blog, disk), *_read_only(blog, disk)]
    sys.stdout.write(json.dumps([asdict(row) for row in rows]))


def _full(blog: CopiedBlog, disk: Path) -> Fault:
    held, fits, said = 0, 0, ""
    for edition, room in enumerate(ROOMS, start=1):
        editions = (edition - 1, edition)
        before = blog.answers(editions)
        for path, text in blog.texts.items():  # of the same length, so that it fits
            path.write_text(text.replace("Boil", f"edition{edition:04d}"), encoding="utf-8")
        used = shutil.disk_usage(disk).used
        _mount("-o", f"remount,size={used + room * 4096}", str(disk))
        status, last = blog.ingest()
        fits += status == 0
        left = blog.answers(editions)
        _mount("-o", "remount,size=1g", str(disk))
        again, _ = blog.ingest()
        after = blog.answers(editions)
        refused = status == 1 and last.lower().endswith(ENDING) and left == before
        done = status == 0 and left == after
        said = last if refused else said
        held += (refused or done) and again == 0 and after != before
    return Fault(
        what="small disk that fills during an ingest",
        made=f"a tmpfs with {ROOMS[0]} to {ROOMS[-1]} free pages; {fits} sizes sufficed",
        runs=len(ROOMS),
        held=held,
        seen=f"“{said}”",
    )


def _read_only(blog: CopiedBlog, disk: Path) -> tuple[Fault, Fault]:
    editions = (len(ROOMS),)
    before = blog.answers(editions)
    next(iter(blog.texts)).write_text("Another post.\n", encoding="utf-8")
    _mount("-o", "remount,ro", str(disk))
    status, last = blog.ingest()
    refused = status == 1 and last.lower().endswith(ENDING)
    left = blog.answers(editions)
    _mount("-o", "remount,rw", str(disk))
    again, _ = blog.ingest()
    made = "a tmpfs mounted read-only"
    return (
        Fault(
            "index on a read-only disk is ingested",
            made,
            1,
            int(refused and not again),
            f"“{last}”",
        ),
        Fault(
            "index on a read-only disk is searched",
            made,
            1,
            int(left == before),
            "the same answers",
        ),
    )


def _mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True, capture_output=True)


if __name__ == "__main__":
    main()
