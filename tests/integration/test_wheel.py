"""What is installed: a wheel, beside other distributions."""

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


MOST_BYTES = 95_000_000
"""PyPI takes files of 100 MB."""


def test_the_wheel_holds_one_package_with_its_types_models_licences_and_page(built: Path) -> None:
    assert built.stat().st_size < MOST_BYTES
    names = set(zipfile.ZipFile(built).namelist())
    package, about = "blog_search_mcp", f"blog_search_mcp-{__version__}.dist-info"
    assert {name.partition("/")[0] for name in names} == {package, about}
    models = "index/embedders/models"
    held = [f"{package}/{models}/README.md", f"{about}/licenses/LICENSE"]
    for model in ("all-MiniLM-L6-v2", "multilingual-e5-small"):
        held.append(f"{package}/{models}/{model}/model.onnx")
        held.append(f"{about}/licenses/{models}/{model}/LICENSE")
    held += [f"{package}/{name}" for name in ("py.typed", "ingest/__main__.py")]
    assert {*held, f"{package}/server/http/page/index.html"} <= names


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
