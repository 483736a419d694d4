"""What the doctor tells of an index, its posts, its embedder and the entries of clients."""

import json
import re
import shlex
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from blog_search_mcp.index.invocation import PACKAGE, start_words
from tests.support.front import Blog, Ran, command, made
from tests.support.ollama_standin import Model, OllamaStandIn, running
from tests.support.ports import free_port

POSTS = {"soup.md": "# Soup\n\nBoil an onion.\n"}
SCRIPT = start_words()[0]


@pytest.fixture
def blog(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Blog:
    """A blog with a space in its folder's name, on a machine without clients."""
    for name in ("HOME", "USERPROFILE", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return made(tmp_path / "my blog", POSTS)


def told(ran: Ran, subject: str) -> tuple[str, str]:
    """The state of a subject, and what is said of it."""
    [(state, text)] = re.findall(rf"^(\w+) +{subject} +(.*)$", ran.out, re.MULTILINE)
    return state, text


def test_a_sound_index_has_no_fault(blog: Blog) -> None:
    ran = blog.command("doctor")
    assert ran.status == 0
    assert {told(ran, name)[0] for name in ("index", "embedder", "posts")} == {"ok"}


@pytest.mark.parametrize(
    ("damaged", "subject", "state"),
    [
        (None, "posts", "warning"),
        ("manifest.json", "index", "problem"),
        ("chunks.db", "index", "problem"),
        ("vectors/000001.faiss", "index", "problem"),
    ],
)
def test_the_command_that_it_gives_mends_what_it_tells(
    blog: Blog, damaged: str | None, subject: str, state: str
) -> None:
    if damaged is None:
        blog.write({"tea.md": "Tea.\n", "soup.md": "# Soup\n\nBoil two onions.\n"})
    else:
        [path] = blog.index.glob(f"generations/*/{damaged}")
        path.write_bytes(b"\x00" + path.read_bytes()[1:])
    ran = blog.command("doctor")
    said, text = told(ran, subject)
    assert (said, ran.status) == (state, int(state == "problem"))
    [command] = re.findall("`([^`]+)`", text)
    program, name, *words = shlex.split(command)
    assert (Path(program).name, name) == (PACKAGE, "ingest")
    assert words[:3] == [str(blog.content), "--index", str(blog.index)]
    assert blog.ingest(*words[3:]).status == 0
    mended = blog.command("doctor")
    assert (told(mended, "index")[0], told(mended, "posts")[0]) == ("ok", "ok")


def test_posts_that_were_moved_and_a_missing_index_are_told(blog: Blog) -> None:
    moved = Blog(blog.content.rename(blog.content.with_name("moved")), blog.index)
    state, text = told(moved.command("doctor"), "posts")
    assert (state, f"setup {moved.content} --index" in text.replace("'", "")) == ("warning", True)
    assert moved.ingest().status == 0
    assert told(moved.command("doctor"), "posts")[0] == "ok"
    state, text = told(Blog(blog.content, blog.index / "none").command("doctor"), "index")
    assert (state, "blog-search-mcp setup" in text) == ("problem", True)


@pytest.mark.parametrize(
    ("server", "state", "words"),
    [
        (OllamaStandIn(), "ok", "nomic-embed-text"),
        (OllamaStandIn(models=[]), "problem", "ollama pull nomic-embed-text"),
        (OllamaStandIn(models=[Model(digest="f" * 64)]), "problem", "--rebuild"),
        (None, "problem", "ollama serve"),
    ],
)
def test_what_the_index_s_ollama_lacks_is_told(
    tmp_path: Path, server: OllamaStandIn | None, state: str, words: str
) -> None:
    with running() as whole:
        options = ("--embedder", "ollama", "--embedder-url", whole.host)
        blog = made(tmp_path / "of Ollama", POSTS, *options)
    if server is None:
        ran = blog.command("doctor", "--embedder-url", f"127.0.0.1:{free_port()}")
    else:
        with running(server):
            ran = blog.command("doctor", "--embedder-url", server.host)
    said, text = told(ran, "embedder")
    assert (said, words in text) == (state, True)


@pytest.mark.parametrize(
    ("entry", "state", "words"),
    [
        ({"command": SCRIPT, "args": ["serve", "--index", "INDEX"]}, "ok", ""),
        (
            {"command": "/gone/blog-search-mcp", "args": ["--index", "/ix"]},
            "problem",
            "install cursor --index /ix --name blog",
        ),
        ({"command": SCRIPT}, "warning", "install cursor"),
        ({"command": SCRIPT, "env": {"PORT": 8080}}, "problem", "does not start"),
        ({"command": SCRIPT, "env": "PORT=8080"}, "problem", "does not start"),
        ({"command": "/\0/blog-search-mcp"}, "problem", "does not start"),
        ({"command": SCRIPT, "args": ["--index", "/\0"]}, "warning", "install cursor"),
        (
            {"url": "http://127.0.0.1:9", "headers": {"X-Installed-By": "blog-search-mcp", "A": 1}},
            "problem",
            "127.0.0.1:9, which does not answer",
        ),
        ({"command": SCRIPT, "args": ["--index", "ix"]}, "warning", "install cursor"),
        ({"command": SCRIPT, "args": ["--index", "/no/such"]}, "problem", "--index /no/such"),
        (
            {"command": SCRIPT, "args": ["serve", "--index", "INDEX", "--watch", "/no/posts"]},
            "warning",
            "setup ",
        ),
        (
            {"url": "http://127.0.0.1:9/mcp", "headers": {"X-Installed-By": "blog-search-mcp"}},
            "problem",
            "127.0.0.1:9/mcp, which does not answer",
        ),
        ("{", "warning", "JSON"),
    ],
)
def test_an_entry_that_does_not_work_is_told_with_the_command_that_mends_it(
    blog: Blog, entry: object, state: str, words: str
) -> None:
    Path(".cursor").mkdir()
    text = json.dumps({"mcpServers": {"blog": entry}}) if isinstance(entry, dict) else str(entry)
    Path(".cursor/mcp.json").write_text(text.replace("INDEX", str(blog.index)), encoding="utf-8")
    said, text = told(blog.command("doctor"), "Cursor")
    assert (said, words in text) == (state, True)


class Endpoint(BaseHTTPRequestHandler):
    """A server below a path, as far as it is asked, for one token."""

    def do_POST(self) -> None:
        sent = (self.path, self.headers["Authorization"])
        is_known = sent == ("/team/mcp", f"Bearer {'right' * 4}")
        self.send_response(200 if is_known else 401)
        self.end_headers()
        result = b'{"jsonrpc":"2.0","id":1,"result":{"serverInfo":{"name":"blog"}}}'
        self.wfile.write(result if is_known else b"")

    def log_message(self, *_: object) -> None:
        pass


def test_a_teammate_without_an_index_hears_whether_the_server_answers(blog: Blog) -> None:
    nowhere = ("--index", str(blog.index.parent / "none"))
    with HTTPServer(("127.0.0.1", 0), Endpoint) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/team"
        for token, status, words in (("right", 0, "answers."), ("wrong", 1, "answers with 401")):
            environment = {"BLOG_SERVER_TOKEN": token * 4}
            ran = command("install", "cursor", "--url", url, env=environment)
            assert (ran.status, f"{url}/mcp {words}" in ran.out) == (0, True)
            ran = command("doctor", *nowhere)
            assert (ran.status, words in told(ran, "Cursor")[1]) == (status, True)
            assert told(ran, "index")[0] == "ok"
        server.shutdown()
