"""The model in the package that a blog gets by its languages, and what becomes of it later."""

import json
from pathlib import Path

from tests.support.front import Blog, made

CHINESE = {
    "cache.md": "# 快取\n\n這是讓模型不必每次都從頭計算的記憶體，我們用它來省時間。\n",
    "bread.md": "# 麵包\n\n這是我們在家裡用酸種做的麵包，因為它的味道比較好。\n",
}
ENGLISH = {"soup.md": "# Soup\n\nThis is the soup that we make of an onion and of what is there.\n"}


def ingested(blog: Blog, *options: str) -> tuple[str, str]:
    """The model after an ingest, and what is said about it."""
    ran = blog.ingest("--json", *options)
    assert ran.status == 0, ran.err
    report = json.loads(ran.out)
    return report["embedder"].split()[-1], report["embedder_reason"]


def test_a_chinese_blog_gets_the_multilingual_model_and_keeps_it(tmp_path: Path) -> None:
    blog = made(tmp_path, CHINESE)
    assert blog.report["embedder"].endswith("multilingual-e5-small")
    assert blog.sources("酸種麵包怎麼做")[:1] == ["bread.md"]
    blog.write(ENGLISH)
    assert ingested(blog)[0] == "multilingual-e5-small"
    refused = blog.ingest("--model", "all-MiniLM-L6-v2")
    assert (refused.status, "--rebuild" in refused.err) == (1, True)


def test_an_index_keeps_its_model_until_it_is_made_anew(tmp_path: Path) -> None:
    blog = made(tmp_path, ENGLISH)
    assert blog.report["embedder"].endswith("all-MiniLM-L6-v2")
    blog.write(CHINESE)
    for _ in range(2):
        model, said = ingested(blog)
        assert (model, "multilingual-e5-small" in said) == ("all-MiniLM-L6-v2", True)
    assert "multilingual-e5-small" not in ingested(blog, "--model", "all-MiniLM-L6-v2")[1]
    assert ingested(blog, "--rebuild")[0] == "multilingual-e5-small"


def test_short_notes_are_found_surely_in_other_words_than_theirs(tmp_path: Path) -> None:
    blog = made(
        tmp_path,
        {
            "tåg.md": "# Resan\n\nVi åkte med nattåget till fjällen och sov gott.\n",
            "deg.md": "# Bröd\n\nSurdegen jäser över natten och gräddas före frukost.\n",
            "valp.md": "# Valpen\n\nHan tuggar på skor och skäller på brevbäraren.\n",
            "bil.md": "# Bilen\n\nMotorn startar inte när det är kallt ute.\n",
        },
    )
    assert blog.report["embedder"].endswith("multilingual-e5-small")
    queries = ("järnvägsresa norrut", "börsens kurser", "zoologi")
    answers = [blog.tool("search_blog", query=query).facts for query in queries]
    assert answers[0]["results"][0]["source"] == "tåg.md"
    assert [answer["confidence"] for answer in answers] == ["normal", "low", "low"]
