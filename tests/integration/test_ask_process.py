"""`blog-search-mcp ask` as a shell meets it: a process of its own, over a real index."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.paths import ROOT
from tests.support.python import run_python
from tests.support.served import POSTS, indexed

if TYPE_CHECKING:
    from pathlib import Path

SERVER = [sys.executable, "-P", "-m", "blog_search_mcp"]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return indexed(tmp_path_factory.mktemp("blog"), POSTS)


def ask(question: str, index: Path, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return run_python(*SERVER[1:], "ask", question, "--index", index, cwd=cwd)


@pytest.mark.skipif(os.name == "nt", reason="there, a pipe that nobody reads is no error")
def test_ask_may_be_read_in_part(index: Path) -> None:
    command = [*SERVER, "ask", "what is a KV cache?", "--index", str(index)]
    asking = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)
    assert asking.stdout is not None
    assert asking.stdout.read(11) == b"Confidence:"
    asking.stdout.close()
    assert asking.wait(60) == 0


def test_ask_prints_the_hits_and_the_best_one_s_text(index: Path) -> None:
    asked = ask("what is a KV cache?", index)
    assert asked.returncode == 0, asked.stderr
    confidence, first, place = asked.stdout.splitlines()[:3]
    assert confidence in {"Confidence: high", "Confidence: medium"}
    assert first.startswith("1. What is a KV cache?")
    assert "inference/kv.md chunk 0" in place
    text = "A KV cache keeps the keys and values of earlier tokens, so that each new token\ncosts"
    assert text in asked.stdout
    assert "chunk: 1 of 1" in asked.stdout


def test_ask_is_not_misled_by_another_module_of_this_name(index: Path, tmp_path: Path) -> None:
    (tmp_path / "blog_search_mcp.py").write_text(
        "raise SystemExit('wrong server')", encoding="utf-8"
    )
    asked = ask("onion soup", index, cwd=tmp_path)
    assert (asked.returncode, asked.stderr) == (0, "")
    assert "\n1. Onion soup" in asked.stdout


def test_ask_says_what_is_missing_and_fails(tmp_path: Path) -> None:
    asked = ask("onion soup", tmp_path / "none")
    assert (asked.returncode, asked.stdout) == (1, "")
    assert f"blog-search-mcp ingest CONTENT --index {tmp_path / 'none'}`." in asked.stderr
    assert len(asked.stderr.splitlines()) == 1
