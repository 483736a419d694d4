"""OLLAMA_HOST means here what it means to Ollama itself (its own table of cases, and more)."""

import pytest

from blog_search_mcp.index.embedders.client import is_loopback
from blog_search_mcp.index.embedders.ollama.host import resolve_url
from blog_search_mcp.index.errors import UsageError

URLS = {
    "": "http://127.0.0.1:11434",
    "1.2.3.4": "http://1.2.3.4:11434",
    ":1234": "http://127.0.0.1:1234",
    "1.2.3.4:1234": "http://1.2.3.4:1234",
    "example.com": "http://example.com:11434",
    "example.com:1234": "http://example.com:1234",
    "my_container": "http://my_container:11434",
    "ollama.com": "https://ollama.com:443",
    "example.com:": "http://example.com:11434",
    "[::1]": "http://[::1]:11434",
    "::1": "http://[::1]:11434",
    "[::1]:1337": "http://[::1]:1337",
    "[2001:0db8::1]/ollama": "http://[2001:db8::1]:11434/ollama",
    "[::]": "http://[::1]:11434",
    "[::]:1337": "http://[::1]:1337",
    "0.0.0.0": "http://127.0.0.1:11434",
    "http://0.0.0.0:8080": "http://127.0.0.1:8080",
    " 1.2.3.4 ": "http://1.2.3.4:11434",
    ' " 1.2.3.4 " ': "http://1.2.3.4:11434",
    "'1.2.3.4'": "http://1.2.3.4:11434",
    "http://1.2.3.4": "http://1.2.3.4:80",
    "http://1.2.3.4:4321": "http://1.2.3.4:4321",
    "https://1.2.3.4": "https://1.2.3.4:443",
    "https://example.com/ollama": "https://example.com:443/ollama",
    "example.com:56789/path/": "http://example.com:56789/path",
    "http://": "http://127.0.0.1:80",
}


@pytest.mark.parametrize("text", URLS)
def test_every_form_ollama_takes_becomes_the_url_to_connect_to(text: str) -> None:
    assert resolve_url(text) == URLS[text]
    assert resolve_url(URLS[text]) == URLS[text]


@pytest.mark.parametrize(
    "text",
    [
        *("ftp://example.com", "http:localhost", "http://[::1", "-", "not a host", "host:12:34"),
        *(":66000", ":-1", "localhost:0", "example.com:port", "https://[::1]:1e3/x"),
        *("http://localhost:11434#x", "http://localhost:11434/api?x=1"),
        *("http://me:secret@localhost:11434", "me:secret@localhost"),
    ],
)
def test_what_ollama_could_not_have_is_refused_and_no_password_repeated(text: str) -> None:
    with pytest.raises(UsageError, match="OLLAMA_HOST") as raised:
        resolve_url(text)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("text", "loopback"),
    [
        *[(text, True) for text in ("", "localhost", "ollama.localhost:1234", "127.0.0.2")],
        *[(text, True) for text in ("[::1]:1337", "0.0.0.0")],
        *[(text, False) for text in ("192.168.1.5", "example.com", "localhost.example.com")],
    ],
)
def test_loopback_is_this_machine_and_nothing_else(text: str, loopback: bool) -> None:
    assert is_loopback(resolve_url(text)) is loopback
