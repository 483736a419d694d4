"""What a tool is: its words for a model, a model of its arguments, and the function behind it.

The schema that clients see and the validation come from the same pydantic model. Nothing here
imports the MCP SDK, which takes 0.7 s: the search page and the command line use the tools too. A
refusal names the argument, the rule and the value, which is what a model needs to call again.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import Annotated, Any, Generic, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from blog_search_mcp.index.errors import UsageError
from blog_search_mcp.index.text.display import fold_section, replace_surrogates
from blog_search_mcp.index.types import Answer, Filters
from blog_search_mcp.server.engine import Engine
from blog_search_mcp.server.format import results
from blog_search_mcp.server.settings import MESSAGE_BYTES

TEXT_LENGTH = 1_000
"""Longest text of an argument in characters: about 250 English words, more than a small embedder
reads, and longer than any path within a blog."""
ANSWER = 25_000
"""Longest answer in tokens by `results.count_tokens`, all blocks together: clients cut or refuse
longer ones."""

ABSENT = {"", "null", "none", "undefined", "n/a", "[]", "{}"}
"""What models and proxies write for an argument that is not given, perhaps in quotes."""


def brief(text: str, width: int) -> str:
    """Put a text on one line of at most `width` columns."""
    return results.shorten(results.one_line(text), width)


def check_text(text: str, most: int = TEXT_LENGTH) -> str:
    """Return the text. Raises ValueError if it is blank or has more than `most` characters."""
    if not text.strip():
        raise ValueError(f"must not be blank, got {results.quote(text)}")
    if len(text) > most:
        raise ValueError(f"must be at most {most:,} characters, got {len(text):,}")
    return replace_surrogates(text)


def _read_day(text: str, *, is_last: bool) -> str:
    """Return the first or last ISO day of a year, month or day. Raises ValueError."""
    match = re.fullmatch(r"([0-9]{4})(?:-([0-9]{2}))?(?:-([0-9]{2})(?:T.*)?)?", text.strip())
    year, month, day = (int(part or 0) for part in match.groups()) if match else (0, 0, 0)
    month = month or (12 if is_last else 1)
    try:
        return date(year, month, day or (monthrange(year, month)[1] if is_last else 1)).isoformat()
    except ValueError:
        rule = "must be a date as YYYY-MM-DD, YYYY-MM or YYYY"
        raise ValueError(f"{rule}, got {results.quote(text)}") from None


LongText = Annotated[str, AfterValidator(partial(check_text, most=MESSAGE_BYTES))]
"""Not blank; what is too long for use is cut where it is used, and that is said."""
Text = Annotated[str, AfterValidator(check_text)]
"""Not blank and of TEXT_LENGTH at most; the schema leaves that out to save a model's tokens."""
Section = Annotated[Text, AfterValidator(lambda text: fold_section(text) or None)]
"""Path of a folder of posts as sources have it, `None` for the root, which is the whole blog."""
Tag = Annotated[Text, AfterValidator(str.strip)]
FirstDay = Annotated[str, AfterValidator(partial(_read_day, is_last=False))]
LastDay = Annotated[str, AfterValidator(partial(_read_day, is_last=True))]
Offset = Annotated[int, Field(ge=0, le=10_000, description="next_offset of the page before")]


class Arguments(BaseModel):
    """The arguments of one tool; a value of another type is taken as pydantic reads it: `"5"`."""

    model_config = ConfigDict(frozen=True, coerce_numbers_to_str=True, extra="forbid")


class FilterArguments(Arguments):
    """The arguments that let only some posts through."""

    section: Section | None = Field(default=None, description="Folder of the blog, as in source")
    tag: Tag | None = None
    author: Tag | None = None
    after: FirstDay | None = Field(
        default=None, description="Posts of this day or later: YYYY-MM-DD, YYYY-MM or YYYY"
    )
    before: LastDay | None = Field(default=None, description="Posts of this day or earlier")

    @property
    def filters(self) -> Filters:
        """What a post must satisfy."""
        return Filters(self.section, self.tag, self.after, self.before, self.author)


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

    def with_notice(self, notice: str) -> ToolReply:
        """Add a sentence, if there is one, to the facts' notice or to the last text."""
        if not notice:
            return self
        if self.facts is None:
            return replace(self, texts=(*self.texts[:-1], f"{self.texts[-1]}\nnotice: {notice}"))
        notices = " ".join(filter(None, (self.facts.get("notice"), notice)))
        return self.of_facts({**self.facts, "notice": notices}, self.answer)

    @classmethod
    def of_facts(cls, facts: Mapping[str, Any], answer: Answer | None = None) -> Self:
        """Give facts as structured content, and as text to clients that know none."""
        return cls((results.to_json(facts),), facts, answer)


