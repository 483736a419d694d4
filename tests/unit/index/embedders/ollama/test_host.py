"""OLLAMA_HOST means here what it means to Ollama itself (its own table of cases, and more)."""

import pytest

from blog_search_mcp.index.embedders.ollama.host import is_loopback, resolve_url
from blog_search_mcp.index.errors import UsageError

CORRECT = "Correct OLLAMA_HOST or --embedder-url: an address such as http://127.0.0.1:11434."


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("", "http://127.0.0.1:11434"),
        ("1.2.3.4", "http://1.2.3.4:11434"),
        (":1234", "http://127.0.0.1:1234"),
        ("1.2.3.4:1234", "http://1.2.3.4:1234"),
        ("example.com", "http://example.com:11434"),
        ("example.com:1234", "http://example.com:1234"),
        ("ollama.com", "https://ollama.com:443"),
        ("example.com:", "http://example.com:11434"),
        ("[::1]", "http://[::1]:11434"),
        ("::1", "http://[::1]:11434"),
        ("[::1]:1337", "http://[::1]:1337"),
        ("[2001:0db8::1]/ollama", "http://[2001:db8::1]:11434/ollama"),
        ("[::]", "http://[::1]:11434"),
        ("[::]:1337", "http://[::1]:1337"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:8080", "http://127.0.0.1:8080"),
        ("http://0.0.0.0:8080", "http://127.0.0.1:8080"),
        (" 1.2.3.4 ", "http://1.2.3.4:11434"),
        ('"1.2.3.4"', "http://1.2.3.4:11434"),
        (' " 1.2.3.4 " ', "http://1.2.3.4:11434"),
        ("'1.2.3.4'", "http://1.2.3.4:11434"),
        ("http://1.2.3.4", "http://1.2.3.4:80"),
        ("http://1.2.3.4:4321", "http://1.2.3.4:4321"),
        ("https://1.2.3.4", "https://1.2.3.4:443"),
        ("https://1.2.3.4:4321", "https://1.2.3.4:4321"),
        ("https://example.com/ollama", "https://example.com:443/ollama"),
        ("example.com:56789/path/", "http://example.com:56789/path"),
        ("http://", "http://127.0.0.1:80"),
    ],
)
def test_every_form_ollama_takes_becomes_the_url_to_connect_to(text: str, url: str) -> None:
    assert resolve_url(text) == url
    assert resolve_url(url) == url


def test_a_scheme_ollama_does_not_speak_is_refused_in_a_sentence() -> None:
    with pytest.raises(UsageError, match="neither http:// nor https://"):
        resolve_url("ftp://example.com")


@pytest.mark.parametrize(
    ("text", "port"),
    [
        (":66000", "66000"),
        (":-1", "-1"),
        ("localhost:0", "0"),
        ("example.com:port", "port"),
        ("http://1.2.3.4:99999", "99999"),
        ("https://[::1]:1e3/x", "1e3"),
    ],
)
def test_a_port_out_of_range_is_refused_as_the_client_trips_on_it(text: str, port: str) -> None:
    with pytest.raises(UsageError) as raised:
        resolve_url(text)
    assert str(raised.value) == (
        f"The address of Ollama, {text}, has the port {port}, which is no number from 1 to 65535. "
        f"{CORRECT}"
    )


@pytest.mark.parametrize("text", ["http://me:secret@localhost:11434", "me:secret@localhost"])
def test_a_password_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(UsageError) as raised:
        resolve_url(text)
    assert str(raised.value) == (
        f"The address of Ollama holds a name or password, which Ollama does not ask for. {CORRECT}"
    )


@pytest.mark.parametrize(
    "text",
    [
        *("not a host", "host:12:34", "http:localhost", "http://[::1", "-"),
        *("http://localhost:11434#x", "http://localhost:11434/api?x=1"),
    ],
)
def test_what_is_no_address_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as raised:
        resolve_url(text)
    assert str(raised.value) == f"{text!r} is no address that Ollama could have. {CORRECT}"


@pytest.mark.parametrize(
    ("text", "loopback"),
    [
        ("", True),
        ("localhost", True),
        ("ollama.localhost:1234", True),
        ("127.0.0.2", True),
        ("[::1]:1337", True),
        ("0.0.0.0", True),
        ("192.168.1.5", False),
        ("example.com", False),
        ("localhost.example.com", False),
    ],
)
def test_loopback_is_this_machine_and_nothing_else(text: str, loopback: bool) -> None:
    assert is_loopback(resolve_url(text)) is loopback
