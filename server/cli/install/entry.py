"""The entry that a client starts this server by: settings in, fields and a link to click out."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from blog_search_mcp.index.errors import UsageError
from blog_search_mcp.server.cli.install.scripts import SERVER, script_path

if TYPE_CHECKING:
    from blog_search_mcp.server.cli.install.clients import ClientFile
    from blog_search_mcp.server.settings import Settings


def entry_fields(settings: Settings, file: ClientFile) -> dict[str, Any]:
    """Say what the client is to run, by absolute paths: it has a folder and a PATH of its own.

    Raises UsageError if the console script is not installed or a path is no text.
    """
    script = script_path(SERVER)
    if not Path(script).is_absolute():
        raise UsageError(
            "blog-server is not installed beside this Python. "
            "Install the project and run the blog-server that comes with it."
        )
    arguments = ["--index", str(settings.index)]
    if settings.embedder_url:
        arguments += ["--embedder-url", settings.embedder_url]
    if settings.content is not None:
        arguments += ["--content", str(settings.content)]
    kind = {"type": "stdio"} if file.typed else {}
    return {**kind, "command": _text(script), "args": [_text(word) for word in arguments]}


def link(client: str, name: str, fields: dict[str, Any]) -> str | None:
    """Make the address that has the client itself add the entry; `None` if it takes none.

    VS Code wants the name inside the JSON, Cursor beside it, in base64.
    """
    if client == "VS Code":
        return "vscode:mcp/install?" + quote(_compact({"name": name, **fields}), safe="")
    if client == "Cursor":
        config = base64.b64encode(_compact(fields).encode()).decode()
        asked = f"name={quote(name, safe='')}&config={quote(config, safe='')}"
        return f"cursor://anysphere.cursor-deeplink/mcp/install?{asked}"
    return None


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _text(word: str) -> str:
    try:
        word.encode()
    except UnicodeEncodeError as error:
        raise UsageError(
            f"{word!a} is not valid UTF-8, and no client's settings can hold it. Rename the folder."
        ) from error
    return word
