"""The public interface, used as its page shows it."""

import re
import shutil
from pathlib import Path

import pytest

import blog_search_mcp
from blog_search_mcp import BlogSearchError, Filters, build_index, open_index
from tests.support.paths import ROOT
from tests.support.python import run_python

PAGE = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("api")
    (folder / "posts" / "soup").mkdir(parents=True)
    for name, text in {
        "soup/onion.md": "# Onion soup\n\nFry the onions slowly.\n",
        "moths.md": "# Moths\n\nMoths fly by night.\n",
    }.items():
        (folder / "posts" / name).write_text(text, encoding="utf-8")
    report = build_index(folder / "posts", folder / "index", embedder="embedded")
    assert (report.posts, report.added, report.skipped) == (2, 2, ())
    return folder / "index"


def test_an_index_is_searched_read_and_listed(index: Path) -> None:
    with open_index(index) as blog:
        answer = blog.search("how do I fry onions?", limit=1)
        passage = blog.read("soup/onion.md", 0)
        listed = blog.posts(Filters(section="soup"))
    assert [(hit.post.title, hit.chunk.index) for hit in answer.hits] == [("Onion soup", 0)]
    assert [chunk.text for chunk in passage.chunks] == ["# Onion soup\n\nFry the onions slowly."]
    assert [post.source for post in listed] == ["soup/onion.md"]


def test_every_error_has_one_root(index: Path, tmp_path: Path) -> None:
    with open_index(index) as blog, pytest.raises(BlogSearchError, match=r"No post .*none\.md"):
        blog.read("none.md", 0)
    with pytest.raises(BlogSearchError, match=str(tmp_path)):
        open_index(tmp_path)
    with pytest.raises(BlogSearchError, match="closed"):
        blog.search("onions")
    with pytest.raises(BlogSearchError, match="none"):
        build_index(tmp_path / "none", tmp_path / "index")
    with pytest.raises(BlogSearchError, match="foo"):
        build_index(index.parent / "posts", tmp_path, embedder="foo")  # type: ignore[arg-type]


def test_what_cannot_be_meant_is_refused(index: Path) -> None:
    wrong = ({"query": " "}, {"limit": 0}, {"offset": -1}, {"filters": Filters(after="soon")})
    with open_index(index) as blog:
        for asked in wrong:
            with pytest.raises(BlogSearchError):
                blog.search(**{"query": "onions", **asked})  # type: ignore[arg-type]
        with pytest.raises(BlogSearchError):
            blog.posts(order="foo")  # type: ignore[arg-type]
        with pytest.raises(BlogSearchError):
            blog.read("soup/onion.md", 0, neighbors=-5)


def test_a_script_needs_no_guard_where_processes_read_the_posts(tmp_path: Path) -> None:
    (tmp_path / "posts").mkdir()
    for number in range(120):
        (tmp_path / f"posts/{number}.md").write_text(f"Word {number}.\n", encoding="utf-8")
    script = tmp_path / "script.py"
    text = "print(blog_search_mcp.build_index('posts', 'index', embedder='embedded').posts)\n"
    script.write_text(f"import blog_search_mcp\n{text}", encoding="utf-8")
    done = run_python(script, cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("120\n", "")


def test_every_public_name_is_there_and_on_the_page() -> None:
    for name in blog_search_mcp.__all__:
        assert getattr(blog_search_mcp, name).__name__ == name
        assert re.search(rf"`{name}\b|{name}\.\w+\(", PAGE), name
    with pytest.raises(AttributeError, match="nothing"):
        blog_search_mcp.nothing  # noqa: B018


def test_importing_the_package_loads_nothing_else() -> None:
    program = "import blog_search_mcp, sys; print([m for m in sys.modules if 'blog_search' in m])"
    done = run_python("-c", program)
    assert (done.stdout, done.stderr) == ("['blog_search_mcp']\n", "")


def test_the_example_of_the_page_runs(tmp_path: Path) -> None:
    [code] = re.findall(r"^```python\n(.+?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    script, post = tmp_path / "example.py", Path("llm") / "what-is-a-kv-cache.md"
    (tmp_path / "content" / "llm").mkdir(parents=True)
    shutil.copy(ROOT / "content" / post, tmp_path / "content" / post)
    script.write_text(code.replace("/tmp/api-index", str(tmp_path / "index")), encoding="utf-8")
    done = run_python(script, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].endswith(" chunks")
    assert "llm/what-is-a-kv-cache.md" in done.stdout
    assert lines[-1].startswith("No post")
