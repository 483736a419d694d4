"""A tool: its description for models, its arguments as a pydantic model, and its function.

The schema that clients see and the validation come from the same pydantic model. This module does
not import the MCP SDK (0.7 s), since the search page and the command line use the tools too. An
error names the argument, the rule and the value, so that a model can correct its call.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Generic, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from blog_search_mcp.index.errors import UsageError
from blog_search_mcp.index.text.display import replace_surrogates
from blog_search_mcp.index.types import Filters
from blog_search_mcp.server.engine import Engine
from blog_search_mcp.server.format import results
from blog_search_mcp.server.settings import MESSAGE_BYTES

MAX_TEXT = 1_000
"""Maximum characters of a text argument; a small embedder reads little more."""
MAX_ANSWER = 25_000
"""Maximum tokens of an answer, by `results.count_tokens`. Clients cut or refuse longer ones."""
ABSENT = {"", "null", "none", "undefined", "n/a", "[]", "{}", "*", "any", "all"}
"""Values, in lower case, that models and proxies send instead of omitting an argument."""


def check_text(text: str, most: int = MAX_TEXT) -> str:
    """Return the text, surrogates replaced. Raises ValueError if blank or longer than `most`."""
    if not text.strip():
        raise ValueError(f"must not be blank, got {results.quote(text)}")
    if len(text) > most:
        raise ValueError(f"must be at most {most:,} characters, got {len(text):,}")
    return replace_surrogates(text)


def _read_day(text: str, *, is_last: bool) -> str:
    """Return the first or last ISO day of a day, month or year. Raises ValueError."""
    from blog_search_mcp.index.search.requests import read_days

    try:
        return read_days(text)[is_last]
    except (ValueError, OverflowError):
        rule = "must be a date as YYYY-MM-DD, YYYY-MM or YYYY"
        raise ValueError(f"{rule}, got {results.quote(text)}") from None


_ROWS = (Path(__file__).parent / "argument_names.txt").read_text("utf-8").splitlines()
OTHER_NAMES = [(name, row.partition("\t")[0]) for row in _ROWS for name in row.split()]
"""Pairs (name, argument). A name is the argument, another name, or `*` and a word of longer names
(`published_after`). The second may be `""`, for a filter no tool has, or a choice (`newest`)."""
LongText = Annotated[str, AfterValidator(partial(check_text, most=MESSAGE_BYTES))]
"""Text that is not blank, up to MESSAGE_BYTES characters. A tool that shortens it reports that."""
Text = Annotated[str, AfterValidator(check_text)]
"""Text that is not blank, up to MAX_TEXT characters; the schema omits this to save tokens."""
Section = Annotated[Text, AfterValidator(lambda text: text if text.strip("./\\ ") else None)]
"""Path of a folder of posts. A path to the root, the whole blog, becomes `None`."""
Tag = Annotated[Text, AfterValidator(str.strip)]
FirstDay = Annotated[str, AfterValidator(partial(_read_day, is_last=False))]
LastDay = Annotated[str, AfterValidator(partial(_read_day, is_last=True))]
Offset = Annotated[int, Field(ge=0, le=10_000, description="results to skip")]


class Arguments(BaseModel):
    """The arguments of one tool. Pydantic converts values, for example `"5"` to 5."""

    model_config = ConfigDict(frozen=True, coerce_numbers_to_str=True, extra="forbid")


class FilterArguments(Arguments):
    """The arguments that restrict a search or a list to some posts."""

    section: Section | None = Field(default=None, description="Folder, as in source")
    tag: Tag | None = Field(default=None, description="Any of several")
    author: Tag | None = None
    after: FirstDay | None = Field(
        default=None, description="This day or later: YYYY-MM-DD, YYYY-MM or YYYY"
    )
    before: LastDay | None = Field(default=None, description="This day or earlier")

    @property
    def filters(self) -> Filters:
        """The conditions that a post must satisfy."""
        return Filters(self.section, self.tag, self.after, self.before, self.author)


@dataclass(frozen=True, slots=True)
class ToolReply:
    """The result of a call."""

    texts: tuple[str, ...]
    facts: Mapping[str, Any] | None = None
    """Structured content. If there is any, some clients show a model nothing else."""
    is_error: bool = False

    def with_notice(self, notice: str) -> Self:
        """Return the reply with a sentence added to its notice; `""` changes nothing."""
        if not notice:
            return self
        if self.facts is None:
            return replace(self, texts=(*self.texts[:-1], f"{self.texts[-1]}\nnotice: {notice}"))
        notices = " ".join(filter(None, (self.facts.get("notice"), notice)))
        return self.of_facts({**self.facts, "notice": notices})

    @classmethod
    def of_facts(cls, facts: Mapping[str, Any]) -> Self:
        """Make a reply of facts: structured content, and JSON text for clients that lack it."""
        return cls((results.to_json(facts),), facts)


ArgumentsT = TypeVar("ArgumentsT", bound=Arguments)


def check_arguments(model: type[ArgumentsT], values: Mapping[str, object]) -> ArgumentsT:
    """Validate values; choices may have other names, and numbers are clamped. Raises UsageError."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        faults = [("".join(map(str, fault["loc"])), fault) for fault in error.errors()]
    bounds = {n: bound for n, f in faults if "_equal" in f["type"] for bound in f["ctx"].values()}
    words = {n: _mean_choice(fault) for n, fault in faults if fault["type"] == "literal_error"}
    if (meant := {**values, **bounds, **words}) == values:
        raise UsageError(" ".join(_describe_fault(fault) for _, fault in faults))
    return check_arguments(model, meant)


