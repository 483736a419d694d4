from __future__ import annotations

from pathlib import Path

import pytest

from blog_search_mcp.index.commands import command
from blog_search_mcp.index.types import Filters
from blog_search_mcp.server.cli.parser import read_settings
from blog_search_mcp.server.settings import (
    Access,
    Address,
    SearchRequest,
    Settings,
    name_blog,
)


def test_without_arguments_the_index_is_here_and_stdio_is_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert read_settings([], {}) == Settings(index=tmp_path / ".blog-index", embedder_url="")


def test_the_environment_is_taken_and_the_command_line_wins(tmp_path: Path) -> None:
    environment = {"BLOG_INDEX": str(tmp_path / "a"), "OLLAMA_HOST": "box:1"}
    assert read_settings([], environment) == Settings(tmp_path / "a", "box:1")
    given = ["--index", str(tmp_path / "b"), "--embedder-url", "http://box:2"]
    assert read_settings(given, environment) == Settings(tmp_path / "b", "http://box:2")


@pytest.mark.parametrize("command", [[], ["doctor"]])
def test_an_entry_written_before_the_option_was_renamed_still_works(command: list[str]) -> None:
    old = read_settings([*command, "--ollama-host", "box:1"], {})
    assert old == read_settings([*command, "--embedder-url", "box:1"], {})
    assert old.embedder_url == "box:1"


@pytest.mark.parametrize("before", [True, False])
def test_ask_takes_the_index_before_or_after_it(before: bool, tmp_path: Path) -> None:
    index = ["--index", str(tmp_path)]
    arguments = [*index, "ask", "why?"] if before else ["ask", "why?", *index]
    assert read_settings(arguments, {}) == Settings(tmp_path, "", command="ask", question="why?")


