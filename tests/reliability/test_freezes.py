"""Texts and settings that once kept a regular expression busy for hours, under Python's lock."""

import json
from pathlib import Path

from tests.support.python import run_python

LIMIT = 60
"""Seconds of a process that takes five; each case took it minutes or more."""

PROGRAM = """
import json
import sys
from pathlib import Path
from starlette.testclient import TestClient
from blog_search_mcp.server.http.serve import build_app
from blog_search_mcp.server.engine import engine_for
from blog_search_mcp.server.settings import Address, Settings
from tests.support.front import made

folder, address = Path(sys.argv[1]), Address("127.0.0.1", 8765)
for number, text in enumerate(json.loads((folder / "texts").read_text(encoding="utf-8"))):
    print(text[:40], flush=True)
    posts = {"heron.md": "# Herons\\n\\nThey fish at dawn.\\n", "post.md": text}
    blog = made(folder / str(number), posts)
    for tool in ("find_similar", "suggest_links"):
        assert not blog.tool(tool, text=text[:4_000]).is_error
    engine = engine_for(Settings(blog.index))
    with TestClient(build_app(engine, address), f"http://{address.host}:8765") as client:
        opened = client.post("/api/passage", json={"source": "post.md"})
    assert opened.status_code == 200, opened.text
    assert "Frogs." in blog.tool("read_chunk", source="post.md").text
"""

TEXTS = (
    "{%" + " " * 1_500 + "{ %}",
    "[a](b) {% post_link pond" + " " * 60_000 + "{ %}",
    "[a](b) {{< ref " + "pond" * 80_000 + " ",
    '{{< pond "' + " " * 300_000 + ">}}",
    "export const" + " " * 300_000 + ";",
    "!!! tip" + " " * 300_000 + '"',
    ":::" + " " * 20_000 + "{",
    "```{r}\n#| fig-cap:" + "\t" * 20_000,
    "export const pond = {\n\n" * 60_000,
    "{doc}`" + " " * 200_000 + "`",
    "|》" * 200_000,
)
"""Tags, references, shortcodes, exports, admonitions, captions, roles, readings without an end."""


def test_posts_that_repeat_themselves_are_ingested_compared_and_opened(tmp_path: Path) -> None:
    texts = json.dumps([f"Frogs.\n\n{text}" for text in TEXTS])
    (tmp_path / "texts").write_text(texts, encoding="utf-8")
    ran = run_python("-c", PROGRAM, tmp_path, timeout=LIMIT)
    assert ran.returncode == 0, ran.stdout + ran.stderr


SITE = """
import json
import sys
from pathlib import Path
from tests.support.front import made

for number, files in enumerate(json.load(sys.stdin)):
    print(number, flush=True)
    assert list(files)[1] in made(Path(sys.argv[1]) / str(number), files).posts()
"""

NAMES = [f"n{number:x}" for number in range(40_000)]
CASCADE = "cascade:\n  draft: true\n  target:\n    path: "
SITES = {
    "a target of a cascade in Hugo": {
        "ponds/_index.md": f"---\n{CASCADE}'/ponds/{'{aa,a}' * 40}b'\n---\n",
        "frogs.md": "# Frogs\n\nThey croak.\n",
        f"ponds/{'a' * 60}.md": "# Frogs\n\nThey croak.\n",
    },
    "the summary of a book": {
        "book.toml": "[book]\n",
        "src/frogs.md": "# Frogs\n\nThey croak.\n",
        "src/SUMMARY.md": "[Frogs](frogs.md)\n[Newts](newts.md" + " " * 200_000 + "\n",
    },
    "the name of new posts in Hexo": {
        "_config.yml": "url: https://pond.example\nnew_post_name: "
        + "-".join(f":part{letter}" for letter in "abcdefghijk")
        + "-x.md\n",
        f"source/_posts/{'-' * 200}.md": "# Frogs\n\nThey croak.\n",
    },
    "a heading with attributes in Hugo": {
        "hugo.toml": 'baseURL = "https://pond.example"\n',
        "content/frogs.md": f"# Frogs\n\n## Toads {{{'a=aa' * 40}\n\nThey croak.\n",
    },
    "names that Jekyll leaves out": {
        "_config.yml": f"url: https://pond.example\nexclude: [{','.join(NAMES[:900])}]\n",
        **{f"_posts/2020-01-01-frog{number}.md": f"# Frog {number}\n" for number in range(120)},
    },
    "names in a .blogignore": {
        ".blogignore": "\n".join(NAMES),
        **{f"frog{number}.md": "They croak.\n" for number in range(60)},
    },
}


def test_patterns_that_sites_are_configured_by_end(tmp_path: Path) -> None:
    ran = run_python("-c", SITE, tmp_path, given=json.dumps([*SITES.values()]), timeout=LIMIT)
    assert ran.returncode == 0, ran.stdout + ran.stderr
