"""Whether a generation may be gone on from: its files in, refusal or not, at once or beside.

Hashing an index of 24,000 chunks takes longer than all else of a run that changes little. Who
writes to a file changes its size or its time; what a disk alone has changed, only hashing finds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from index.layout import GenerationFiles
from index.manifest import Manifest, Seal
from index.seals import verify, verify_some


def verify_unless_untouched(files: GenerationFiles, manifest: Manifest) -> None:
    """Verify every file if one is not as it lay when the manifest, which is last, was written.

    What a disk alone has changed is left to whoever opens the files. Raises IndexBroken.
    """
    if not _is_untouched(files, manifest):
        verify(files, manifest)


@contextmanager
def verifying(
    files: GenerationFiles, manifest: Manifest, linked: Collection[str]
) -> Iterator[Callable[[], None]]:
    """Verify every file but the `linked` ones while the block copies from them.

    Call what it gives before the block ends: that waits, and raises IndexBroken if a file is
    damaged, since its bytes would else be sealed in the copy. A linked file keeps the seal that
    it has, so whoever opens it verifies it. After an error of the block they are all verified:
    a damaged file is the reason of whatever its reader said.
    """
    with ThreadPoolExecutor(1, thread_name_prefix="verify") as thread:
        whole = thread.submit(verify, files, manifest, linked)
        try:
            yield whole.result
        except Exception:
            whole.result()
            verify_some(files, manifest, linked)
            raise


def _is_untouched(files: GenerationFiles, manifest: Manifest) -> bool:
    written = files.manifest.stat().st_mtime_ns
    sealed = manifest.files.items()
    lie = all(_lies(files.folder / name, seal, written) for name, seal in sealed)
    return lie and not set(files.needed) - manifest.files.keys()


def _lies(path: Path, seal: Seal, written: int) -> bool:
    """Whether the file has its sealed size, and was changed last before that instant."""
    try:
        status = path.stat()
    except OSError:
        return False
    return status.st_size == seal.size and status.st_mtime_ns < written
