"""What a request to an embedding server needs before it is made."""

from __future__ import annotations

from tests.support.python import output_of


def test_the_http_client_is_imported_without_its_command_line() -> None:
    code = (
        "import sys; from blog_search_mcp.index.embedders.remote.requests import import_httpx; "
        "import_httpx(); import_httpx(); import httpx; httpx.Client; "
        "print({'click', 'rich', 'httpx._main'} & set(sys.modules)); "
        "import httpx._main; print(httpx._main.main.name)"
    )
    assert output_of(code) == "set()\nmain\n"
