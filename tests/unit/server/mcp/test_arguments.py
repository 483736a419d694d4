"""The arguments of every tool: what is listed, what is taken, what is refused."""

from typing import Any

import pytest
from mcp.types import ListToolsResult

from blog_search_mcp.server.mcp.server import CORE, TOOLSETS, describe_tool
from tests.support.front import Blog, made

OLD, NEW = "old.md", "sea/new.md"
POSTS = {
    OLD: "---\ndate: 2024-02-29\ntags: [ice]\n---\n# Old\n\nA walrus rests on the ice.\n",
    NEW: "---\ndate: 2025-01-01\ntags: [sea ice]\n---\n# New\n\nA walrus rests on the ice again.\n",
}
TOOLS_LIST_BYTES = 2_500
TOOLS = {tool.name: tool for tool in (*TOOLSETS["extended"], *TOOLSETS["author"])}
ENOUGH: dict[str, dict[str, Any]] = {
    "search_blog": {"query": "walrus"},
    "read_chunk": {"source": "old.md"},
    "list_posts": {},
    "get_outline": {"source": "old.md"},
    "find_similar": {"source": "old.md"},
    "suggest_links": {"source": "old.md"},
}


@pytest.fixture(scope="module")
def blog(tmp_path_factory: pytest.TempPathFactory) -> Blog:
    return made(tmp_path_factory.mktemp("blog"), POSTS)


def test_both_tools_together_stay_small() -> None:
    listed = ListToolsResult(tools=[describe_tool(tool) for tool in CORE])
    sent = listed.model_dump_json(by_alias=True, exclude_none=True)
    assert len(sent.encode()) < TOOLS_LIST_BYTES


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_is_listed_with_a_plain_schema_that_is_enforced(name: str) -> None:
    tool, enough = TOOLS[name], ENOUGH[name]
    listed = describe_tool(tool)
    facts = listed.input_schema["properties"]
    assert listed.description
    assert listed.annotations is not None
    assert listed.annotations.read_only_hint
    assert listed.input_schema["additionalProperties"] is False
    assert set(listed.input_schema.get("required", [])) <= set(enough)
    defaults = {each: facts[each]["default"] for each in facts if "default" in facts[each]}
    assert tool.parse({**enough, **defaults}) == tool.parse(enough)
    for each, schema in facts.items():
        assert not {"title", "anyOf"} & set(schema)
        if schema["type"] == "integer":
            least, most = schema["minimum"], schema["maximum"]
            for asked, taken in (
                (least, least),
                (most, most),
                (least - 1, least),
                (most + 9, most),
            ):
                assert getattr(tool.parse({**enough, each: asked}), each) == taken


@pytest.mark.parametrize(
    ("given", "sources"),
    [
        ({"top_k": 1.0, "tag": None, "offset": None, "before": "2024"}, {OLD}),
        ({"query": "walrus \ud800 on ice"}, {OLD, NEW}),
        ({"section": "/sea/"}, {NEW}),
        ({"tag": " ICE "}, {OLD}),
        ({"after": "2025"}, {NEW}),
        ({"after": "2025-01-01T08:00:00Z"}, {NEW}),
        ({"before": "2024-02"}, {OLD}),
        ({"before": "2024-02-28"}, set()),
        ({"before": "2025-01-01", "after": "2024-02-29"}, {OLD, NEW}),
        ({"tag": "", "section": " \u3000", "after": "null", "before": "None"}, {OLD, NEW}),
        ({"tag": [None, "null"], "section": {}, "sort": "", "top_k": "undefined"}, {OLD, NEW}),
        ({"tag": '""', "section": "[]", "sort": "N/A"}, {OLD, NEW}),
        ({"top_k": "1", "offset": " 0 ", "sort": "newest"}, {NEW}),
        ({"top_k": ["1"], "before": 2024}, {OLD}),
        ({"tag": ["ice"], "offset": "0.0"}, {OLD}),
        ({"tag": ["Sea_ice", "fog"]}, {NEW}),
        ({"tags": "#ice, sea-ice", "sort": "Newest", "n_results": 9}, {OLD, NEW}),
        ({"labels": "SeaIce", "num_results": "500"}, {NEW}),
        ({"startDate": "2024/12/31", "folder": "Sea"}, {NEW}),
        ({"until": "March 2024", "maxResults": 3}, {OLD}),
        ({"query": "walrus tag:ice"}, {OLD}),
        ({"query": "Show me all posts tagged with #ice."}, {OLD}),
        ({"query": "posts with the tag ice"}, {OLD}),
        ({"query": "walrus folder:sea since:2025"}, {NEW}),
        ({"query": "category:ice until:2024"}, {OLD}),
        ({"before": "1 March 2024", "response_format": "JSON"}, {OLD}),
        ({"published_after": "20250101", "tag_filter": "sea-ice"}, {NEW}),
        ({"section": "*", "tag": "any", "before": "2024-02-29T10"}, {OLD}),
        ({"sort": "date", "per_page": 1}, {NEW}),
        ({"query": "which entries are labelled ice?"}, {OLD}),
        ({"query": "tag: ice"}, {OLD}),
        ({"query": "How does a walrus sort posts tagged ice"}, {OLD, NEW}),
        ({"query": "tag:ice OR tag:sea-ice"}, {OLD, NEW}),
        ({"query": "walrus date:2024"}, {OLD}),
    ],
)
def test_arguments_are_taken_as_they_are_meant(
    blog: Blog, given: dict[str, Any], sources: set[str]
) -> None:
    facts = blog.tool("search_blog", **{"query": "walrus on ice", **given}).facts
    assert {hit["source"] for hit in facts["results"]} == sources


