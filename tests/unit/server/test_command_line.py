"""`blog-search-mcp` as it is typed: what each option does or why it is refused, and its status."""

import json
import shutil
from pathlib import Path

import pytest

from blog_search_mcp.server.settings import Address, Settings
from tests.support.front import Blog, command, made, served

POSTS = {
    "tea.md": "---\ntitle: Green tea\ndate: 2024-02-03\ntags: [tea]\n---\n"
    "Steep the leaves at eighty degrees.\n",
    "oat/milk.md": "---\ntitle: Oat milk\ndate: 2023-02-03\n---\nBlend oats with cold water.\n",
}
COMMANDS = (
    *("setup", "ingest", "serve", "search", "ask", "read", "list", "doctor"),
    *("install", "uninstall", "author"),
)
LOCAL, WATCHED = Address("127.0.0.1", 8765), Path("/b/posts")
GPU = {"OLLAMA_HOST": "box:1", "EMBEDDER_URL": "http://gpu/v1"}


@pytest.fixture(scope="module")
def blog(tmp_path_factory: pytest.TempPathFactory) -> Blog:
    return made(tmp_path_factory.mktemp("blog"), POSTS)


@pytest.mark.parametrize(
    ("words", "environment", "settings", "address"),
    [
        ("", {}, Settings(Path.cwd() / ".blog-index"), None),
        ("serve", {"BLOG_INDEX": "/a b"}, Settings(Path("/a b")), None),
        ("serve --index /c", {"BLOG_INDEX": "/a"}, Settings(Path("/c")), None),
        ("--index /c --http", {}, Settings(Path("/c")), LOCAL),
        ("--watch /b/posts", {}, Settings(Path("/b/.blog-index"), watch=WATCHED), None),
        ("serve --index /c", GPU, Settings(Path("/c"), "http://gpu/v1"), None),
        (
            "serve --index=/c --toolset author --usage-log /log --http [::1]:9",
            {"OLLAMA_HOST": "box:1"},
            Settings(Path("/c"), "box:1", toolset="author"),
            Address("::1", 9),
        ),
    ],
)
def test_a_server_is_started_as_options_and_environment_say(
    words: str, environment: dict[str, str], settings: Settings, address: Address | None
) -> None:
    assert served(*words.split(), env=environment) == (settings, address)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_who_may_ask_over_http_is_said_by_options(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "token").write_text("from-a-file-0123456789\n", encoding=encoding)
    words = ["serve", "--http", "0.0.0.0:80"]
    variable = {"BLOG_SERVER_TOKEN": "from-the-environment"}
    address = served(*words, "--allow-host", "Blog.Example.org", env=variable)[1]
    assert address == Address("0.0.0.0", 80, "from-the-environment", names=("blog.example.org",))
    named = served(*words, "--token-file", str(tmp_path / "token"), env=variable)[1]
    assert named is not None
    assert named.token == "from-a-file-0123456789"
    assert named.token not in repr(named)


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("serve --http 0.0.0.0:8765", "token"),
        ("serve --http example.org:80", "token"),
        ("serve --http 127.0.0.1:0", "port"),
        ("serve --http localhost", "HOST:PORT"),
        ("serve --http --token-file short", "token"),
        ("serve --http --token-file none", "none"),
        ("serve --allow-host a", "--http"),
        ("serve --toolset cor", "'core'"),
        ("serve --index=", "path"),
        ("serve --index s3://bucket/ix", "milvus"),
        ("--idnex /a", "--index"),
        ("search tea --limit 0", "--limit"),
        ("search tea --after soon", "YYYY"),
        ("search", "QUERY"),
        ("read tea.md first", "CHUNK_INDEX"),
        ("ingest posts more", "more"),
        ("install emacs", "'cursor'"),
        ("author audit --fail-on typos", "'tags'"),
        ("--ind notes install cursor", "--ind"),
        ("serch tea", "'search'"),
    ],
)
def test_what_cannot_be_meant_is_told_with_what_may_be(
    words: str, meant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "short").write_text("too-short", encoding="utf-8")
    ran = command(*words.split())
    assert (ran.status, ran.out) == (2, "")
    assert "--help' for help" in ran.err
    assert meant in ran.err.splitlines()[-1]


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
    assert command("author").err == command("author", "--help").out
    assert command("--version").out.startswith("blog-search-mcp ")


def test_search_takes_plain_words_and_filters(blog: Blog) -> None:
    assert "Oat milk" in blog.command("search", "blend", "oats").out
    assert blog.sources("blend oats", "--section", "oat", "--before", "2023") == ["oat/milk.md"]
    assert blog.sources("steep leaves", "--tag", "TEA", "--after", "2024") == ["tea.md"]


def test_read_prints_a_passage_and_where_it_stands(blog: Blog) -> None:
    ran = blog.command("read", "tea.md")
    assert ran.status == 0
    assert "Steep the leaves" in ran.out
    assert "title: Green tea" in ran.out
    assert blog.command("read", "tea.md", "9").status == blog.command("read", "te.md").status == 1


@pytest.mark.parametrize(
    ("options", "sources"),
    [((), ["tea.md", "oat/milk.md"]), (("--limit", "1", "--section", "oat"), ["oat/milk.md"])],
)
def test_list_prints_the_newest_posts_first(
    blog: Blog, options: tuple[str, ...], sources: list[str]
) -> None:
    posts = json.loads(blog.command("list", *options, "--json").out)["posts"]
    lines = blog.command("list", *options).out.splitlines()
    assert [post["source"] for post in posts] == sources
    assert [line.split()[:2] for line in lines] == [[p["date"], p["source"]] for p in posts]


def test_without_the_option_the_index_above_or_of_the_entry_blog_is_found(
    blog: Blog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOME", "USERPROFILE", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    (inner := tmp_path / "notes" / "inner").mkdir(parents=True)
    (tmp_path / ".cursor").mkdir()
    monkeypatch.chdir(inner)
    assert command("list").status == 1
    assert command("install", "cursor", "--index", str(blog.index), "--name", "blog").status == 0
    assert "tea.md" in command("list").out
    shutil.copytree(blog.index, tmp_path / "notes" / ".blog-index")
    assert "To read one: " in command("search", "tea").out
    assert "--index" not in command("search", "tea").out


@pytest.mark.parametrize("words", [["search", "a"], ["ask", "a"], ["list"], ["author", "audit"]])
def test_without_an_index_a_command_says_how_to_make_one(tmp_path: Path, words: list[str]) -> None:
    ran = Blog(tmp_path, tmp_path / "none").command(*words)
    assert (ran.status, ran.out) == (1, "")
    assert f"setup CONTENT --index {tmp_path / 'none'}" in ran.err
