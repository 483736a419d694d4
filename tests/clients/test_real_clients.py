"""Other projects' MCP clients list and call both tools of the real server, over stdio and HTTP.

They run where `make clients` has installed them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from blog_search_mcp.index.invocation import start_words
from tests.clients.run import CLIENTS, ERAS, HERE, INSTALLED, MISSING, Connection, inspect, report
from tests.support.served import POSTS, indexed, served

SOUP = "# Onion soup\n\nBoil an onion in water and add salt."
CORE = ["search_blog", "read_chunk"]
real = pytest.mark.skipif(not INSTALLED, reason=MISSING)


@pytest.fixture(scope="module")
def connections(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Connection]]:
    """A server by each transport, and one with the extended tools."""
    index = indexed(tmp_path_factory.mktemp("blog"), POSTS)
    stdio = {"command": start_words()[0], "args": ["--index", str(index)]}
    extended = {**stdio, "args": [*stdio["args"], "--toolset", "extended"]}
    with served(index) as url:
        yield {"stdio": stdio, "HTTP": {"url": url}, "extended": extended}


@real
@pytest.mark.parametrize("transport", ["stdio", "HTTP"])
@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_lists_both_tools_and_calls_them(
    client: str, transport: str, connections: dict[str, Connection]
) -> None:
    said = report(client, connections[transport])
    hit = {"source": "soup.md", "chunk_index": 0}
    assert (said["tools"], said["hit"], said["text"]) == (CORE, hit, SOUP)


@real
@pytest.mark.parametrize("era", ERAS)
def test_inspector_finds_nothing_wrong_with_any_part_of_the_surface(
    era: str, connections: dict[str, Connection]
) -> None:
    stdio = connections["stdio"]
    prompt = ("--prompt-name", "answer_from_blog", "--prompt-args", "question=How?")
    listed = {"resources": 2, "resources/templates": 1, "prompts": 2}
    for name, count in listed.items():
        [entries] = [
            entries
            for entries in inspect(stdio, era, f"{name}/list", "--quiet")[0].values()
            if isinstance(entries, list)
        ]
        assert len(entries) == count, name
    inspect(stdio, era, "resources/read", "--quiet", "--uri", "blog://post/soup.md")
    inspect(stdio, era, "prompts/get", "--quiet", *prompt)
    search = ("--tool-name", "search_blog", "--tool-arg", "query=onion soup")
    answer, _ = inspect(stdio, era, "tools/call", "--quiet", *search)
    [block] = answer["content"]
    assert "structuredContent" not in answer
    assert re.match(r"1\. soup\.md #0 ", block["text"].split("\n\n")[1])


@real
@pytest.mark.parametrize("server", ["stdio", "HTTP", "extended"])
@pytest.mark.parametrize("era", ERAS)
def test_inspector_finds_nothing_wrong_with_the_tools(
    era: str, server: str, connections: dict[str, Connection]
) -> None:
    listed, complaints = inspect(connections[server], era, "tools/list", "--strict")
    more = ["list_posts", "get_outline"] if server == "extended" else []
    assert ([tool["name"] for tool in listed["tools"]], complaints) == (CORE + more, "")


def test_every_client_is_pinned_and_no_address_is_written_down() -> None:
    packages = json.loads((HERE / "package.json").read_text(encoding="utf-8"))["dependencies"]
    pins = (HERE / "requirements.txt").read_text(encoding="utf-8").splitlines()
    exact = re.compile(r"[A-Za-z0-9_.-]+==[0-9][0-9A-Za-z.]*( ; sys_platform == 'linux')?")
    assert [pin for pin in pins if not pin.startswith("#") and not exact.fullmatch(pin)] == []
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in packages.values())
    lock = json.loads((HERE / "package-lock.json").read_text(encoding="utf-8"))
    assert [name for name, entry in lock["packages"].items() if "resolved" in entry] == []
    assert lock["packages"][""]["dependencies"] == packages
