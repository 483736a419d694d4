"""Ollama's /api/chat as a function: the stand-in's state and a request in, status and body out.

What the model says is the stand-in's `says`, a function of the conversation; which models can
chat and call tools is told by their capabilities.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tests.support.ollama.contract import full_name
from tests.support.ollama.faults import Answer

if TYPE_CHECKING:
    from tests.support.ollama.model import Model
    from tests.support.ollama_standin import OllamaStandIn

CREATED = "2026-11-20T12:00:00.000000Z"


def chat(server: OllamaStandIn, body: Mapping[str, Any]) -> Answer:
    """The checks in Ollama's own order, then the model's turn."""
    name = str(body.get("model", ""))
    model = server.find(name)
    if model is None:
        return _error(404, f"model '{name}' not found")
    messages, tools = body.get("messages") or [], body.get("tools") or []
    if refusal := _incapable(model, name, tools):
        return refusal
    said = _with_ids(server.says(messages, tools))
    ended = {"done_reason": "stop", "done": True} | _counts(messages, said)
    return Answer(200, _turn(name, said) | ended)


def _incapable(model: Model, name: str, tools: Sequence[Any]) -> Answer | None:
    capabilities = model.capabilities or ()
    if "completion" not in capabilities:
        return _error(400, f'"{name}" does not support chat')
    if tools and "tools" not in capabilities:
        known = full_name(model.name)
        return _error(400, f"registry.ollama.ai/library/{known} does not support tools")
    return None


def _turn(name: str, said: Mapping[str, Any]) -> dict[str, Any]:
    return {"model": name, "created_at": CREATED, "message": {"role": "assistant", **said}}


def _with_ids(said: Mapping[str, Any]) -> dict[str, Any]:
    """Number the calls and give each an id, as Ollama does since 0.12."""
    calls = [
        {"id": _id_of(call), "function": {"index": place, **call}}
        for place, call in enumerate(said.get("tool_calls", ()))
    ]
    return {"content": "", **said, **({"tool_calls": calls} if calls else {})}


def _id_of(call: Mapping[str, Any]) -> str:
    return f"call_{hashlib.sha256(json.dumps(call).encode()).hexdigest()[:8]}"


def _counts(messages: Sequence[Any], said: Mapping[str, Any]) -> dict[str, int]:
    return {
        "total_duration": 5_000_000,
        "load_duration": 1_000_000,
        "prompt_eval_count": len(json.dumps(messages)) // 4 + 1,
        "prompt_eval_duration": 2_000_000,
        "eval_count": len(json.dumps(said)) // 4 + 1,
        "eval_duration": 2_000_000,
    }


def _error(status: int, text: str) -> Answer:
    return Answer(status, {"error": text})
