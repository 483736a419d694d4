"""A sentence about a failure comes in; out goes what a client may know of it.

Our own sentences name no place on this machine, but they may quote a neighbour's: Ollama
says which file under the home folder it could not open, and its address may hold a password.
"""

from __future__ import annotations

import re

_PATH = re.compile(
    r"(?<![\w.:/\\~-])(?:file://|~|[A-Za-z]:)?"
    r"(?:[/\\][^\s/\\'\"`,;:()]+)+[/\\]([^\s/\\'\"`,;:()]+)"
)
"""An absolute path of two names or more; a URL's path has no space before it."""
_CREDENTIALS = re.compile(r"(?<=://)[^\s/@]+@")


def for_clients(sentence: str) -> str:
    """Leave of each absolute path its last name, and of each URL no user nor password."""
    return _PATH.sub(r"…/\1", _CREDENTIALS.sub("", sentence))
