"""The registry's entry and the image: both name what the project has, and run it."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

from blog_search_mcp.server import VERSION
from tests.support.front import served
from tests.support.paths import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SAID: dict[str, Any] = json.loads((ROOT / "tools/registry/server.json").read_text(encoding="utf-8"))
OPERATING = (ROOT / "docs/operating.md").read_text(encoding="utf-8")
DOCKERFILE = (ROOT / "tools/docker/Dockerfile").read_text(encoding="utf-8")
IGNORED = (ROOT / "tools/docker/Dockerfile.dockerignore").read_text(encoding="utf-8")


def test_the_registry_is_told_the_projects_own_name_version_and_description() -> None:
    [package] = SAID["packages"]
    assert (SAID["version"], package["version"]) == (VERSION, VERSION)
    assert package["identifier"] == SAID["name"].partition("/")[2] == PROJECT["name"]
    assert SAID["description"] == PROJECT["description"]


def test_the_readme_carries_the_mark_by_which_the_registry_knows_the_owner() -> None:
    assert re.findall(r"<!-- mcp-name: (\S+) -->", README) == [SAID["name"]]


def test_the_registry_names_an_option_and_a_variable_that_the_server_reads() -> None:
    [package] = SAID["packages"]
    [option] = package["packageArguments"]
    [variable] = package["environmentVariables"]
    settings, _, _ = served(option["name"], "/posts", env={variable["name"]: "box:1"})
    assert (settings.watch, settings.embedder_url) == (Path("/posts"), "box:1")


def instructions(name: str) -> list[str]:
    return re.findall(rf"^{name} (.+)$", DOCKERFILE, re.MULTILINE)


def test_everything_the_image_copies_is_there_and_let_through() -> None:
    copied = [
        word for line in instructions("COPY") if "--from" not in line for word in line.split()
    ]
    sources = {word for word in copied if word != "./"}
    assert {name: (ROOT / name).exists() for name in sources} == dict.fromkeys(sources, True)
    let_through = {line[1:] for line in IGNORED.splitlines() if line.startswith("!")}
    assert let_through == sources
    assert IGNORED.splitlines()[0] == "*"


def test_the_image_serves_over_stdio_by_our_console_script_and_not_as_root() -> None:
    [entry] = instructions("ENTRYPOINT")
    assert json.loads(entry) == list(PROJECT["scripts"])
    [user] = instructions("USER")
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", user)


def test_the_docs_and_the_dockerfile_name_the_same_commands() -> None:
    commands = re.findall(r"docker (?:build|run) .+", DOCKERFILE)
    assert [command for command in commands if command not in OPERATING.splitlines()] == []
    assert len(commands) == 2
