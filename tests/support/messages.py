"""Every message the program can give, read from its code: what a reader may search for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from blog_search_mcp.index import errors
from tests.support.paths import ROOT

PACKAGES = ("ingest", "index", "server")
TREE = {name for name, found in vars(errors).items() if isinstance(found, type)}
WORDED = {name for name in TREE if "__init__" in vars(vars(errors)[name])}
"""Classes that make their message themselves."""
LEFT_OUT = "Skipped"
"""Files that an ingest leaves out carry a reason, which people read as a message."""

NOTICES = (
    ("index/search/search.py", "_by_words_alone"),
    ("index/search/confidence.py", "NOTICE"),
    ("index/content/changes.py", "sentence"),
    ("server/format/notices.py", "_why_empty"),
    ("server/protocol/app.py", "_unknown_tool"),
    ("server/watch/watcher.py", "sentence"),
)
"""Functions and constants whose sentences stand beside or instead of an answer."""
PAGE = "server/http/page/words.js"
"""What the search page says by itself."""


@dataclass(frozen=True, slots=True, order=True)
class Message:
    """One message by how it begins."""

    kind: str
    """The error's class, `Skipped`, `notice` or `page`."""
    lead: str
    """Its first sentence, with `…` for each value."""


def every_message() -> set[Message]:
    """Collect the messages of all errors, left-out files and notices."""
    found: set[Message] = set()
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            found |= messages_of(path.read_text(encoding="utf-8"))
    for place, name in NOTICES:
        module = Module((ROOT / place).read_text(encoding="utf-8"))
        said = module.returned(name) | module.constant(name)
        found |= {Message("notice", lead(text)) for text in said or {f"({place} has no {name})"}}
    script = (ROOT / PAGE).read_text(encoding="utf-8")
    said = set(re.findall(r'^export const \w+ =\s+"(.+)";$', script, re.MULTILINE))
    return found | {Message("page", lead(text)) for text in said or {f"({PAGE} says nothing)"}}


def messages_of(code: str) -> set[Message]:
    """Collect what the errors and left-out files made in `code` say."""
    module = Module(code)
    return {Message(kind, lead(text)) for kind, text in module.messages()}


def lead(text: str) -> str:
    """Cut a message down to its first sentence, without what Markdown would read as code."""
    sentence = " ".join(text.split()).replace("`", "").partition(". ")[0].rstrip(".")
    return re.sub("…+", "…", sentence)


class Module:
    """One module's code and the texts in it."""

    def __init__(self, code: str) -> None:
        self.tree = ast.parse(code)
        nodes = list(ast.walk(self.tree))
        self.imports = [node for node in nodes if isinstance(node, ast.ImportFrom)]
        self.functions = [node for node in nodes if isinstance(node, ast.FunctionDef)]
        self.classes = [node for node in nodes if isinstance(node, ast.ClassDef)]

    def messages(self) -> Iterator[tuple[str, str]]:
        """Give the class and the text of each message made here."""
        for function in self.functions:
            for call in (node for node in ast.walk(function) if isinstance(node, ast.Call)):
                kind, said = self._said(function, call)
                if said is not None and not _is_passed_on(said):
                    unknown = {f"({ast.unparse(said)}, whose words cannot be told)"}
                    for text in self.texts(said, function) or unknown:
                        yield kind, text

    def returned(self, name: str) -> set[str]:
        """Give each text that the function `name` may return."""
        return {
            text
            for function in self.functions
            if function.name == name
            for node in ast.walk(function)
            if isinstance(node, ast.Return) and node.value is not None
            for text in self.texts(node.value, function)
        }

    def constant(self, name: str) -> set[str]:
        """Give the text of the module's constant `name`."""
        return {
            str(node.value.value)
            for node in self.tree.body
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name
            if isinstance(node.value, ast.Constant)
        }

    def imported(self, name: str) -> Module:
        """Give the module of ours that `name` comes from; one without code if none is."""
        for each in self.imports:
            place = ROOT / f"{(each.module or '').replace('.', '/')}.py"
            if name in {alias.name for alias in each.names} and place.is_file():
                return Module(place.read_text(encoding="utf-8"))
        return Module("")

    def texts(self, node: ast.expr, function: ast.FunctionDef) -> set[str]:
        """Give what `node` may say; what comes from another message says nothing new."""
        match node:
            case ast.Constant(value=str(text)):
                return {text}
            case ast.JoinedStr(values=parts):
                return {"".join(_part(part) for part in parts)}
            case ast.Tuple(elts=parts):
                return {text for part in parts for text in self.texts(part, function)}
            case ast.Name(id=name):
                inside = {text for value in self._assigned(name, function) for text in value}
                return inside or self.constant(name) or self.imported(name).constant(name)
            case ast.Call(func=ast.Name(id=name)):
                inner = {text for part in node.args for text in self.texts(part, function)}
                made = self.returned(name) or self.imported(name).returned(name)
                return made or (inner if name == "encodable" else set())
        return set()

    def _assigned(self, name: str, function: ast.FunctionDef) -> Iterator[set[str]]:
        for node in ast.walk(function):
            match node:
                case ast.Assign(targets=targets, value=value) if name in map(ast.unparse, targets):
                    yield self.texts(value, function)
                case ast.NamedExpr(target=ast.Name(id=found), value=value) if found == name:
                    yield self.texts(value, function)

    def _said(self, function: ast.FunctionDef, call: ast.Call) -> tuple[str, ast.expr | None]:
        match call:
            case ast.Call(func=ast.Name(id=kind), args=[said, *_]) if kind in TREE - WORDED:
                return kind, said
            case ast.Call(func=ast.Name(id=kind), args=[_, said, *_]) if kind == LEFT_OUT:
                return kind, said
            case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")))):
                owner = next((c.name for c in self.classes if function in c.body), "")
                if owner in TREE and call.args:
                    return owner, call.args[0]
        return "", None


def _is_passed_on(said: ast.expr) -> bool:
    """Whether this repeats an error's own words, or is one of the author's own reasons."""
    return ast.unparse(said) in {"str(error)", "parsed.left_out"}


def _part(part: ast.expr) -> str:
    return str(part.value) if isinstance(part, ast.Constant) else "…"
