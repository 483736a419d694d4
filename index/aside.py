"""What is in the way, renamed: nothing that somebody may miss is deleted."""

from __future__ import annotations

from pathlib import Path

SUFFIX = ".damaged"


def set_aside(path: Path, *companions: str) -> str:
    """Rename `path`, and the files whose names are its own and a companion's, to `….damaged`.

    An earlier file of that name is replaced, so that a failing disk is not filled. Returns the
    new name. Raises OSError.
    """
    aside = path.with_name(path.name + SUFFIX)
    path.replace(aside)
    for companion in companions:
        beside = path.with_name(path.name + companion)
        if beside.exists():
            beside.replace(aside.with_name(aside.name + companion))
        else:
            aside.with_name(aside.name + companion).unlink(missing_ok=True)
    return aside.name
