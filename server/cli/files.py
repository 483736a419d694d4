"""Replace a file of a person's in one step, so that whoever reads it never finds half of it."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path

from blog_search_mcp.index.signals import block_interrupts


def replace_file(target: Path, content: bytes, set_permissions: Callable[[Path], None]) -> None:
    """Write the file anew beside the old one and rename it; nothing else stays. Raises OSError.

    A signal that ends the process waits until that is done.
    """
    with block_interrupts(signal.SIGTERM):
        descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        temporary = Path(name)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            set_permissions(temporary)
            temporary.replace(target)
        finally:
            temporary.unlink(missing_ok=True)