@pytest.mark.parametrize(
    ("arguments", "address"),
    [
        (["--http"], Address("127.0.0.1", 8765)),
        (["--http", "9000"], Address("127.0.0.1", 9000)),
        (["--http", ":9000"], Address("127.0.0.1", 9000)),
        (["--http", "localhost:1"], Address("localhost", 1)),
        (["--http", "[::1]:65535"], Address("::1", 65535)),
    ],
)
def test_http_listens_on_this_machine(arguments: list[str], address: Address) -> None:
    assert read_settings(arguments, {}).http == address


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("0.0.0.0:8765", "'0.0.0.0' can be reached from other machines, so it needs a token: "),
        ("192.168.1.5:80", "'192.168.1.5' can be reached from other machines"),
        ("example.org:80", "'example.org' can be reached from other machines"),
        ("127.0.0.1:0", "'127.0.0.1:0' is not HOST:PORT"),
        ("127.0.0.1:65536", "'127.0.0.1:65536' is not HOST:PORT"),
        ("localhost", "'localhost' is not HOST:PORT"),
        ("http://127.0.0.1:8765", "'http://127.0.0.1:8765' is not HOST:PORT"),
    ],
)
def test_an_address_that_cannot_be_meant_is_refused_with_a_sentence(
    address: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert words in refused(["--http", address], {}, capsys)


def test_an_index_lies_beside_the_posts_that_are_watched_unless_it_is_named(
    tmp_path: Path,
) -> None:
    beside = tmp_path / ".blog-index"
    for arguments in (["--watch", str(tmp_path / "posts")], ["setup", str(tmp_path / "posts")]):
        assert read_settings(arguments, {}).index == beside
        assert read_settings(arguments, {"BLOG_INDEX": "/ix"}).index == Path("/ix")
        assert read_settings(["--index", "/one", *arguments], {"BLOG_INDEX": "/ix"}).index == (
            Path("/one")
        )
    assert read_settings([], {}).index == Path(".blog-index").absolute()


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [
        (["--index", "milvus://host:19530/blog"], {}),
        (["search", "cache", "--index", "MILVUS://host:19530/blog/"], {}),
        (["setup", "/posts", "--index", "milvus://host:19530/blog"], {}),
        (["audit"], {"BLOG_INDEX": "milvus://host:19530/blog"}),
        ([], {"BLOG_INDEX": "milvus://host:19530/blog"}),
    ],
)
def test_an_address_names_an_index_wherever_a_folder_does(
    arguments: list[str], environment: dict[str, str]
) -> None:
    assert str(read_settings(arguments, environment).index) == "milvus://host:19530/blog"


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [
        (["--index", "s3://bucket/ix"], {}),
        (["uninstall", "cursor", "--index", "s3://bucket/ix"], {}),
        ([], {"BLOG_INDEX": "s3://bucket/ix"}),
    ],
)
def test_an_address_of_another_kind_is_refused(
    arguments: list[str], environment: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert "s3:// is neither" in refused(arguments, environment, capsys)


def refused(
    arguments: list[str], environment: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> str:
    with pytest.raises(SystemExit) as ended:
        read_settings(arguments, environment)
    assert ended.value.code == 2
    return capsys.readouterr().err


def test_a_folder_in_the_place_of_a_command_is_to_be_set_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    posts = tmp_path / "my posts"
    posts.mkdir()
    assert refused([str(posts)], {}, capsys) == (
        f"COMMAND: {str(posts)!r} is a folder. To index its posts and tell a client of them: "
        f"`{command('blog-server', 'setup', posts)}`. See `{command('blog-server', '--help')}`.\n"
    )
    for word in ("none", "n" * 5_000):
        assert f"{word!r} is none of ask, search, " in refused([word], {}, capsys)


def test_with_a_token_other_machines_may_be_served(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("from-a-file-0123456789\n", encoding="utf-8")
    environment = {"BLOG_SERVER_TOKEN": "from-the-environment"}
    served = read_settings(["--http", "0.0.0.0:80"], environment)
    assert (served.http, served.access.token) == (Address("0.0.0.0", 80), "from-the-environment")
    named = read_settings(["--http", "0.0.0.0:80", "--token-file", str(file)], environment)
    assert named.access.token == "from-a-file-0123456789"
    assert "from-a-file" not in repr(named)


@pytest.mark.parametrize("token", ["", "short", "with a space in it", "mit-Umlaut-äöü-0123456789"])
def test_a_token_that_could_be_guessed_or_sent_wrong_is_refused(
    token: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "token"
    file.write_text(token, encoding="utf-8")
    said = refused(["--http", "--token-file", str(file)], {}, capsys)
    assert "The token must have at least 16 letters, digits or -._~+/ and no others" in said


def test_a_token_file_that_is_not_there_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(tmp_path / "none")
    said = refused(["--http", "--token-file", file], {}, capsys)
    assert f"The token file {file} cannot be read: No such file or directory." in said


def test_origins_and_names_are_taken_as_browsers_send_them() -> None:
    given = ["--http", "--cors", "https://Example.org/", "--cors", "http://a:3000"]
    access = read_settings([*given, "--allow-host", "Blog.Example.org."], {}).access
    assert access == Access("", ("blog.example.org",), ("https://example.org", "http://a:3000"))


@pytest.mark.parametrize(
    "option", [["--cors", "*"], ["--cors", "example.org"], ["--allow-host", "a:80"]]
)
def test_an_origin_or_name_that_cannot_be_meant_is_refused(
    option: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert f"{option[1]!r} is not " in refused(["--http", *option], {}, capsys)


def test_doctor_takes_the_index_and_the_posts_before_or_after_it(tmp_path: Path) -> None:
    folders = ["--index", str(tmp_path / "ix"), "--content", str(tmp_path / "posts")]
    wanted = Settings(tmp_path / "ix", "", content=tmp_path / "posts", command="doctor")
    assert read_settings([*folders, "doctor"], {}) == wanted
    assert read_settings(["doctor", *folders], {}) == wanted


def test_two_tools_are_offered_unless_more_are_asked_for(tmp_path: Path) -> None:
    index = ["--index", str(tmp_path)]
    assert read_settings(index, {}).toolset == "core"
    assert read_settings([*index, "--toolset", "core"], {}).toolset == "core"
    assert read_settings([*index, "--toolset", "extended"], {}).toolset == "extended"


def test_a_folder_to_watch_is_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert read_settings(["--watch", "posts"], {}).watch == tmp_path / "posts"


def test_nothing_is_noted_unless_a_file_is_named(tmp_path: Path) -> None:
    log = tmp_path / "usage.jsonl"
    assert read_settings([], {}).usage_log is None
    assert read_settings(["--usage-log", str(log)], {}).usage_log == log
    assert read_settings([], {"BLOG_USAGE_LOG": str(log)}).usage_log == log
    for arguments in (["usage", "--usage-log", str(log)], ["--usage-log", str(log), "usage"]):
        settings = read_settings(arguments, {})
        assert (settings.command, settings.usage_log) == ("usage", log)


def test_search_asks_with_the_filters_of_the_tool(tmp_path: Path) -> None:
    given = ["search", "a cache", "--index", str(tmp_path), "--limit", "3", "--offset", "6"]
    given += ["--section", "llm/", "--tag", "kv", "--after", "2025", "--before", "2025-06"]
    filters = Filters("llm", "kv", "2025-01-01", "2025-06-30")
    request = SearchRequest("a cache", filters, limit=3, offset=6)
    assert read_settings(given, {}) == Settings(tmp_path, "", command="search", search=request)


def test_search_reads_the_nth_hit_and_tells_why(tmp_path: Path) -> None:
    given = ["--index", str(tmp_path), "search", "a cache", "--read", "7", "--why", "--json"]
    request = SearchRequest("a cache", Filters(), limit=1, offset=6, reads=True, why=True)
    assert read_settings(given, {}) == Settings(
        tmp_path, "", command="search", json=True, search=request
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--limit", "0"], "--limit: must be a whole number from 1 to 20, got 0."),
        (["--limit", "21"], "--limit: must be a whole number from 1 to 20, got 21."),
        (["--offset", "-1"], "--offset: must be a whole number from 0 to 10,000, got -1."),
        (["--read", "0"], "--read: must be a whole number from 1 to 10,000, got 0."),
        (["--after", "soon"], "after must be a date as YYYY-MM-DD, YYYY-MM or YYYY, got 'soon'."),
    ],
)
def test_what_search_cannot_mean_is_refused_with_a_sentence(
    options: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert words in refused(["search", "cache", *options], {}, capsys)


def test_a_blank_search_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert "query must not be blank, got ' '." in refused(["search", " "], {}, capsys)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--index", "/a", "--index", "/b"],
        ["search", "soup", "--index=/a", "--index", "/b"],
        ["--index", "/a", "search", "--index", "/b", "soup"],
    ],
)
def test_a_second_index_is_refused_with_what_to_do(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert "--index can be given once" in refused(arguments, {}, capsys)


def test_words_of_a_query_are_no_second_index() -> None:
    settings = read_settings(["--index", "/a", "search", "--", "--index"], {})
    assert settings.search is not None
    assert (settings.index, settings.search.query) == (Path("/a"), "--index")


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("/x/go-blog", "go-blog"),
        ("/x/a/.blog-index", "a"),
        ("/x/b/index", "b"),
        ("/x/b/.blog-index-travel", "travel"),
        ("/x/我的 blog", "我的-blog"),
        ("/x/50%", "50-"),
        ("/.blog-index", ".blog-index"),
    ],
)
def test_a_blog_is_named_by_its_folder(folder: str, name: str) -> None:
    assert name_blog(Path(folder)) == name
