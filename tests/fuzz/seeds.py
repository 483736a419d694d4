"""Inputs that each target is begun from: they hold the marks that its step looks for."""

from __future__ import annotations

from collections.abc import Mapping

_FIELDS = (
    b"---\ntitle: A title\ndate: 2025-01-02\ntags: [a, b]\n---\nBody\n",
    b"+++\ntitle = 'A'\n[extra]\nx = 1\n+++\nBody\n",
    b'{"title": "A", "draft": false}\nBody\n',
    b';;;\n"title": "A"\n;;;\nBody\n',
    b"title: A\ntags:\n- a\n---\nBody\n",
    b"---\na: &x [1, *x]\nb: !!python/object/apply:os.system [ls]\n<<: *x\n...\nBody\n",
)
_BODIES = (
    b"# One\n\nwords *of* `code`\n\n## Two\n\n- a\n  - b\n\n1. c\n\n> d\n",
    b"```py\nx = 1\n```\n\n~~~\ny\n~~~\n\n    indented\n",
    b"| a | b |\n|---|---|\n| 1 | 2 |\n\n<div>\n\nx</div>\n\n[a]: b 'c'\n[a] ![i](x 't')\n",
    b"One\n===\n\nTwo\n---\n\n{% highlight py %}\n# x\n{% endhighlight %}\n{{< s >}}\n",
    b"import A from 'a'\n\n<A b={{c: 1}}>x</A>\n\n:::note\nx\n:::\n\n[[Wiki|link]] ==h== [^1]\n",
    "鍵值快取。模型會把先前詞元的鍵與值保留。\n\n![](data:image/png;base64,AAAA)\n".encode(),
)
_QUERIES = (
    b"what is a KV cache?",
    b'"a b" AND -c OR (d:e)^2 title:* [a TO b] {x}~3 \\ /re.*/',
    b"' OR 1=1 --; DROP TABLE posts %_",
    b"faiss.IndexFlatIP read_chunk C++ it's e\xcc\x81",
    "鍵值快取是什麼 ﷺ 👩\u200d👧 \u202eרtl".encode(),
)
_MANIFESTS = (
    b'{"format": 2, "checksum": "", "content": {}}',
    b'{"format": 99999999999999999999, "checksum": null, "content": [NaN, 1e999]}',
    b"[[[[[[[[",
    b'{"generation": 1, "created": "x", "embedder": {"kind": "fake", "model": "m", "digest": "d", '
    b'"dimension": 3}, "build": {"a": 1, "b": true}, "posts": {"a.md": {"digest": "d", "size": 1, '
    b'"mtime_ns": 1, "chunks": 1, "expires": null}}, "calibration": {"heading_found": 5.1, '
    b'"absent_found": 1.2, "heading_similarity": 0.4, "heading_cosine": 0.5, '
    b'"absent_cosine": 0.1, "foreign_cosine": -0.05, "east_asian": 0.25, "chunks": 2}, '
    b'"superseded": 0, "files": {"chunks.db": {"size": 1, "sha256": "x"}}}',
)

SEEDS: Mapping[str, tuple[bytes, ...]] = {
    "post": (*_FIELDS, *_BODIES, "標題\n".encode("big5"), b"\xff\xfea\x00\n\x00"),
    "frontmatter": _FIELDS,
    "chunker": _BODIES,
    "words": _BODIES,
    "rendering": _BODIES,
    "analyser": _QUERIES,
    "previews": (*_QUERIES, b"One clause, and another one. " * 20),
    "query": _QUERIES,
    "manifest": _MANIFESTS,
}
"""By target."""
