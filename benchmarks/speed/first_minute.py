"""`python -m benchmarks.speed.first_minute POSTS...`: what a newcomer waits for, from nothing.

In a home of its own and without this project's folder the wheel is installed by pipx, and `setup`
is run on a copy of each folder of posts. As soon as words can be searched, while texts are still
embedded, a real client starts the entry that was written and asks for a post by the words of its
file's name; when all is done, it asks the question that `setup` named.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.provenance import describe_machine, read_commit
from tests.clients.run import INSTALLED, MISSING, SDK, Way, report
from tests.support.paths import ROOT

CLIENT = Way(SDK, "stdio")
WORDS_NOW = "can be searched by words now"
QUESTION = re.compile(r"for instance: (What does my blog say about .*\?)$")
_DATE = re.compile(r"^\d{4}-\d{1,2}-\d{1,2}-")


@dataclass(frozen=True, slots=True)
class Minute:
    """Seconds since `setup` began, but for the answers, which begin with the client's start."""

    blog: str
    entry: str
    words: float
    first_answer: float
    is_right: bool
    """Whether the first answer's best hit is the post whose file was named."""
    all_done: float
    last_answer: float
    question: str
    hit: str
    """Of the question: the source of the best post."""


def main() -> int:
    """Print the table; return 1 where something that this needs is missing."""
    folders = [Path(folder) for folder in sys.argv[1:]]
    pipx = shutil.which("pipx")
    if not INSTALLED or not pipx or not folders:
        missing = f"{MISSING}." if not INSTALLED else "pipx is not on the path."
        sys.stderr.write(f"{missing if folders else __doc__}\n")
        return 1
    with tempfile.TemporaryDirectory() as work:
        home = Path(work, "home")
        (home / ".cursor").mkdir(parents=True)
        installed = install(pipx, home, Path(work))
        say(f"{read_commit()}\n{describe_machine()}\npipx install: {installed:.1f} s\n")
        say("| blog | entry | words | first answer | right | all | answer | question | hit |")
        say("|---|---|--:|--:|---|--:|--:|---|---|")
        for folder in folders:
            each = live_through(folder, home)
            say(
                f"| {each.blog} | {each.entry} | {each.words:.1f} | {each.first_answer:.1f} "
                f"| {'yes' if each.is_right else 'no'} | {each.all_done:.1f} "
                f"| {each.last_answer:.1f} | {each.question} | {each.hit} |"
            )
    return 0


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def install(pipx: str, home: Path, work: Path) -> float:
    """Build the wheel and install it into this home; return the seconds of the installation."""
    options = ("--quiet", "--no-deps", "--wheel-dir", str(work))
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, str(ROOT)], check=True)
    [wheel] = work.glob("*.whl")
    started = time.perf_counter()
    subprocess.run(
        [pipx, "install", "--python", sys.executable, str(wheel)],
        env=at_home(home),
        check=True,
        capture_output=True,
    )
    return time.perf_counter() - started


def at_home(home: Path) -> dict[str, str]:
    """Return an environment with this home and nothing else of the caller's settings."""
    return {"HOME": str(home), "PATH": os.defpath}


def live_through(folder: Path, home: Path) -> Minute:
    """Set one blog up, asking as soon as that can be answered."""
    blog = folder.parent.name if folder.name == "posts" else folder.name
    posts = home / blog / "posts"
    shutil.copytree(folder, posts)
    program = home / ".local/bin/blog-search-mcp"
    started = time.perf_counter()
    with subprocess.Popen(
        [program, "setup", posts, "--client", "cursor"],
        env=at_home(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    ) as setup:
        assert setup.stdout is not None
        said = []
        for line in setup.stdout:
            said.append(line)
            if WORDS_NOW in line:
                words = time.perf_counter() - started
                name, connection = find_entry(home, posts)
                named, query = name_post(posts)
                first_answer, first = ask(connection, query)
    all_done = time.perf_counter() - started
    assert setup.returncode == 0, "".join(said)
    [question] = (found[1] for line in said if (found := QUESTION.search(line)))
    last_answer, last = ask(connection, question)
    is_right = first["hit"]["source"] == named
    hit = last["hit"]["source"]
    return Minute(blog, name, words, first_answer, is_right, all_done, last_answer, question, hit)


def find_entry(home: Path, posts: Path) -> tuple[str, dict[str, Any]]:
    """Return the name and the connection of the entry whose server watches these posts."""
    entries = json.loads((home / ".cursor/mcp.json").read_text("utf-8"))["mcpServers"]
    [found] = ((name, each) for name, each in entries.items() if str(posts) in each["args"])
    return found


def name_post(posts: Path) -> tuple[str, str]:
    """Choose the post of the longest file name; return its source and the name's words."""
    files = [file for file in posts.rglob("*") if file.suffix in (".md", ".mdx")]
    chosen = max(sorted(files), key=lambda file: len(file.stem))
    words = re.sub(r"[-_]+", " ", _DATE.sub("", chosen.stem))
    return chosen.relative_to(posts).as_posix(), words


def ask(connection: dict[str, Any], query: str) -> tuple[float, dict[str, Any]]:
    """Search and read by a client that starts the server; return the seconds and its report."""
    started = time.perf_counter()
    said = report(CLIENT, connection, {"query": query})
    return time.perf_counter() - started, said


if __name__ == "__main__":
    sys.exit(main())
