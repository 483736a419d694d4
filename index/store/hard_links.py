"""Files that generations share: written once, never changed, and not copied where links work.

A generation stays whole when another one is deleted, and a linked file keeps its checksum in the
manifest, since it lies there unmodified.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path


def link_or_copy(earlier: Path, later: Path) -> None:
    """Give the file a second name, or copy it where the file system has no links. Raises OSError.

    Any error of linking may mean that; a disk that refuses more refuses the copy too.
    """
    try:
        os.link(earlier, later)
    except OSError:
        shutil.copyfile(earlier, later)
