"""OLLAMA_HOST means here what it means to Ollama itself; what no server could have is refused."""

from collections.abc import Callable

import pytest

from blog_search_mcp.index.embedders.endpoints import is_loopback, resolve_ollama, resolve_openai
from blog_search_mcp.index.errors import UsageError

OLLAMAS = {
    "": "http://127.0.0.1:11434",
    "1.2.3.4": "http://1.2.3.4:11434",
    ":1234": "http://127.0.0.1:1234",
    "my_container": "http://my_container:11434",
    "example.com:1234": "http://example.com:1234",
    "[::1]:1337": "http://[::1]:1337",
    "[::]": "http://[::1]:11434",
    "0.0.0.0": "http://127.0.0.1:11434",
    " '1.2.3.4' ": "http://1.2.3.4:11434",
    "http://1.2.3.4": "http://1.2.3.4:80",
    "https://example.com/ollama/": "https://example.com:443/ollama",
    "localhost:11434/": "http://localhost:11434",
    '"http://1.2.3.4:11434/api/embed"': "http://1.2.3.4:11434",
    "1.2.3.4/api/embeddings/": "http://1.2.3.4:11434",
    "http://1.2.3.4:11434/api": "http://1.2.3.4:11434",
    "`http://1.2.3.4:11434/v1`": "http://1.2.3.4:11434",
    "//1.2.3.4//v1/embeddings": "http://1.2.3.4:11434",
    "https://example.com/ollama/api/tags": "https://example.com:443/ollama",
    "fd00::2": "http://[fd00::2]:11434",
}
OTHERS = {
    "gpu:8000": "http://gpu:8000/v1/embeddings",
    "https://gpu/api/v2/": "https://gpu/api/v2/embeddings",
    "http://0.0.0.0:8000/v1": "http://127.0.0.1:8000/v1/embeddings",
    "https://gpu/v1/embeddings/": "https://gpu/v1/embeddings",
    "'gpu:80//v1/embeddings'": "http://gpu:80/v1/embeddings",
    "https://gpu/inference/embeddings": "https://gpu/inference/embeddings",
    "gpu/embeddings": "http://gpu/embeddings",
    "http://gpu:8080/embed": "http://gpu:8080/v1/embeddings",
    "<https://gpu/v1/models>": "https://gpu/v1/embeddings",
    "https://gpu/v1/chat/completions": "https://gpu/v1/embeddings",
    "https://ai.services.ai.azure.com/models?v=1": "https://ai.services.ai.azure.com/models/embeddings?v=1",
    "http://gpu:11434/api/embed": "http://gpu:11434/v1/embeddings",
    "https://a/d/x/?api-version=2": "https://a/d/x/embeddings?api-version=2",
    "https://a/d/x/embeddings?v=2&b=1": "https://a/d/x/embeddings?v=2&b=1",
    "http://gpu:11434/api/embeddings": "http://gpu:11434/v1/embeddings",
    "gpu:11434/api/": "http://gpu:11434/v1/embeddings",
    "https://gpu/api/v3": "https://gpu/api/v3/embeddings",
    "“http://gpu:8080/embed”": "http://gpu:8080/v1/embeddings",
    "https://a.openai.azure.com/": "https://a.openai.azure.com/openai/v1/embeddings",
    "https://b.services.ai.azure.com/models": "https://b.services.ai.azure.com/openai/v1/embeddings",
}


@pytest.mark.parametrize(
    ("resolve", "text", "url"),
    [
        *[(resolve_ollama, text, url) for text, url in OLLAMAS.items()],
        *[(resolve_openai, text, url) for text, url in OTHERS.items()],
    ],
)
def test_an_address_becomes_the_url_to_connect_to(
    resolve: Callable[[str], str], text: str, url: str
) -> None:
    assert resolve(text) == resolve(url) == url


REFUSED = (
    *("ftp://example.com", "http://[::1", "not a host", "host:12:34", ":66000", "localhost:0"),
    *("http://one/v1,http://two/v1", "http://localhost/api#x", "http://me:secret@localhost:1"),
    *("*:11434", "OLLAMA_HOST=gpu", "gpu\\v1"),
)


@pytest.mark.parametrize(
    ("resolve", "text"),
    [(resolve, text) for text in REFUSED for resolve in (resolve_ollama, resolve_openai)]
    + [(resolve_openai, ""), (resolve_openai, ":8000")],
)
def test_what_no_server_could_have_is_refused_and_no_password_repeated(
    resolve: Callable[[str], str], text: str
) -> None:
    with pytest.raises(UsageError, match="--embedder-url") as raised:
        resolve(text)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("loopback", "texts"),
    [
        (True, ("", "localhost", "ollama.localhost:1234", "127.0.0.2", "[::1]:1337", "0.0.0.0")),
        (False, ("192.168.1.5", "example.com", "localhost.example.com")),
    ],
)
def test_loopback_is_this_machine_and_nothing_else(loopback: bool, texts: tuple[str, ...]) -> None:
    assert {is_loopback(resolve_ollama(text)) for text in texts} == {loopback}
