"""What is installed: a wheel and a source distribution, beside other distributions."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from tests.support.paths import ROOT


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build both distributions."""
    folder = tmp_path_factory.mktemp("dist")
    run("-m", "hatchling", "build", "-d", str(folder), cwd=ROOT)
    return folder


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


def install(environment: Path, *wheels: Path) -> None:
    names = [str(wheel) for wheel in wheels]
    python = str(environment / "python")
    run("-m", "pip", "--python", python, "install", "-q", "--no-deps", "--no-index", *names)


def other_distribution(folder: Path) -> Path:
    """Make the wheel of a distribution that has a top-level package called `server`."""
    wheel = folder / "other-1.0-py3-none-any.whl"
    info = "other-1.0.dist-info"
    files = {
        "server/__init__.py": "OTHER = True\n",
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: other\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"])
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in {**files, f"{info}/RECORD": record}.items():
            archive.writestr(name, text)
    return wheel


def test_the_wheel_holds_one_package_with_its_types_model_and_page(built: Path) -> None:
    [wheel] = built.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0] for name in names} == {
        "blog_search_mcp",
        "blog_search_mcp-0.1.0.dist-info",
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


def test_each_model_in_the_wheel_comes_with_its_licence_and_both_fit(built: Path) -> None:
    [wheel], [source] = built.glob("*.whl"), built.glob("*.tar.gz")
    assert max(wheel.stat().st_size, source.stat().st_size) < MOST_BYTES
    names = set(zipfile.ZipFile(wheel).namelist())
    notices = "blog_search_mcp-0.1.0.dist-info/licenses"
    assert f"{notices}/LICENSE" in names
    for model in LICENSED:
        assert f"blog_search_mcp/index/embedders/models/{model}/README.md" in names
        assert f"{notices}/index/embedders/models/{model}/LICENSE" in names


def test_the_source_distribution_builds_the_same_wheel(built: Path, tmp_path: Path) -> None:
    [wheel], [source] = built.glob("*.whl"), built.glob("*.tar.gz")
    with tarfile.open(source) as archive:
        archive.extractall(tmp_path, filter="data")
    [unpacked] = tmp_path.iterdir()
    run("-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "dist"), cwd=unpacked)
    assert (tmp_path / "dist" / wheel.name).read_bytes() == wheel.read_bytes()


def test_a_distribution_with_a_server_package_comes_and_goes_beside_ours(
    built: Path, environment: Path, tmp_path: Path
) -> None:
    [wheel] = built.glob("*.whl")
    install(environment, wheel, other_distribution(tmp_path))
    program = "import server, blog_search_mcp.server as ours; print(server.OTHER, ours.NAME)"
    python = environment / "python"
    assert run("-c", program, cwd=tmp_path, program=python) == "True blog_mcp\n"
    run("-m", "pip", "--python", str(python), "uninstall", "-q", "-y", "other")
    assert run("--help", cwd=tmp_path, program=environment / "blog-search-mcp").startswith(
        "Usage: blog-search-mcp"
    )
    (tmp_path / "posts").mkdir()
    (tmp_path / "posts" / "soup.md").write_text("# Soup\n\nOnion soup.\n", encoding="utf-8")
    arguments = ("-m", "blog_search_mcp.ingest", "posts", "--embedder", "embedded", "--json")
    assert json.loads(run(*arguments, cwd=tmp_path, program=python))["posts"] == 1


@pytest.mark.parametrize(("module", "command"), [("ingest", "ingest"), ("server", "serve")])
def test_in_the_repository_a_folder_runs_by_its_own_name(module: str, command: str) -> None:
    helped = run("-m", module, "--help", cwd=ROOT)
    assert helped.startswith(f"Usage: blog-search-mcp {command}")
