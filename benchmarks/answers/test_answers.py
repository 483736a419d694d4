import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.answers.__main__ import main

CONTENT = Path(__file__).parents[2] / "content" / "llm"


@pytest.fixture
def written(tmp_path: Path) -> Path:
    folder = tmp_path / "answers"
    posts = folder / "blogs" / "sample" / "posts"
    (posts / "llm").mkdir(parents=True)
    for name in ("kv-cache-intro.md", "what-is-a-kv-cache.md"):
        shutil.copy(CONTENT / name, posts / "llm")
    (posts / "empty.md").write_text("---\ntitle: Empty\n---\n")
    question = {"query": "what does a cache keep?", "source": "llm/what-is-a-kv-cache.md"}
    (folder / "sample.jsonl").write_text(json.dumps(question))
    places = ["--blogs", folder / "blogs", "--questions", folder, "--work", folder / "work"]
    file = folder / "answers.json"
    assert main([str(each) for each in ("write", Path(sys.executable).parent, file, *places)]) == 0
    return file


def keep(_: Any) -> None:
    """The same answers."""


def score_otherwise(blog: Any) -> None:
    blog["queries"][0]["hits"][0][2] += 0.001


def move_a_post(blog: Any) -> None:
    blog["posts"]["llm/kv-cache-intro.md"][0] += "other/"


def invent_an_address(blog: Any) -> None:
    blog["posts"]["invented.md"] = ["https://blog.example/invented/", "Invented", None, [], []]


def find_no_title(blog: Any) -> None:
    for query in blog["queries"]:
        query["hits"] = query["hits"] if query["kind"] != "title" else []


CHANGES = [
    (keep, 0, 0),
    (score_otherwise, 1, 0),
    (move_a_post, 1, 1),
    (invent_an_address, 1, 1),
    (find_no_title, 1, 1),
]
"""Each with whether answers differ then, and whether any is worse."""


@pytest.mark.slow  # an ingest and three servers
def test_answers_are_compared_with_those_before(written: Path, tmp_path: Path) -> None:
    text = written.read_text(encoding="utf-8")
    assert {query["kind"] for query in json.loads(text)["sample"]["queries"]} >= {
        "question",
        "title",
        "link",
    }
    for change, differs, is_worse in CHANGES:
        answers = json.loads(text)
        change(answers["sample"])
        changed = tmp_path / "changed.json"
        changed.write_text(json.dumps(answers), encoding="utf-8")
        files = [str(written), str(changed)]
        assert main(["compare", *files, "--show", "1"]) == differs, change
        assert main(["compare", *files, "--ranks"]) == is_worse, change
