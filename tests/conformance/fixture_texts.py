"""The resources and prompts that the suite asks for: a URI or a name comes in, a text goes out."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping

from mcp import MCPError
from mcp.types import (
    INVALID_PARAMS,
    BlobResourceContents,
    ContentBlock,
    EmbeddedResource,
    GetPromptResult,
    ImageContent,
    Prompt,
    PromptArgument,
    PromptMessage,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
)

from tests.conformance.fixture_files import PNG

Arguments = Mapping[str, str]

RESOURCES = [
    Resource(uri=f"test://{name}", name=name, description=f"Fixture {name}")
    for name in ("static-text", "static-binary", "watched-resource")
]
TEMPLATE = ResourceTemplate(
    uri_template="test://template/{id}/data", name="template", description="Fixture template"
)


def read(uri: str) -> ReadResourceResult:
    """Raises MCPError for what is not there."""
    if uri == "test://static-binary":
        blob = BlobResourceContents(uri=uri, mime_type="image/png", blob=PNG)
        return ReadResourceResult(contents=[blob])
    if match := re.fullmatch(r"test://template/([^/]+)/data", uri):
        return _text(uri, "application/json", json.dumps({"id": match[1]}))
    if any(uri == resource.uri for resource in RESOURCES):
        return _text(uri, "text/plain", "This is the content of the static text resource.")
    raise MCPError(INVALID_PARAMS, f"Unknown resource {uri}")


def _text(uri: str, mime_type: str, said: str) -> ReadResourceResult:
    contents = TextResourceContents(uri=uri, mime_type=mime_type, text=said)
    return ReadResourceResult(contents=[contents])


def prompt(name: str, arguments: Arguments) -> GetPromptResult:
    """Raises MCPError for what is not there."""
    if name not in MADE:
        raise MCPError(INVALID_PARAMS, f"Unknown prompt {name}")
    content = MADE[name](arguments)
    return GetPromptResult(messages=[PromptMessage(role="user", content=each) for each in content])


def _embedded(arguments: Arguments) -> list[ContentBlock]:
    resource = TextResourceContents(
        uri=arguments["resourceUri"], mime_type="text/plain", text="Embedded for testing."
    )
    return [EmbeddedResource(resource=resource), TextContent(text="Please process it.")]


MADE: Mapping[str, Callable[[Arguments], list[ContentBlock]]] = {
    "test_simple_prompt": lambda _: [TextContent(text="This is a simple prompt for testing.")],
    "test_prompt_with_arguments": lambda given: [
        TextContent(text=f"arg1='{given['arg1']}', arg2='{given['arg2']}'")
    ],
    "test_prompt_with_embedded_resource": _embedded,
    "test_prompt_with_image": lambda _: [
        ImageContent(data=PNG, mime_type="image/png"),
        TextContent(text="Please analyze the image above."),
    ],
}
ARGUMENTS = {
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
}
PROMPTS = [
    Prompt(
        name=name,
        description=f"Fixture {name}",
        arguments=[PromptArgument(name=each, required=True) for each in ARGUMENTS.get(name, ())],
    )
    for name in MADE
]
