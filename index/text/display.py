"""Words that others wrote, made safe to write, to show on one line and to compare."""

import re
import unicodedata
from functools import partial

_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f]")
_TURNS = re.compile("[\u202a-\u202e\u2066-\u2069]")


def to_line(words: str) -> str:
    """Put words on one line, without control characters or halves of a surrogate pair.

    Those that turn the direction of what follows them count; marks of direction do not.
    """
    shown = _CONTROLS.sub(" ", _TURNS.sub("", words))
    return " ".join(replace_surrogates(shown).split())


def replace_surrogates(text: str) -> str:
    """Return the text with `?` for each lone surrogate, which UTF-8 cannot carry."""
    return text.encode("utf-8", "replace").decode("utf-8")


def fold_tag(tag: str) -> str:
    """Return a tag as it is compared: it passes each tag whose own form begins with this one."""
    return compose(tag).strip("#/ ").casefold() + "/"


def fold_section(path: str) -> str:
    """Return the path of a folder of posts as it stands in sources, `""` for the root."""
    return compose(path.strip()).replace("\\", "/").removeprefix("./").strip("/")


compose = partial(unicodedata.normalize, "NFC")
"""Gives a name the form that is one for a file system's and a keyboard's letters."""
