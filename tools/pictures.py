"""`python -m tools.pictures`: draw what commands print, as a terminal shows it, in docs/pictures.

Each command is run, and what it prints is drawn by rich. A picture loads nothing: where a
reader's machine lacks the first fonts named, it has a monospaced one of its own.
"""

from __future__ import annotations

import io
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from tools.sandbox import ROOT, Sandbox

FOLDER = ROOT / "docs" / "pictures"


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture: `FOLDER/NAME.svg`."""

    name: str
    command: str
    before: str = ":"
    """A shell command that makes what the command needs, and is not drawn."""

    @property
    def path(self) -> Path:
        """The file."""
        return FOLDER / f"{self.name}.svg"


PICTURES = (
    Picture("answer", 'blog-search-mcp ask "how do I swap an index atomically?"'),
    Picture(
        "setup",
        "blog-search-mcp setup ~/blog/posts",
        "mkdir -p ~/.cursor ~/blog && cp -r content ~/blog/posts",
    ),
)
COLUMNS = 100
ROWS = 30
"""Rows of the picture: the hits and the beginning of the best one's text."""
FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
_BLACK, _WHITE = (27, 31, 36), (230, 237, 243)
_RED, _GREEN, _YELLOW = (255, 123, 114), (63, 185, 80), (210, 153, 34)
_BLUE, _PURPLE, _CYAN = (88, 166, 255), (188, 140, 255), (57, 197, 207)
THEME = TerminalTheme(
    _BLACK, _WHITE, [_BLACK, _RED, _GREEN, _YELLOW, _BLUE, _PURPLE, _CYAN, _WHITE]
)
"""Colours on a ground of its own, so that a light page and a dark one show the same."""

_FOREIGN = re.compile(r"@font-face \{\{.*?\n    \}\}\n|    <!--.*?-->\n", re.DOTALL)
"""What rich's form names that lies elsewhere."""
_CELL = 12.2
"""Width of a character in rich's drawings, in their units."""


def printed(sandbox: Sandbox, picture: Picture) -> Text:
    """Run the command; returns what it prints on a terminal, with its colours."""
    colours = {"FORCE_COLOR": "1", "TERM": "xterm-256color"}
    sandbox.run(picture.before)
    return Text.from_ansi(sandbox.run(picture.command, variables=colours))


def rows(picture: Picture, answer: Text) -> list[Text]:
    """Give the rows of the picture: the command and as much of what it prints as there is room."""
    console = Console(width=COLUMNS)
    below = [row for line in answer.split("\n") for row in line.wrap(console, COLUMNS) or [Text()]]
    left = len(below) - ROWS
    more = [Text(f"[… {left} more lines …]", style="dim")]
    return [Text(f"$ {picture.command}"), *below[:ROWS], *(more if left > 0 else [])]


def drawn(picture: Picture, lines: list[Text]) -> str:
    """Draw the rows as SVG; the same rows give the same bytes."""
    console = Console(
        record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, highlight=False
    )
    for line in lines:
        console.print(line)
    form = _FOREIGN.sub("", CONSOLE_SVG_FORMAT).replace("Fira Code, monospace", FONTS)
    return console.export_svg(
        title=" ".join(picture.command.split()[:2]),
        theme=THEME,
        code_format=form,
        unique_id=picture.name,
    )


def rows_in(picture: str) -> list[str]:
    """Read the rows back from a picture, without the spaces at their ends."""
    found: dict[float, str] = {}
    for text in ElementTree.fromstring(picture).iter("{http://www.w3.org/2000/svg}text"):
        if "clip-path" in text.attrib:
            said = (text.text or "").replace("\xa0", " ")
            row = found.get(float(text.attrib["y"]), "")
            place = round(float(text.attrib["x"]) / _CELL)
            found[float(text.attrib["y"])] = row.ljust(place) + said
    return [found[place].rstrip() for place in sorted(found) if found[place].strip()]


def main() -> int:
    """Draw the pictures; returns the exit status."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for picture in PICTURES:
        with TemporaryDirectory() as folder:
            answer = printed(Sandbox(Path(folder)), picture)
        picture.path.write_text(drawn(picture, rows(picture, answer)), encoding="utf-8")
        sys.stdout.write(f"{picture.path.relative_to(ROOT)} is drawn.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
