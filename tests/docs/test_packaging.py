"""The registry's entry and the image: both name what the project has, and run it."""

import json
import re
import tomllib
from pathlib import Path
from typing import Any

from blog_search_mcp import __version__
from tests.support.front import served
from tests.support.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
SAID: dict[str, Any] = json.loads((ROOT / "tools/registry/server.json").read_text(encoding="utf-8"))
DOCKERFILE = (ROOT / "tools/docker/Dockerfile").read_text(encoding="utf-8")
IGNORED = (ROOT / "tools/docker/Dockerfile.dockerignore").read_text(encoding="utf-8")


def test_the_registry_is_told_what_the_project_is_and_takes() -> None:
    [package] = SAID["packages"]
    assert (SAID["version"], package["version"]) == (__version__, __version__)
    assert package["identifier"] == SAID["name"].partition("/")[2] == PROJECT["name"]
    assert SAID["description"] == PROJECT["description"]
    [option] = package["packageArguments"]
    [variable] = package["environmentVariables"]
    settings, _ = served(option["name"], "/posts", env={variable["name"]: "box:1"})
    assert (settings.watch, settings.embedder_url) == (Path("/posts"), "box:1")


def instructions(name: str) -> list[str]:
    return re.findall(rf"^{name} (.+)$", DOCKERFILE, re.MULTILINE)


def test_the_image_copies_what_is_there_and_serves_by_our_script_and_not_as_root() -> None:
    copied = (line.split() for line in instructions("COPY") if "--from" not in line)
    sources = {word for words in copied for word in words if word != "./"}
    assert [name for name in sources if not (ROOT / name).exists()] == []
    assert {line[1:] for line in IGNORED.splitlines() if line.startswith("!")} == sources
    [entry], [user] = instructions("ENTRYPOINT"), instructions("USER")
    assert json.loads(entry) == list(PROJECT["scripts"])
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", user)


def test_the_conformance_suite_is_pinned_without_an_address() -> None:
    folder = ROOT / "tests/conformance"
    asked = json.loads((folder / "package.json").read_text("utf-8"))["dependencies"]
    locked = (folder / "package-lock.json").read_text("utf-8")
    packages = json.loads(locked)["packages"]
    assert {name: packages[f"node_modules/{name}"]["version"] for name in asked} == asked
    assert "resolved" not in locked
