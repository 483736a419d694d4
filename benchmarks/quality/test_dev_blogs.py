import json
import re
import sys
from pathlib import Path

import pytest

from benchmarks.quality import dev_blogs

DOCUMENT = "# Quality\n\n<!-- measured -->\n\nold\n\n<!-- /measured -->\n\nthe end\n"


@pytest.fixture
def corpora(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two blogs, questions for one, and a judged collection."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    posts = {
        "cats": {"Purring": "The cat purrs at 25 hertz.", "Feeding a cat": "Feed it `kibble`."},
        "dogs": {"Barking": "The dog barks at night.", "How to walk a dog": "Walk it twice."},
    }
    for blog, texts in posts.items():
        folder = tmp_path / "corpora" / blog / "posts"
        folder.mkdir(parents=True)
        for number, (title, body) in enumerate(texts.items()):
            (folder / f"{number}.md").write_text(f"# {title}\n\n{body}\n\n## On {title}\n\nMore.\n")
    (tmp_path / "questions").mkdir()
    asked = {"query": "how fast do they purr?", "source": "0.md", "evidence": "at 25 hertz"}
    (tmp_path / "questions" / "cats.jsonl").write_text(json.dumps(asked))
    (tmp_path / "questions" / "cats.absent.jsonl").write_text('{"query": "training a parrot"}')
    judged = tmp_path / "corpora" / "ir" / "birds"
    judged.mkdir(parents=True)
    (judged / "corpus.jsonl").write_text(
        '{"id": "1", "title": "Wren", "text": "A small bird."}\n'
        '{"id": "2", "title": "Train", "text": "It runs on rails."}\n'
    )
    (judged / "queries.jsonl").write_text('{"id": "1", "text": "small birds"}')
    (judged / "qrels.tsv").write_text("query-id\tdoc-id\trelevance\n1\t1\t1\n")
    return tmp_path


def test_one_command_measures_blogs_and_collections_and_writes_the_document(
    corpora: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    document = corpora / "quality.md"
    document.write_text(DOCUMENT)
    places = [str(corpora / "corpora"), "--questions", str(corpora / "questions")]
    monkeypatch.setattr(sys, "argv", ["dev_blogs", *places, "--write", str(document)])
    assert dev_blogs.main() == 0
    said = capsys.readouterr().out
    written = document.read_text()
    assert written == DOCUMENT.replace("old\n", said)
    assert "python -m benchmarks.quality.dev_blogs CORPORA --questions QUESTIONS\n" in said
    assert "| birds | embedded all-MiniLM-L6-v2 | 1 | 1.000 |" in said
    assert "**cats: 2 posts, " in said
    assert "| question | 1 | 1.000 | 1.000 | 1.000 | 1.000 | 1.000 |" in said
    assert re.search(r"\| dogs \| – \| \.\d+ of 30, ", said)
