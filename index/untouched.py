"""What a run that changes nothing makes of its generation's files: unread if untouched, or hashed.

Hashing an index of 24,000 chunks takes longer than all else such a run does.
"""

from __future__ import annotations

from pathlib import Path

from index.layout import GenerationFiles
from index.manifest import Manifest, Seal
from index.seals import verify


def verify_unless_untouched(files: GenerationFiles, manifest: Manifest) -> None:
    """Verify every file if one is not as it lay when the manifest, which is last, was written.

    What a disk alone has changed keeps its size and time, and is found by whoever opens the files.
    Raises IndexBroken.
    """
    written = files.manifest.stat().st_mtime_ns
    sealed = manifest.files.items()
    lie = all(_lies(files.folder / name, seal, written) for name, seal in sealed)
    if not lie or set(files.needed) - manifest.files.keys():
        verify(files, manifest)


def _lies(path: Path, seal: Seal, written: int) -> bool:
    """Whether the file has its sealed size, and was changed last before that instant."""
    try:
        status = path.stat()
    except OSError:
        return False
    return status.st_size == seal.size and status.st_mtime_ns < written
