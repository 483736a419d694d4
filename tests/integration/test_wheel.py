"""What is installed: a wheel, beside other distributions."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from blog_search_mcp import __version__
from tests.support.paths import ROOT


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel."""
    folder = tmp_path_factory.mktemp("dist")
    run("-m", "hatchling", "build", "-t", "wheel", "-d", str(folder), cwd=ROOT)
    [wheel] = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make an environment that sees the packages ours needs, and nothing of ours."""
    folder = tmp_path_factory.mktemp("venv")
    venv.create(folder, with_pip=False, symlinks=os.name != "nt")
    [site] = folder.glob("lib/python*/site-packages") or folder.glob("Lib/site-packages")
    needed = Path(pytest.__file__).parents[1]
    (site / "needed.pth").write_text(f"{needed}\n", encoding="utf-8")
    return folder / ("Scripts" if os.name == "nt" else "bin")


def run(*arguments: str, cwd: Path | None = None, program: Path | None = None) -> str:
    """Run Python, or `program`, without this repository on its path; return its output."""
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [str(program or sys.executable), *arguments]
    done = subprocess.run(command, cwd=cwd, env=clean, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_holds_one_package_with_its_types_model_and_page(built: Path) -> None:
    names = zipfile.ZipFile(built).namelist()
    assert {name.partition("/")[0] for name in names} == {
        "blog_search_mcp",
        f"blog_search_mcp-{__version__}.dist-info",
    }
    assert {
        "blog_search_mcp/py.typed",
        "blog_search_mcp/index/embedders/models/all-MiniLM-L6-v2/model.onnx",
        "blog_search_mcp/index/embedders/models/multilingual-e5-small/model.onnx",
        "blog_search_mcp/server/http/page/index.html",
        "blog_search_mcp/ingest/__main__.py",
    } <= set(names)


MOST_BYTES = 95_000_000
"""PyPI takes files of 100 MB."""

LICENSED = ("all-MiniLM-L6-v2", "multilingual-e5-small")


def test_each_model_in_the_wheel_comes_with_its_licence_and_fits(built: Path) -> None:
    assert built.stat().st_size < MOST_BYTES
    names = set(zipfile.ZipFile(built).namelist())
    notices = f"blog_search_mcp-{__version__}.dist-info/licenses"
    assert f"{notices}/LICENSE" in names
    assert "blog_search_mcp/index/embedders/models/README.md" in names
    for model in LICENSED:
        assert f"{notices}/index/embedders/models/{model}/LICENSE" in names


def test_what_is_installed_ingests_and_explains_itself(
    built: Path, environment: Path, tmp_path: Path
) -> None:
    python = ("--python", str(environment / "python"))
    run("-m", "pip", *python, "install", "-q", "--no-deps", "--no-index", str(built))
    program = environment / "blog-search-mcp"
    assert run("--help", cwd=tmp_path, program=program).startswith("Usage: blog-search-mcp")
    (tmp_path / "posts").mkdir()
    (tmp_path / "posts" / "soup.md").write_text("# Soup\n\nOnion soup.\n", encoding="utf-8")
    words = ("ingest", "posts", "--embedder", "embedded", "--json")
    assert json.loads(run(*words, cwd=tmp_path, program=program))["posts"] == 1
