"""What a request to an embedding server needs before it is made."""

from __future__ import annotations

import pytest

from blog_search_mcp.index.embedders.ollama.client import OllamaClient
from blog_search_mcp.index.embedders.openai.client import OpenAIClient
from blog_search_mcp.index.embedders.remote.requests import FOR_DOCUMENTS
from tests.support.python import output_of


def test_the_http_client_is_imported_without_its_command_line() -> None:
    code = (
        "import sys; from blog_search_mcp.index.embedders.remote.requests import import_httpx; "
        "import_httpx(); import_httpx(); import httpx; httpx.Client; "
        "print({'click', 'rich', 'httpx._main'} & set(sys.modules)); "
        "import httpx._main; print(httpx._main.main.name)"
    )
    assert output_of(code) == "set()\nmain\n"


@pytest.mark.parametrize("make", [OllamaClient, OpenAIClient])
@pytest.mark.parametrize("mistake", [AttributeError("no such name"), MemoryError()])
def test_a_mistake_of_the_program_is_no_fault_of_the_server(
    make: type[OllamaClient | OpenAIClient], mistake: Exception
) -> None:
    tries = []

    def send(client: object) -> None:
        tries.append(client)
        raise mistake

    with pytest.raises(type(mistake)):
        make("http://127.0.0.1:9").request(send, FOR_DOCUMENTS)
    assert len(tries) == 1
