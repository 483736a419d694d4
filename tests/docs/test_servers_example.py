"""examples/servers: the file names what the project has, and agrees with itself."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from blog_search_mcp.server.http.serve import SHUTDOWN_SECONDS
from tests.support.front import served
from tests.support.paths import ROOT

COMPOSE = ROOT / "examples" / "servers" / "compose.yaml"
SERVICES: dict[str, Any] = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))["services"]


def test_the_server_is_started_as_it_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "read_bytes", lambda _path: b"0123456789abcdef")
    arguments = SERVICES["blog"]["command"]
    settings, address = served(*arguments, env={"BLOG_INDEX": "/index"})
    assert str(settings.index) == "/index"
    assert address is not None
    assert (address.port, address.is_any) == (8765, True)
    assert address.token
    assert str(settings.watch) == "/posts"
    assert "index:/index" in SERVICES["blog"]["volumes"]
    assert int(SERVICES["blog"]["stop_grace_period"].removesuffix("s")) > SHUTDOWN_SECONDS
