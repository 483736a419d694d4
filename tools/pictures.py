"""`python -m tools.pictures`: remake the pictures of the documents from the sample posts.

Chromium makes screenshots of the search page (`make browser` installs Playwright). The output of
`setup` in a new home is written as the lines of an SVG.
"""

import os
import re
import shutil
import subprocess
import sys
import textwrap
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory

from blog_search_mcp import build_index
from blog_search_mcp.server.engine import engine_for
from blog_search_mcp.server.settings import Settings
from tests.support.chromium import chromium, looking, served
from tests.support.paths import ROOT

PICTURES = ROOT / "docs" / "pictures"
PAGES = {
    "search": "?q=how+do+I+swap+an+index+atomically%3F",
    "passage": "?q=atomic+rename&source=engineering%2Fatomic-index-swap.md&chunk=0",
    "chinese": "?q=什麼是快取",
}
"""Query string of the page by name of its picture."""
COLUMNS, WIDTH, HEIGHT = 96, 9.6, 22
"""Columns of a line, then width of a character and height of a line in pixels."""


def photograph_page(folder: Path) -> None:
    """Write a PNG for each of PAGES, with the index in `folder`."""
    build_index(ROOT / "content", folder, embedder="embedded")
    with served(engine_for(Settings(folder))) as url, chromium() as browser:
        for name, address in PAGES.items():
            with looking(browser, url, viewport={"width": 1100, "height": 700}) as looker:
                looker.page.goto(f"{url}/{address}")
                looker.page.wait_for_selector("#passage .asked" if "source" in address else "mark")
                looker.page.wait_for_load_state("networkidle")
                looker.page.screenshot(path=PICTURES / f"{name}.png")


def draw_setup(home: Path) -> None:
    """Write an SVG of the output of `setup` for the sample posts, in a new home with Cursor."""
    (home / ".cursor").mkdir(parents=True)
    posts = home / "blog" / "posts"
    shutil.copytree(ROOT / "content", posts)
    shell = {**os.environ, "HOME": str(home), "XDG_CACHE_HOME": str(home / "cache")}
    words = [sys.executable, "-m", "blog_search_mcp", "setup", str(posts)]
    ran = subprocess.run(
        words, env=shell, stdout=-1, stderr=subprocess.STDOUT, text=True, check=True
    )
    said = ran.stdout.replace(str(home), "/home/me").replace(f"{Path(sys.executable).parent}/", "")
    said = re.sub(r"(?m)^(\w+ing [^:]+): .*\n(?=\1: )", "", said)  # as on a terminal
    lines = [
        part
        for line in ["$ blog-search-mcp setup ~/blog/posts", *said.splitlines()]
        for part in textwrap.wrap(line, COLUMNS)
    ]
    texts = (
        f'<text x="14" y="{HEIGHT * (number + 1)}" xml:space="preserve">{escape(line)}</text>'
        for number, line in enumerate(lines)
    )
    svg = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {COLUMNS * WIDTH + 28:.0f} '
        f'{HEIGHT * (len(lines) + 1)}" font-family="ui-monospace, monospace" font-size="16" '
        f'fill="#e6edf3"><rect width="100%" height="100%" rx="8" fill="#0d1117"/>\n'
    )
    (PICTURES / "setup.svg").write_text(svg + "\n".join(texts) + "\n</svg>\n", encoding="utf-8")


if __name__ == "__main__":
    with TemporaryDirectory() as folder:
        draw_setup(Path(folder) / "home")
        photograph_page(Path(folder) / "index")
