"""`make pictures`: the search page over the sample posts, photographed for the documentation."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from blog_search_mcp.server.engine import Engine, engine_for
from blog_search_mcp.server.settings import Settings
from tests.support.chromium import chromium, looking, served
from tests.support.paths import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

ENGLISH = "/?q=how+do+I+swap+an+index+atomically%3F"
OPENED = f"{ENGLISH}&source=engineering%2Fatomic-index-swap.md&chunk=1"
CHINESE = "/?q=什麼是+KV+快取？"
WIDE = {"viewport": {"width": 1100, "height": 700}}
PHONE = {"viewport": {"width": 320, "height": 640}, "device_scale_factor": 1.5}


def as_it_is(_page: Any) -> None:
    """Touch nothing."""


def opened(page: Any) -> None:
    """Wait for the passage."""
    page.wait_for_selector("#passage:not([hidden]) .asked")


Picture = tuple[str, "dict[str, Any]", "Callable[[Any], None]"]

PICTURES: Mapping[str, Picture] = {
    "search": (ENGLISH, WIDE, as_it_is),
    "passage": (OPENED, WIDE, opened),
    "dark": (OPENED, {**WIDE, "color_scheme": "dark"}, opened),
    "chinese": (CHINESE, WIDE, as_it_is),
    "narrow": (CHINESE, PHONE, as_it_is),
}
"""By the file's name: the page's address, the window, and what is done before."""


def main(folder: Path) -> int:
    """Write every picture into `folder`; the exit status is 1 if the page reported an error."""
    folder.mkdir(parents=True, exist_ok=True)
    wrong: list[str] = []
    with (
        chromium() as browser,
        TemporaryDirectory() as place,
        served(_ingested(str(Path(place) / "index"))) as url,
    ):
        wrong += [said for name in PICTURES for said in _taken(browser, url, folder, name)]
    return int(bool(wrong))


def _ingested(index: str) -> Engine:
    posts = [str(ROOT / "content"), "--index", index, "--embedder", "embedded"]
    subprocess.run([sys.executable, "-m", "blog_search_mcp.ingest", *posts], check=True, cwd=ROOT)
    return engine_for(Settings(Path(index), ""))


def _taken(browser: Any, url: str, folder: Path, name: str) -> list[str]:
    address, window, prepare = PICTURES[name]
    with looking(browser, url, **window) as looker:
        looker.page.goto(f"{url}{address}")
        looker.page.wait_for_selector(
            "#results:not([aria-busy]) #sure:not([hidden])", state="attached"
        )
        prepare(looker.page)
        looker.page.screenshot(path=folder / f"{name}.png")
    sys.stderr.write("".join(f"{name}: {wrong}\n" for wrong in looker.wrong))
    return looker.wrong


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
