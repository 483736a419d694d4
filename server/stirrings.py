"""When something below a folder has changed and rests again: a folder in, calls out.

The system says so itself, by a library that knows how on each (inotify, FSEvents,
ReadDirectoryChangesW). It is a hint and no more: nothing is said of network drives, nothing
once a tree has more folders than the system will watch, and nothing when the day of a dated post
has come. So `server.watch` walks the folder in any case, and sooner when it is called from here.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from server.looks import GATHER

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

REST_MS = 100
"""Milliseconds without a change after which what was saved together is complete: editors and
git write the files of one command within a few milliseconds of each other."""

log = logging.getLogger(__name__)


def tell(folder: Path, stirred: Callable[[], None]) -> None:
    """Call `stirred` after each burst of changes below `folder`.

    Returns only if the system cannot say; meant for a thread of its own.
    """
    from watchfiles import watch

    try:
        bursts = watch(
            folder,
            watch_filter=None,
            step=REST_MS,
            debounce=int(1000 * GATHER),
            ignore_permission_denied=True,
        )
        for _ in bursts:
            stirred()
    except (OSError, RuntimeError) as error:
        log.info("The system does not tell when posts change (%s); they are looked at.", error)
