"""Replace a file of the author's in one step, so that whoever reads it never finds half of it."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path

from blog_search_mcp.index.errors import UsageError
from blog_search_mcp.index.signals import block_interrupts


def replace_file(target: Path, content: bytes, set_permissions: Callable[[Path], None]) -> None:
    """Write the file anew beside the old one and rename it; nothing else stays. Raises OSError.

    A signal that ends the process waits until that is done.
    """
    with block_interrupts(signal.SIGTERM):
        _replace_file(target, content, set_permissions)


def _replace_file(target: Path, content: bytes, set_permissions: Callable[[Path], None]) -> None:
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


def write_output(path: Path, content: bytes) -> bool:
    """Write the file of `--out` and return whether it changed; an unchanged one stays as it is.

    So that no generator that watches it builds for nothing. Raises UsageError.
    """
    try:
        if path.is_file() and path.read_bytes() == content:
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, content, lambda written: written.chmod(0o644))
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written: {error.strerror}. Name a file of your own with --out."
        ) from error
    return True
