"""`blog-search-mcp` as it is typed: what each option does or why it is refused, and its status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from blog_search_mcp.server.settings import Access, Address, Settings
from tests.support.front import Blog, command, made, served

POSTS = {
    "tea.md": "---\ntitle: Green tea\ndate: 2024-02-03\ntags: [tea]\n---\n"
    "Steep the leaves at eighty degrees.\n",
    "oat/milk.md": "---\ntitle: Oat milk\ndate: 2023-02-03\n---\nBlend oats with cold water.\n",
}
POSTS_OF_B = Path("/b/posts")
COMMANDS = (
    *("setup", "ingest", "serve", "search", "ask", "read", "list", "doctor"),
    *("install", "uninstall", "author"),
)
LOCAL = Address("127.0.0.1", 8765)


@pytest.fixture(scope="module")
def blog(tmp_path_factory: pytest.TempPathFactory) -> Blog:
    return made(tmp_path_factory.mktemp("blog"), POSTS)


@pytest.mark.parametrize(
    ("words", "environment", "settings", "address"),
    [
        ([], {}, Settings(Path.cwd() / ".blog-index"), None),
        (["serve"], {"BLOG_INDEX": "/a b"}, Settings(Path("/a b")), None),
        (["serve", "--index", "/c"], {"BLOG_INDEX": "/a"}, Settings(Path("/c")), None),
        (["--index", "/c", "--http"], {}, Settings(Path("/c")), LOCAL),
        (
            ["--watch", "/b/posts"],
            {},
            Settings(Path("/b/.blog-index"), watch=POSTS_OF_B),
            None,
        ),
        (
            ["serve", "--index=/c", "--toolset", "author", "--http", "[::1]:9"],
            {"OLLAMA_HOST": "box:1", "BLOG_USAGE_LOG": "/log"},
            Settings(Path("/c"), "box:1", toolset="author", usage_log=Path("/log")),
            Address("::1", 9),
        ),
        (
            ["serve", "--index", "/c"],
            {"OLLAMA_HOST": "box:1", "EMBEDDER_URL": "http://gpu/v1"},
            Settings(Path("/c"), "http://gpu/v1"),
            None,
        ),
    ],
)
def test_a_server_is_started_as_options_and_environment_say(
    words: list[str], environment: dict[str, str], settings: Settings, address: Address | None
) -> None:
    assert served(*words, env=environment)[:2] == (settings, address)


def test_who_may_ask_over_http_is_said_by_options(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("from-a-file-0123456789\n", encoding="utf-8")
    words = (
        "serve",
        "--http",
        "0.0.0.0:80",
        "--cors",
        "https://Example.org/",
        "--cors",
        "http://a:3",
    )
    variable = {"BLOG_SERVER_TOKEN": "from-the-environment"}
    access = served(*words, "--allow-host", "Blog.Example.org.", env=variable)[2]
    origins = ("https://example.org", "http://a:3")
    assert access == Access("from-the-environment", ("blog.example.org",), origins)
    named = served(*words, "--token-file", str(tmp_path / "token"), env=variable)[2]
    assert named.token == "from-a-file-0123456789"
    assert named.token not in repr(named)


@pytest.mark.parametrize(
    "words",
    [
        ["serve", "--http", "0.0.0.0:8765"],
        ["serve", "--http", "example.org:80"],
        ["serve", "--http", "127.0.0.1:0"],
        ["serve", "--http", "localhost"],
        ["serve", "--http", "--token-file", "short"],
        ["serve", "--http", "--token-file", "none"],
        ["serve", "--cors", "*"],
        ["serve", "--allow-host", "a:80"],
        ["serve", "--toolset", "cor"],
        ["serve", "--index", ""],
        ["serve", "--index", "s3://bucket/ix"],
        ["serve", "--port", "3"],
        ["--idnex", "/a"],
        ["search", "tea", "--limit", "0"],
        ["search", "tea", "--after", "soon"],
        ["search", "tea", "--wy"],
        ["search", " "],
        ["search"],
        ["read"],
        ["read", "tea.md", "first"],
        ["list", "--limit", "101"],
        ["ingest"],
        ["ingest", "posts", "more"],
        ["ingest", "posts", "--embedder", "ollma"],
        ["install", "emacs"],
        ["install"],
        ["install", "zed", "--name", "a b"],
        ["author", "audit", "--fail-on", "typos"],
        ["author", "usage", "--since", "soon"],
        ["author", "serch"],
        ["setup", "posts", "--embedder", "ollama"],
        ["setup", "none"],
        ["install", "cursor", "--nam", "notes"],
        ["--ind", "notes", "install", "cursor"],
        ["serve", "--index", "a\udcff"],
        ["serch", "tea"],
        ["n" * 5_000],
    ],
)
def test_what_cannot_be_meant_is_one_line_with_the_help_to_read(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "short").write_text("too-short", encoding="utf-8")
    ran = command(*words)
    assert (ran.status, ran.out, len(ran.err.splitlines())) == (2, "", 1)
    assert ran.err.endswith("--help`.\n")


@pytest.mark.parametrize(
    ("words", "meant"), [(["serch"], "search"), (["serve", "--idnex", "a"], "--index")]
)
def test_a_slip_is_answered_with_the_nearest_word(words: list[str], meant: str) -> None:
    assert repr(meant) in command(*words).err


def test_a_folder_in_the_place_of_a_command_is_to_be_set_up(tmp_path: Path) -> None:
    posts = tmp_path / "my posts"
    posts.mkdir()
    ran = command(str(posts))
    assert (ran.status, f"setup '{posts}'" in ran.err) == (2, True)


@pytest.mark.parametrize("words", [["install", "zed"], ["setup", "."]])
@pytest.mark.parametrize("address", ["http://me:secret@box", "http://[::1", "box:99999"])
def test_no_entry_gets_an_address_that_no_embedder_can_have(words: list[str], address: str) -> None:
    ran = command(*words, env={"OLLAMA_HOST": address})
    assert (ran.status, "OLLAMA_HOST" in ran.err, "secret" in ran.err) == (2, True, False)


def test_help_names_every_command_and_the_version_is_that_of_the_package() -> None:
    said = command("--help")
    assert said.status == 0
    for name in COMMANDS:
        assert f"\n  {name} " in said.out
        assert command(name, "--help").status == 0
    assert command("author").out == command("author", "--help").out
    assert command("--version").out.startswith("blog-search-mcp ")


def test_search_takes_plain_words_and_filters(blog: Blog) -> None:
    assert "Oat milk" in blog.command("search", "blend", "oats").out
    assert blog.sources("blend oats", "--section", "oat", "--before", "2023") == ["oat/milk.md"]
    assert blog.command("search", "oats", "--tag", "tea").status == 1


def test_read_prints_a_passage_and_where_it_stands(blog: Blog) -> None:
    ran = blog.command("read", "tea.md")
    assert ran.status == 0
    assert "Steep the leaves" in ran.out
    assert "title: Green tea" in ran.out
    assert blog.command("read", "tea.md", "9").status == 1
    assert blog.command("read", "te.md").status == 1


def test_list_prints_the_newest_posts_first(blog: Blog) -> None:
    def listed(*options: str) -> list[str]:
        return [post["source"] for post in json.loads(blog.command("list", *options).out)["posts"]]

    assert listed() == ["tea.md", "oat/milk.md"]
    assert listed("--limit", "1") == ["tea.md"]
    assert listed("--section", "oat") == ["oat/milk.md"]


def test_without_an_index_a_command_says_how_to_make_one(tmp_path: Path) -> None:
    for words in (["search", "tea"], ["list"], ["author", "audit"]):
        ran = Blog(tmp_path, tmp_path / "none").command(*words)
        assert (ran.status, ran.out) == (1, "")
        assert f"ingest CONTENT --index {tmp_path / 'none'}" in ran.err
