"""What an ingest does to a post, with faults at words: processes import it by name."""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING, Any

from blog_search_mcp.ingest.prepare import prepare_post as read_post

if TYPE_CHECKING:
    from blog_search_mcp.ingest.plan import FileToRead
    from blog_search_mcp.ingest.prepare import ParsedResult


def prepare_post(file_to_read: FileToRead, **options: Any) -> ParsedResult:
    """Read a post, but end this process as a fault in a native library or a system without memory
    does, stand still, or take all memory."""
    text = (file_to_read.file.content / file_to_read.file.source).read_text("utf-8")
    if "poison" in text:
        os._exit(139)
    if "sword" in text:
        os.kill(os.getpid(), signal.SIGKILL)
    if "glutton" in text:
        raise MemoryError
    if "tarpit" in text:
        time.sleep(600)
    return read_post(file_to_read, **options)
