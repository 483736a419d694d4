from __future__ import annotations

import os
import shlex
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from blog_search_mcp.index.commands import command
from blog_search_mcp.server.cli.doctor.results import CheckResult, as_lines, exit_status
from blog_search_mcp.server.cli.doctor.run import run_checks
from blog_search_mcp.server.cli.install.clients import Machine
from blog_search_mcp.server.settings import Settings
from tests.support.python import run_python

if TYPE_CHECKING:
    from tests.support.blog import MakeBlog

NOW = datetime.now(UTC)
SOUP = "# Soup\n\nBoil an onion.\n"
FINE = CheckResult("index", "ok", "It is there.")
SLOW = CheckResult("Ollama", "warning", "It is old.", "ollama --update")
GONE = CheckResult("posts", "problem", "They are gone.", "blog-search-mcp ingest posts")


def test_a_result_is_a_line_and_its_remedy_the_next() -> None:
    assert as_lines([FINE, SLOW, GONE]) == [
        "ok       index   It is there.",
        "warning  Ollama  It is old.",
        "                 → ollama --update",
        "problem  posts   They are gone.",
        "                 → blog-search-mcp ingest posts",
        "1 problem, 1 warning.",
    ]
    assert as_lines([FINE])[-1] == "All is well."


@pytest.mark.parametrize(
    ("results", "status"), [([], 0), ([FINE], 0), ([FINE, SLOW], 0), ([GONE, FINE], 1)]
)
def test_only_a_problem_is_a_failure(results: list[CheckResult], status: int) -> None:
    assert exit_status(results) == status


def test_a_command_can_be_pasted_whatever_the_folder_is_called() -> None:
    words = shlex.split(command("ingest", "my posts", "--index", "it's"))
    assert Path(words[0]).name == "blog-search-mcp"
    assert words[1:] == ["ingest", "my posts", "--index", "it's"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home" / ".cursor").mkdir(parents=True)
    return tmp_path / "home"


def test_the_checks_go_from_the_index_to_the_clients(blog: MakeBlog, home: Path) -> None:
    made = blog({"soup.md": SOUP})
    found = run_checks(Settings(made.index, ""), Machine(home, home, "linux", {}), NOW)
    subjects = [each.subject for each in found]
    assert subjects == ["index", "posts", "Ollama", "tools", "clients"]


def test_a_warning_or_problem_has_a_remedy_and_nothing_else_has(blog: MakeBlog, home: Path) -> None:
    made = blog({"soup.md": SOUP})
    made.content.rename(made.content.with_name("moved"))
    found = run_checks(Settings(made.index, "ftp://box"), Machine(home, home, "linux", {}), NOW)
    assert len([each for each in found if each.remedy]) == 3
    assert [each.state != "ok" for each in found] == [each.remedy is not None for each in found]


def run_doctor(home: Path, *start: str) -> subprocess.CompletedProcess[str]:
    homes = dict.fromkeys(("HOME", "USERPROFILE", "XDG_CONFIG_HOME"), str(home))
    arguments = ("doctor", "--index", home / "none")
    return run_python(*start, *arguments, env=os.environ | homes)


def test_the_command_fails_without_an_index(home: Path) -> None:
    ran = run_doctor(home, "-m", "blog_search_mcp")
    assert (ran.returncode, ran.stderr) == (1, "")
    assert ran.stdout.split()[:2] == ["problem", "index"]


def test_a_folder_whose_name_is_not_utf8_is_reported(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    folder.mkdir()
    homes = dict.fromkeys(("HOME", "USERPROFILE", "XDG_CONFIG_HOME"), str(folder))
    doctor = ("-m", "blog_search_mcp", "doctor")
    ran = run_python(*doctor, cwd=folder, env=os.environ | homes)
    assert (ran.returncode, ran.stderr) == (1, "")
    assert "caf\\udce9" in ran.stdout