ArgumentsT = TypeVar("ArgumentsT", bound=Arguments)


def check_arguments(model: type[ArgumentsT], values: Mapping[str, object]) -> ArgumentsT:
    """Check values by a model. Raises UsageError, with a sentence on each fault."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise UsageError(" ".join(map(_describe_fault, error.errors()))) from None


@dataclass(frozen=True, slots=True)
class Tool(Generic[ArgumentsT]):
    """One tool as it is registered."""

    name: str
    title: str
    arguments: type[ArgumentsT]
    run: Callable[[Engine, ArgumentsT], ToolReply]
    """Does a call; raises BlogSearchError. The second paragraph of its docstring is for models."""

    def call(self, engine: Engine, values: Mapping[str, Any]) -> ToolReply:
        """Check the arguments and run; a notice names others, which some clients add to each call.

        Raises BlogSearchError.
        """
        others = self._name_others(values)
        known = {name: values[name] for name in self.names if name in values}
        try:
            reply = self.run(engine, self.parse(known))
        except UsageError as error:
            raise UsageError(f"{error} {others}".strip()) from error
        return reply.with_notice(others)

    def parse(self, values: Mapping[str, Any]) -> ArgumentsT:
        """Check a JSON object of arguments. Raises UsageError, with a sentence on each fault."""
        if complaint := self._name_others(values):
            raise UsageError(complaint)
        fields = self.arguments.model_fields
        present = {
            name: value[0] if isinstance(value, list) and len(value) == 1 else value
            for name, value in values.items()
            if name in fields and (fields[name].is_required() or not is_absent(value))
        }
        return check_arguments(self.arguments, present)

    def _name_others(self, values: Mapping[str, Any]) -> str:
        """Name the arguments that there are none of, in a sentence; empty for none."""
        fields = self.arguments.model_fields
        others = [name for name in values if name not in fields and not is_absent(values[name])]
        if not others:
            return ""
        unknown, known = ", ".join(map(results.quote, others[:5])), ", ".join(self.names)
        return f"{self.name} has no argument {unknown}; it takes {known}."

    @property
    def description(self) -> str:
        """What a model reads of the tool."""
        return " ".join((self.run.__doc__ or "").split("\n\n")[1].split())

    @property
    def names(self) -> tuple[str, ...]:
        """The arguments' names, those that are required first."""
        fields = self.arguments.model_fields
        return tuple(sorted(fields, key=lambda name: not fields[name].is_required()))

    @property
    def input_schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments, without pydantic's titles and nulls."""
        schema = self.arguments.model_json_schema()
        return {
            "type": "object",
            "properties": {name: _slim(schema["properties"][name]) for name in self.names},
            **{name: schema[name] for name in ("required",) if name in schema},
            "additionalProperties": False,
        }


def _describe_fault(error: ErrorDetails) -> str:
    """Write what pydantic finds wrong as one sentence; checks of our own name the value too."""
    rule = error["msg"].removeprefix("Value error, ").replace("Input should", "must")
    words = [*map(str, error["loc"]), rule.replace("Field required", "is missing")]
    value = "" if error["type"] in ("missing", "value_error") else results.quote(error["input"])
    return f"{' '.join(words)}{value and ', got '}{value}."


def is_absent(value: object) -> bool:
    """Tell whether a value stands for none, where an argument need not be given."""
    if isinstance(value, str):
        return value.strip().strip("\"'").strip().lower() in ABSENT
    return value in (None, [], {})


def _slim(facts: dict[str, Any]) -> dict[str, Any]:
    """Drop a property's title, and the null of one that may be absent."""
    if "anyOf" in facts:
        facts = {**facts["anyOf"][0], **facts}
        del facts["anyOf"], facts["default"]
    return {name: value for name, value in facts.items() if name != "title"}
