"""`blog-search-mcp ask` as a shell meets it: a process of its own, over a real index."""

from __future__ import annotations

import time
from pathlib import Path

from tests.support.front import Blog
from tests.support.ollama_standin import Answer, OllamaStandIn, running
from tests.support.python import run_python
from tests.support.served import POSTS, SOUP, indexed


def test_the_hits_and_the_best_one_s_text_are_printed_whatever_lies_in_the_folder(
    tmp_path: Path,
) -> None:
    (tmp_path / "blog_search_mcp.py").write_text("raise SystemExit('wrong')", encoding="utf-8")
    words = ("ask", "what is a KV cache?", "--index", indexed(tmp_path, POSTS))
    asked = run_python("-P", "-m", "blog_search_mcp", *words, cwd=tmp_path)
    assert (asked.returncode, asked.stderr) == (0, "")
    confidence, first = asked.stdout.splitlines()[:2]
    assert confidence == "Confidence: normal"
    assert first.startswith("1. inference/kv.md #0 ")
    assert "What is a KV cache?" in first
    text = "A KV cache keeps the keys and values of earlier tokens, so that each new token\ncosts"
    assert text in asked.stdout
    assert "chunk_index: 0" in asked.stdout


def test_a_question_waits_for_the_model_to_be_loaded(tmp_path: Path) -> None:
    def load(_server: OllamaStandIn, answer: Answer) -> Answer:
        time.sleep(0.6)
        return answer

    blog = Blog(tmp_path / "content", tmp_path / "index")
    blog.write({"soup.md": SOUP})
    with running() as ollama:
        place = ("--embedder-url", ollama.host)
        assert blog.ingest("--embedder", "ollama", *place).status == 0
        ollama.on_text["onion"] = load
        asked = blog.command("ask", "onion soup", *place)
    assert "soup.md" in asked.out
    assert "Keyword matches only" not in asked.out
