"""Texts and settings that once kept a regular expression busy for hours, under Python's lock."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.python import run_python

LIMIT = 60
"""Seconds of a process that takes two; each case took it minutes or more."""

PROGRAM = """
import sys
from pathlib import Path
from starlette.testclient import TestClient
from blog_search_mcp.server.http.app import build_app
from blog_search_mcp.server.engine import engine_for
from blog_search_mcp.server.settings import ANYONE, Address, Settings
from tests.support.front import made

folder = Path(sys.argv[1])
text = (folder / "text").read_text(encoding="utf-8")
blog = made(folder, {"heron.md": "# Herons\\n\\nThey fish at dawn.\\n", "post.md": text})
for tool in ("find_similar", "suggest_links"):
    assert not blog.tool(tool, text=text[:4_000]).is_error
engine = engine_for(Settings(blog.index))
address = Address("127.0.0.1", 8765)
with TestClient(build_app(engine, address, ANYONE), f"http://{address.host}:8765") as client:
    opened = client.post("/api/passage", json={"source": "post.md"})
assert opened.status_code == 200, opened.text
print(blog.tool("read_chunk", source="post.md").text)
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
)
"""Tags, references, shortcodes, exports, admonitions and a caption, none of which ends."""


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text[:12])
def test_a_post_that_repeats_itself_is_ingested_compared_and_opened(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / "text").write_text(f"Frogs.\n\n{text}", encoding="utf-8")
    ran = run_python("-c", PROGRAM, tmp_path, timeout=LIMIT)
    assert ran.returncode == 0, ran.stderr
    assert "Frogs." in ran.stdout


SITE = """
import json
import sys
from pathlib import Path
from tests.support.front import made

posts = made(Path(sys.argv[1]), json.loads(sys.argv[2])).posts()
print(*sorted(posts))
"""

CASCADE = "cascade:\n  draft: true\n  target:\n    path: "
SITES = {
    "a target of a cascade in Hugo": {
        "ponds/_index.md": f"---\n{CASCADE}'/ponds/{'{aa,a}' * 40}b'\n---\n",
        "frogs.md": "# Frogs\n\nThey croak.\n",
        f"ponds/{'a' * 60}.md": "# Frogs\n\nThey croak.\n",
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
}


@pytest.mark.parametrize("files", SITES.values(), ids=SITES)
def test_a_pattern_that_a_site_is_configured_by_ends(tmp_path: Path, files: dict[str, str]) -> None:
    ran = run_python("-c", SITE, tmp_path, json.dumps(files), timeout=LIMIT)
    assert ran.returncode == 0, ran.stderr
    assert list(files)[1] in ran.stdout.split()
