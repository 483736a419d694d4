"""Other projects' MCP clients list and call both tools of the real server, over stdio and HTTP.

They run where `make clients` has installed them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from blog_search_mcp.index.commands import start_words
from tests.clients.inspector import strict, surface_of
from tests.clients.run import (
    ERAS,
    HERE,
    INSTALLED,
    MISSING,
    WAYS,
    Connection,
    Transport,
    Way,
    report,
)
from tests.support.served import POSTS, indexed, served

SOUP = "# Onion soup\n\nBoil an onion in water and add salt."

real = pytest.mark.skipif(not INSTALLED, reason=MISSING)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return indexed(tmp_path_factory.mktemp("blog"), POSTS)


@pytest.fixture(scope="module")
def connections(index: Path) -> Iterator[dict[Transport, Connection]]:
    stdio = {
        "command": start_words()[0],
        "args": ["--index", str(index)],
    }
    with served(index) as url:
        yield {"stdio": stdio, "HTTP": {"url": url}}


def _name(way: Way) -> str:
    return " ".join(filter(None, (way.client, way.transport, way.era)))


@real
@pytest.mark.parametrize("way", WAYS, ids=_name)
def test_a_client_lists_both_tools_and_calls_them(
    way: Way, connections: dict[Transport, Connection]
) -> None:
    said = report(way, connections[way.transport])
    assert said["tools"] == ["search_blog", "read_chunk"]
    assert said["hit"] == {"source": "soup.md", "chunk_index": 0}
    assert said["text"] == SOUP


@real
@pytest.mark.parametrize("era", ERAS)
def test_inspector_finds_nothing_wrong_with_any_part_of_the_surface(
    era: str, connections: dict[Transport, Connection]
) -> None:
    surface = surface_of(connections["stdio"], era)
    assert (surface.complaints, surface.text) == ("", SOUP)
    assert surface.counts == {"tools": 2, "resources": 3, "resourceTemplates": 2, "prompts": 3}


@real
@pytest.mark.parametrize("era", ERAS)
def test_inspector_finds_nothing_wrong_with_the_tools_over_http(
    era: str, connections: dict[Transport, Connection]
) -> None:
    tools, complaints = strict(connections["HTTP"], era)
    assert (tools, complaints) == (["search_blog", "read_chunk"], "")


@real
@pytest.mark.parametrize("era", ERAS)
def test_inspector_finds_nothing_wrong_with_the_extended_tools(era: str, index: Path) -> None:
    arguments = ["--index", str(index), "--toolset", "extended"]
    extended = {"command": start_words()[0], "args": arguments}
    tools, complaints = strict(extended, era)
    assert tools == ["search_blog", "read_chunk", "list_posts", "get_outline"]
    assert complaints == ""


def test_every_client_is_pinned_and_no_address_is_written_down() -> None:
    packages = json.loads((HERE / "package.json").read_text(encoding="utf-8"))["dependencies"]
    pins = (HERE / "requirements.txt").read_text(encoding="utf-8").splitlines()
    exact = re.compile(r"[A-Za-z0-9_.-]+==[0-9][0-9A-Za-z.]*( ; sys_platform == 'linux')?")
    assert [pin for pin in pins if not pin.startswith("#") and not exact.fullmatch(pin)] == []
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in packages.values())
    lock = json.loads((HERE / "package-lock.json").read_text(encoding="utf-8"))
    assert [name for name, entry in lock["packages"].items() if "resolved" in entry] == []
    assert lock["packages"][""]["dependencies"] == packages