@pytest.mark.parametrize("whole", ["true", "True", 1, "1", ["true"]])
def test_truth_is_taken_in_the_forms_that_clients_send(blog: Blog, whole: object) -> None:
    assert "A walrus rests" in blog.tool("read_chunk", input={"source": OLD, "whole": whole}).text


@pytest.mark.parametrize("tool", TOOLS)
def test_what_a_client_adds_fails_no_call_and_is_named(blog: Blog, tool: str) -> None:
    added = {"requestId": "r-1", "\ud800": {"a": [1]}, "limits": 9, "other": None}
    alone, reply = (blog.tool(tool, **ENOUGH[tool], **more) for more in ({}, added))
    assert not reply.is_error
    assert [word for word in ("'requestId'", "limits", "it takes") if word not in reply.text] == []
    if reply.facts:
        assert "'requestId'" in reply.facts["notice"]
        assert {**reply.facts, "notice": None} == {**alone.facts, "notice": None}
    else:
        assert reply.text.startswith(alone.text)
    assert "'other'" not in reply.text


@pytest.mark.parametrize(
    ("tool", "given", "named"),
    [
        ("search_blog", {"query": None}, ["query"]),
        ("search_blog", {"query": " \u3000"}, ["query", r"' \u3000'"]),
        ("search_blog", {"top_k": "five"}, ["top_k", "'five'"]),
        ("search_blog", {"section": {"a": 1}}, ["section", "{"]),
        ("search_blog", {"year": 2024}, ["'year'", "after"]),
        ("search_blog", {"top_k": "[" * 5000}, ["top_k", "[["]),
        ("search_blog", {"after": "01/02/2025"}, ["after", "YYYY-MM-DD", "'01/02/2025'"]),
        ("search_blog", {"after": "2025-02-30"}, ["after", "'2025-02-30'"]),
        ("search_blog", {"before": "２０２５"}, ["before", "'２０２５'"]),
        ("search_blog", {"response_format": "xml"}, ["'json'", "'markdown'", "'xml'"]),
        ("search_blog", {"query": None, "\ud800": 3, "que": "ice"}, ["query", "'que'", "top_k"]),
        ("search_blog", {"top_k": "x", "tag": True}, ["top_k", "x", "tag", "True"]),
        ("search_blog", {"query": "walrus -tag:ice"}, ["tag:"]),
        ("search_blog", {"without_author": "Al", "date_range": "2024"}, ["argument"]),
        ("read_chunk", {"whole": "perhaps"}, ["whole", "'perhaps'"]),
        ("list_posts", {"order": "best"}, ["order", "'newest'", "'best'"]),
        ("find_similar", {"text": "A draft."}, ["text", "source"]),
    ],
)
def test_a_fault_is_told_with_the_argument_the_rule_and_the_value(
    blog: Blog, tool: str, given: dict[str, Any], named: list[str]
) -> None:
    reply = blog.tool(tool, **{**ENOUGH[tool], **given})
    assert (reply.is_error, reply.facts) == (True, None)
    assert [word for word in named if word not in reply.text] == []
