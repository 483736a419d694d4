"""Books, and sites whose configuration is a program; only its literal settings are read."""

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar, Self
from urllib.parse import unquote

from blog_search_mcp.ingest.posts.ignore_rules import write_rules
from blog_search_mcp.ingest.sites.configuration import Config, read_settings
from blog_search_mcp.ingest.sites.generator import Default, Generator, clean_folder

_INCLUDES = {"docusaurus": "mdx", "eleventy": "jinja", "vitepress": "vue", "book.toml": "hash"}
_INCLUDES |= dict.fromkeys(("liquid_tags", "jinja2content"), "of a plugin")
"""Syntax of includes by program: https://docusaurus.io/docs/markdown-features/react,
https://www.11ty.dev/docs/languages/liquid/, https://vitepress.dev/guide/markdown,
https://rust-lang.github.io/mdBook/format/mdbook.html#including-files"""
_PROGRAMS = ("astro.config", "docusaurus.config", "eleventy.config", ".eleventy", "quartz.config")
_SETTINGS = (
    ("docusaurus", "(?!)", "", "exclude", "**/"),
    ("vitepress", "srcDir", "", "srcExclude", "**/"),
    ("eleventy", "input", "", "ignores", "/"),
    ("astro", "(?!)", "", "pattern", "!**/"),
    ("docusaurus", "(?!)", "", "include", "!**/"),
    ("quartz", "(?!)", "content", "ignorePatterns", "/"),
    ("pelican", "PATH", "", "(?:ARTICLE|PAGE)_EXCLUDES", "/"),
    ("pelican", "PATH", "", "IGNORE_FILES", "**/*"),
    ("book.toml", "src", "src", "(?!)", ""),
    ("book", "root", "", "(?!)", ""),
)
"""Program, setting of the posts' folder, its default, setting of files not to build, form of rules:
https://docusaurus.io/docs/api/plugins, https://docs.getpelican.com,
https://www.11ty.dev/docs/ignores, https://quartz.jzhao.xyz/features/private-pages,
https://vitepress.dev/reference/site-config. `(?!)` stands for no setting. A form with `!`
is for the globs of a list that begin with `!`, other forms for all of them."""
_STRING = r"\"[^\"\n]*+\"|'[^'\n]*+'|`[^`]*+`"
_LIST = rf"[\"']?(?:\.(?:add|append|extend|push)|\s*+\+?[:=])?\s*+[\[(]((?:{_STRING}|[^\])\"'`])*+)"
_REMARK = re.compile(rf"({_STRING})|(?:(?<!:)//|#)[^\n]*+|/\*(?:[^*]|\*(?!/))*+")
_METADATA = re.compile(r"^DEFAULT_METADATA *= *(\{[^{}]*\})", re.MULTILINE)


class ScriptSite(Generator):
    """Site without known URLs: its configuration is a program, or it is a book."""

    files: ClassVar = (
        *(f"{name}.{kind}{end}s" for name in _PROGRAMS for kind in ("", "m", "c") for end in "jt"),
        *(f".vitepress/config.{kind}{end}s" for kind in ("", "m", "c") for end in "jt"),
        *(
            f"src/content{at}config.{kind}{end}s"
            for at in "./"
            for kind in ("", "m")
            for end in "jt"
        ),
        *(".vitepress", "pelicanconf.py", "book.toml", ".gitbook.yaml", "book.json", "book.js"),
    )
    never: ClassVar = (
        *("/build/", "/dist/", "/output/", "/public/", "/static/", "/_site/", "/theme/"),
        *("/themes/", "/plugins/", "_data/", "_includes/", "_partials/"),
    )
    """Folders with built, copied or included files."""

    @classmethod
    def read(cls, config: Config, folder: Path, fault: str) -> Self:  # noqa: ARG003
        """Make the generator from literal settings of its program, or a book's from SUMMARY.md."""
        from blog_search_mcp.ingest.posts.front_matter import salvage_fields

        names = [name for name in cls.files if (folder / name).exists()]
        text = "\n".join(read_settings(folder, name) for name in names if name != ".vitepress")
        code, program = _REMARK.sub(lambda part: part[1] or "", text), " ".join(names)
        fields = salvage_fields("".join(_METADATA.findall(code)))
        fields |= {"publish": "no"} if "ExplicitPublish" in code else {}  # a filter of Quartz
        _, setting, home, *_ = next((row for row in _SETTINGS if row[0] in program), _SETTINGS[0])
        value = re.search(rf"\b{setting}[\"']?\s*+[:=]\s*+({_STRING}|[\w./-]++)", code)
        home = clean_folder(value[1].strip("\"'`") if value else home)
        home = home if (folder / home).is_dir() else ""
        plugins = " ".join((program, *re.findall("liquid_tags|jinja2content", code)))
        includes = frozenset(form for name, form in _INCLUDES.items() if name in plugins)
        rules, listed = (*_list_ignored(folder, home, code, program),), frozenset[str]()
        if "book" in program:
            named = re.search(r"\bsummary[\"']?\s*:\s*[\"']?([\w./-]+)", code)
            summary = read_settings(
                folder, posixpath.join(home, named[1] if named else "SUMMARY.md")
            )
            paths = re.findall(r"\]\(<?([^()<>#\n]+?)(?=[)>#]|[ \t][\"'])", summary)
            paths += ["README.md"] if paths and "book.toml" not in program else []
            places = (posixpath.join(home, unquote(path.strip())) for path in paths)
            listed = frozenset(map(posixpath.normpath, places))
        known = {"folder": home, "includes": includes, "rules": rules, "listed": listed}
        doubt = "its generator's configuration is a program, which is not run"
        reads_hashes = "pelicanconf.py" in names
        return cls.make(fields, doubt).model_copy(update={**known, "reads_hashes": reads_hashes})

    def prints_braces(self) -> bool:
        """Whether pages show `{{ x }}`, since no template, Vue or MDX reads it."""
        return not self.includes - {"hash"}

    def list_defaults(self) -> Iterator[Default]:
        """Yield the fields that the configuration gives to all posts."""
        yield "", None, self.config


def _list_ignored(folder: Path, home: str, code: str, program: str) -> Iterator[str]:
    """Yield rules from a program's lists, and for Eleventy from files in the site's folder too."""
    yield from ("_*/",) if re.search("docusaurus|astro", program) else ()
    for name, _, _, setting, form in _SETTINGS:
        for items in re.findall(rf"\b{setting}\b{_LIST}", code) if name in program else ():
            globs = [s[1:-1] for s in re.findall(_STRING, items)]
            negated = [glob[1:] for glob in globs if glob[:1] == form[:1]]
            yield from write_rules(negated if form[:1] == "!" else globs, form.strip("!"), home)
    for file in (".eleventyignore", ".gitignore", f"{home}/.eleventyignore"):
        text = read_settings(folder, file.lstrip("/")) if "eleventy" in program else ""
        for line in (line for line in text.splitlines() if line[:1] != "#"):
            is_name = file == ".gitignore" and "/" not in line.rstrip("/ ")
            yield from write_rules([line], "**/" if is_name else "/", home)
