"""Ask an MCP server over HTTP once whether it answers."""

from collections.abc import Mapping

SECONDS = 5.0
"""Timeout in seconds. A server takes one second if it has to open its index."""


def ask_server(url: str, headers: Mapping[str, str]) -> tuple[bool, str]:
    """Begin a session at `url`, without following redirects, and describe the answer.

    Returns whether an MCP server answers, and a predicate with `the server` as subject.
    """
    import httpx

    about = {"protocolVersion": "2025-06-18", "capabilities": {}}
    params = about | {"clientInfo": {"name": "blog-search-mcp", "version": "1"}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    accept = {"Accept": "application/json, text/event-stream"}
    try:
        answer = httpx.post(url, json=body, headers={**headers, **accept}, timeout=SECONDS)
    except (httpx.HTTPError, httpx.InvalidURL, TypeError, ValueError) as error:
        return False, f"does not answer now ({str(error) or type(error).__name__})."
    if answer.is_success and '"serverInfo"' in answer.text:
        return True, "answers."
    phrase = httpx.codes.get_reason_phrase(answer.status_code)
    remedy = "; write the entry anew with --token-file" if answer.status_code == 401 else ""
    return False, f"answers with {answer.status_code} {phrase}".rstrip() + f"{remedy}."
