"""The tools that the suite calls: a context and arguments come in, content goes out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from mcp.server import ServerRequestContext
from mcp.types import (
    AudioContent,
    CallToolResult,
    ContentBlock,
    ElicitResult,
    EmbeddedResource,
    ImageContent,
    SamplingMessage,
    TextContent,
    TextResourceContents,
    Tool,
)

from tests.conformance.fixture_files import PNG, WAV

Context = ServerRequestContext[Any]
Given = Mapping[str, Any]
RunTool = Callable[[Context, Given], Awaitable[CallToolResult]]

NO_ARGUMENTS: dict[str, Any] = {"type": "object", "properties": {}}
SCHEMA_2020_12: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
    "additionalProperties": False,
}
USER: dict[str, Any] = {
    "type": "object",
    "properties": {"username": {"type": "string"}, "email": {"type": "string"}},
    "required": ["username", "email"],
}
DEFAULTS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {
            "type": "string",
            "enum": ["active", "inactive", "pending"],
            "default": "active",
        },
        "verified": {"type": "boolean", "default": True},
    },
}
OPTIONS = ["option1", "option2", "option3"]
TITLED = [{"const": f"value{n}", "title": f"Choice {n}"} for n in (1, 2, 3)]
ENUMS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "enum": OPTIONS},
        "titledSingle": {"type": "string", "oneOf": TITLED},
        "legacyEnum": {"type": "string", "enum": OPTIONS, "enumNames": ["One", "Two", "Three"]},
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": OPTIONS}},
        "titledMulti": {"type": "array", "items": {"anyOf": TITLED}},
    },
}

TEXT = TextContent(text="This is a simple text response for testing.")
IMAGE = ImageContent(data=PNG, mime_type="image/png")
AUDIO = AudioContent(data=WAV, mime_type="audio/wav")
EMBEDDED = EmbeddedResource(
    resource=TextResourceContents(
        uri="test://embedded-resource", mime_type="text/plain", text="An embedded resource."
    )
)


def always(*content: ContentBlock, is_error: bool = False) -> RunTool:
    """A tool that answers the same each time."""

    async def run(_context: Context, _given: Given) -> CallToolResult:
        return CallToolResult(content=list(content), is_error=is_error)

    return run


def asking(schema: dict[str, Any]) -> RunTool:
    """A tool that asks the user by `schema` while it runs."""

    async def run(context: Context, given: Given) -> CallToolResult:
        message = str(given.get("message", "Please fill in."))
        said: ElicitResult = await context.session.elicit_form(message, schema, context.request_id)
        return text(f"User response: {said.action}, {said.content}")

    return run


async def logs(context: Context, _given: Given) -> CallToolResult:
    for line in ("started", "processing data", "completed"):
        await context.session.send_log_message("info", line, related_request_id=context.request_id)
    return text("Logged.")


async def reports_progress(context: Context, _given: Given) -> CallToolResult:
    for done in (0, 50, 100):
        await context.session.report_progress(done, 100)
    return text("Reported.")


async def samples(context: Context, given: Given) -> CallToolResult:
    prompt = SamplingMessage(role="user", content=TextContent(text=given["prompt"]))
    said = await context.session.create_message(
        [prompt], max_tokens=100, related_request_id=context.request_id
    )
    return text(f"LLM response: {said.content}")


def text(said: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=said)])


RUN: Mapping[str, RunTool] = {
    "test_simple_text": always(TEXT),
    "test_image_content": always(IMAGE),
    "test_audio_content": always(AUDIO),
    "test_embedded_resource": always(EMBEDDED),
    "test_multiple_content_types": always(TEXT, IMAGE, EMBEDDED),
    "test_error_handling": always(TextContent(text="It always fails."), is_error=True),
    "test_tool_with_logging": logs,
    "test_tool_with_progress": reports_progress,
    "test_sampling": samples,
    "test_elicitation": asking(USER),
    "test_elicitation_sep1034_defaults": asking(DEFAULTS),
    "test_elicitation_sep1330_enums": asking(ENUMS),
    "json_schema_2020_12_tool": always(TEXT),
}
SCHEMAS = {"json_schema_2020_12_tool": SCHEMA_2020_12}
TOOLS = [
    Tool(name=name, description=f"Fixture {name}", input_schema=SCHEMAS.get(name, NO_ARGUMENTS))
    for name in RUN
]
