"""How a request over HTTP is refused: a status and a sentence come in, a JSON answer goes out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import JSONResponse

if TYPE_CHECKING:
    from collections.abc import Mapping


def refusal(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """Make the answer `{"error": sentence}`."""
    return JSONResponse({"error": sentence}, status, headers=headers)
