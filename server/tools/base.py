"""What a tool is: a definition, a model of its arguments, and the function behind it.

The schema that clients see and the validation come from the same pydantic model. Nothing here
imports the MCP SDK, which takes 0.7 s: the search page and `blog-search-mcp search` use the same
models. Errors are sentences that name the argument, the rule and the value: that is what a model
needs to call again.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Annotated, Any, Generic, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails

from blog_search_mcp.index.errors import UsageError
from blog_search_mcp.index.types import Answer, Filters
from blog_search_mcp.server.engine import Engine
from blog_search_mcp.server.format.results import quote, replace_surrogates
from blog_search_mcp.server.settings import OFFSET_MOST

TEXT_LENGTH = 1_000
"""Longest text of an argument in characters: about 250 English words, more than a small embedder
reads, and longer than any path within a blog."""

ANSWER = 25_000
"""Longest answer in characters, all blocks together: clients cut or refuse answers of about
25,000 tokens, and Chinese takes up to one token a character."""

_DATE = re.compile(r"([0-9]{4})(?:-([0-9]{2}))?(?:-([0-9]{2}))?")


def check_text(text: str, most: int = TEXT_LENGTH) -> str:
    """Return the text. Raises ValueError if it is blank or has more than `most` characters."""
    if not text.strip():
        raise ValueError(f"must not be blank, got {quote(text)}")
    if len(text) > most:
        raise ValueError(f"must be at most {most:,} characters, got {len(text):,}")
    return text


def _read_folder(text: str) -> str | None:
    """Return the folder without slashes around it, `None` for the root: that is the whole blog."""
    return text.strip().strip("/") or None


def _read_day(text: str, *, is_last: bool) -> str:
    """Return the first or last ISO day of a year, month or day. Raises ValueError."""
    match = _DATE.fullmatch(text.strip())
    year, month, day = (int(part or 0) for part in match.groups()) if match else (0, 0, 0)
    try:
        month = month or (12 if is_last else 1)
        day = day or (monthrange(year, month)[1] if is_last else 1)
        return date(year, month, day).isoformat()
    except ValueError:
        rule = "must be a date as YYYY-MM-DD, YYYY-MM or YYYY"
        raise ValueError(f"{rule}, got {quote(text)}") from None


Text = Annotated[str, AfterValidator(check_text)]
"""Not blank and of TEXT_LENGTH at most; the schema leaves that out to save a model's tokens."""
Folder = Annotated[Text, AfterValidator(_read_folder)]
Tag = Annotated[Text, AfterValidator(str.strip)]
FirstDay = Annotated[str, AfterValidator(partial(_read_day, is_last=False))]
LastDay = Annotated[str, AfterValidator(partial(_read_day, is_last=True))]
Offset = Annotated[int, Field(ge=0, le=OFFSET_MOST, description="next_offset of the page before")]


class Arguments(BaseModel):
    """The arguments of one tool."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class FilterArguments(Arguments):
    """The arguments that let only some posts through."""

    section: Annotated[Folder | None, Field(description="Folder of the blog, as in source")] = None
    tag: Tag | None = None
    after: Annotated[
        FirstDay | None,
        Field(description="Posts of this day or later: YYYY-MM-DD, YYYY-MM or YYYY"),
    ] = None
    before: Annotated[LastDay | None, Field(description="Posts of this day or earlier")] = None

    @model_validator(mode="after")
    def _check_days(self) -> Self:
        if self.after and self.before and self.after > self.before:
            days = f"{self.after} and {self.before}"
            raise ValueError(f"after must not be later than before, got {days}")
        return self

    @property
    def filters(self) -> Filters:
        """What a post must satisfy."""
        return Filters(self.section, self.tag, self.after, self.before)


@dataclass(frozen=True, slots=True)
class ToolReply:
    """What a call gives back."""

    texts: tuple[str, ...]
    """One content block each."""
    facts: Mapping[str, Any] | None = None
    """Structured content; a client that finds some shows a model nothing else."""
    answer: Answer | None = None
    """What the call found, if it searched; for the usage log."""
    is_error: bool = False


ArgumentsT = TypeVar("ArgumentsT", bound=Arguments)


@dataclass(frozen=True, slots=True)
class Tool(Generic[ArgumentsT]):
    """One tool as it is registered."""

    name: str
    title: str
    description: str
    arguments: type[ArgumentsT]
    run: Callable[[Engine, ArgumentsT], ToolReply]

    def call(self, searcher: Engine, values: Mapping[str, Any]) -> ToolReply:
        """Check the arguments and run. Raises BlogSearchError."""
        return self.run(searcher, self.parse(values))

    def parse(self, values: Mapping[str, Any]) -> ArgumentsT:
        """Check a JSON object of arguments. Raises UsageError, with a sentence on each fault.

        A null, which models send for "not set", counts as absent, and 5.0 as an integer, as in
        JSON Schema.
        """
        for name in values:
            if name not in self.names:
                known = ", ".join(self.names)
                raise UsageError(f"{self.name} has no argument {quote(name)}; it takes {known}.")
        plain = {name: _plain(value) for name, value in values.items() if value is not None}
        try:
            return self.arguments.model_validate(plain)
        except ValidationError as error:
            raise UsageError(" ".join(map(_describe_fault, error.errors()))) from None

    @property
    def names(self) -> tuple[str, ...]:
        """The arguments' names, those that are required first."""
        fields = self.arguments.model_fields
        return tuple(sorted(fields, key=lambda name: not fields[name].is_required()))

    @property
    def input_schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments, without pydantic's titles and nulls."""
        schema = self.arguments.model_json_schema()
        required = schema.get("required", [])
        facts = schema["properties"]
        return {
            "type": "object",
            "properties": {name: _slim(facts[name]) for name in self.names},
            **({"required": required} if required else {}),
            "additionalProperties": False,
        }


def _describe_fault(error: ErrorDetails) -> str:
    """Write what pydantic finds wrong as one sentence; checks of our own name the value too."""
    rule = error["msg"].removeprefix("Value error, ").replace("Input should", "must")
    rule = rule.replace("Field required", "is missing")
    given = "" if error["type"] in ("missing", "value_error") else f", got {quote(error['input'])}"
    return f"{' '.join([*map(str, error['loc']), rule])}{given}."


def _plain(value: object) -> object:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return replace_surrogates(value) if isinstance(value, str) else value


def _slim(facts: dict[str, Any]) -> dict[str, Any]:
    """Drop a property's title, and the null of one that may be absent."""
    if "anyOf" in facts:
        facts = {**facts["anyOf"][0], **facts}
        del facts["anyOf"], facts["default"]
    return {name: value for name, value in facts.items() if name != "title"}