def _mean_choice(fault: ErrorDetails) -> str:
    """Return the choice that a rejected value means, else the value in lower case."""
    word, choices = str(fault["input"]).strip().lower(), fault["ctx"]["expected"]
    meant = (name for other, name in OTHER_NAMES if other == word and f"'{name}'" in choices)
    return next(meant, word)


@dataclass(frozen=True, slots=True)
class Tool(Generic[ArgumentsT]):
    """A tool that a server offers."""

    name: str
    title: str
    arguments: type[ArgumentsT]
    run: Callable[[Engine, ArgumentsT], ToolReply]
    """Function that runs a call; may raise BlogSearchError. The second paragraph of its docstring
    is the description for models."""

    def call(self, engine: Engine, values: Mapping[str, Any]) -> ToolReply:
        """Validate the arguments and run the tool.

        Unknown arguments, which some clients add to every call, are named in the notice. Raises
        BlogSearchError, also for an argument that means a filter which no tool has.
        """
        inner = next(iter(values.values()), None)
        if len(values) == 1 and isinstance(inner, dict) and {*inner} & {*self.names}:
            values = inner  # some models wrap the arguments in an object
        values = self._rename(values)
        others = self._describe_unknown(values)
        known = {name: values[name] for name in self.names if name in values}
        try:
            reply = self.run(engine, self.parse(known))
        except UsageError as error:
            raise UsageError(f"{error} {others}".strip()) from error
        return reply.with_notice(others)

    def _rename(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Rename arguments by OTHER_NAMES. Raises UsageError for a filter that no tool has."""
        fields, renamed = {*self.arguments.model_fields, ""}, dict(values)
        for name in values.keys() - fields:
            words = re.findall("[a-z]+", re.sub("(?<=[a-z])(?=[A-Z])", " ", name).lower())
            said = ["".join(words), *(f"*{word}" for word in reversed(words))]
            meant = (f for each in said for other, f in OTHER_NAMES if other == each)
            field = next((field for field in meant if field in fields), None)
            if field == "" and not is_absent(values[name]):
                raise UsageError(self._describe_unknown({name: values[name]}))
            if field and is_absent(renamed.get(field)):
                renamed[field] = renamed.pop(name)
        return renamed

    def parse(self, values: Mapping[str, Any]) -> ArgumentsT:
        """Validate a JSON object of arguments; a list becomes text. Raises UsageError."""
        if complaint := self._describe_unknown(values):
            raise UsageError(complaint)
        fields = self.arguments.model_fields
        present = {
            name: "; ".join(map(str, value)) if isinstance(value, list) else value
            for name, value in values.items()
            if name in fields and (fields[name].is_required() or not is_absent(value))
        }
        return check_arguments(self.arguments, present)

    def _describe_unknown(self, values: Mapping[str, Any]) -> str:
        """Return a sentence that names unknown arguments, `""` if there are none."""
        fields = self.arguments.model_fields
        others = [name for name in values if name not in fields and not is_absent(values[name])]
        if not others:
            return ""
        unknown, known = ", ".join(map(results.quote, others[:5])), ", ".join(self.names)
        return f"{self.name} has no argument {unknown}; it takes {known}."

    @property
    def description(self) -> str:
        """Description for models: the second paragraph of the docstring of `run`."""
        return " ".join((self.run.__doc__ or "").split("\n\n")[1].split())

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the arguments, required ones first."""
        fields = self.arguments.model_fields
        return tuple(sorted(fields, key=lambda name: not fields[name].is_required()))

    @property
    def input_schema(self) -> dict[str, Any]:
        """JSON schema of the arguments without pydantic's titles and nulls, to save tokens."""
        schema = self.arguments.model_json_schema()
        return {
            "type": "object",
            "properties": {name: _slim(schema["properties"][name]) for name in self.names},
            **{name: schema[name] for name in ("required",) if name in schema},
            "additionalProperties": False,
        }


def _describe_fault(error: ErrorDetails) -> str:
    """Write an error of pydantic as one sentence; our own checks name the value themselves."""
    rule = error["msg"].removeprefix("Value error, ").replace("Input should", "must")
    words = [*map(str, error["loc"]), rule.replace("Field required", "is missing")]
    value = "" if error["type"] in ("missing", "value_error") else results.quote(error["input"])
    return f"{' '.join(words)}{value and ', got '}{value}."


def is_absent(value: object) -> bool:
    """Whether a value of an optional argument means that it is left out."""
    if isinstance(value, str):
        return value.strip().strip("\"'").strip().lower() in ABSENT
    return all(map(is_absent, value)) if isinstance(value, list) else value in (None, {})


def _slim(facts: dict[str, Any]) -> dict[str, Any]:
    """Return a property's schema without title and, if it may be null, without null and default."""
    if "anyOf" in facts:
        facts = {**facts["anyOf"][0], **facts}
        del facts["anyOf"], facts["default"]
    return {name: value for name, value in facts.items() if name != "title"}
