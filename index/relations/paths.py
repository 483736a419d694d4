"""A post's file taken apart, once for everything that reads its name."""

from __future__ import annotations

import re
from dataclasses import dataclass

MARKDOWN = re.compile(r"\.(?:md|mdx|markdown|qmd)$", re.IGNORECASE)
"""What the name of a post's file ends in."""
INDEXES = ("index", "_index", "readme")
"""Names of files, without their ending, that stand for their folder."""
_DAY = re.compile(r"^(?:\d{4}([-_])\d{1,2}\1\d{1,2}|(?:19|20)\d{6})(?:[-_ ]+|$)")


@dataclass(frozen=True, slots=True)
class PostPath:
    """The path of a file, or one that leads to it; a file of INDEXES stands for its folder."""

    folder: str
    """What the page lies in, without a slash around it; `""` at the top."""
    name: str
    """Of the page, without the ending of Markdown; `""` for the page of the whole blog."""
    index: str = ""
    """Which of INDEXES the file is, if it is one."""

    @property
    def page(self) -> str:
        """The folder and the name."""
        return f"{self.folder}/{self.name}" if self.folder else self.name

    @property
    def undated(self) -> str:
        """The name without the day that it begins with, if anything is left."""
        return _DAY.sub("", self.name) or self.name

    @property
    def is_list(self) -> bool:
        """Whether the file lists others, of a folder or of the whole blog, and is no post."""
        return self.index in INDEXES[1:] or (bool(self.index) and not self.name)


def parse_path(path: str) -> PostPath:
    """Take a path apart that is written with `/`."""
    stem = MARKDOWN.sub("", path.strip("/"))
    folder, _, name = stem.rpartition("/")
    if name.casefold() not in INDEXES:
        return PostPath(folder, name)
    above, _, last = folder.rpartition("/")
    return PostPath(above, last, name.casefold())
