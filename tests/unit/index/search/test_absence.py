"""Of words that no post has the answer is no surer, and shows none that no post writes."""

import re

import pytest

from tests.support.front import Blog, made

POSTS = {
    "stove.md": "# Stove\n\nThe chimney draws well, once a Sweeper was there in spring.\n",
    "soot.md": "# Soot\n\nSoot in the wood shed is swept by the sweeper with a broom.\n",
    "ash.md": "# Ash\n\nOur sweeper takes ash to the garden.\n",
}


@pytest.fixture(scope="module")
def blog(tmp_path_factory: pytest.TempPathFactory) -> Blog:
    return made(tmp_path_factory.mktemp("absence"), POSTS)


@pytest.mark.parametrize(
    ("query", "confidence", "named"),
    [
        ("sweepex", "low", ["sweepex"]),
        ("What is a sweepex?", "low", ["sweepex"]),
        ("What is a sweepre?", "normal", ["sweepre", "sweeper"]),
        ("sweepre", "normal", ["sweepre", "sweeper"]),
        ("sweeeper and chimmney", "normal", ["sweeeper", "sweeper", "chimmney", "chimney"]),
        ("sweepers", "normal", []),
        ("sooty and broomx", "low", ["sooty", "broomx"]),
        ("What is a sweper?", "normal", ["sweper", "sweeper"]),
        ("chmney", "low", ["chmney", "chimney"]),
        ("drawedx", "low", ["drawedx"]),
        ("stoveyear", "low", ["stoveyear"]),
        ("woodshed", "normal", []),
        ("a marble, a mortar, a brick, a tile for soot", "normal", ["marble", "mortar", "brick"]),
        ("violin, piano, opera, guitar", "low", ["violin", "piano", "opera"]),
    ],
)
def test_words_that_no_post_has_are_named_and_none_is_made_up_or_makes_an_answer_sure(
    blog: Blog, query: str, confidence: str, named: list[str]
) -> None:
    facts = blog.tool("search_blog", query=query).facts
    words = re.findall('"(.+?)"', facts.get("notice", ""))
    assert (facts["confidence"], words) == (confidence, named)


OWN_LANGUAGE = {
    "de": {
        "ofen.md": "# Der Ofen\n\nIm Frühling haben wir einen Ofen aus Lehm gebaut, und die Ziegel "
        "kamen vom alten Hof. Die Nachbarn und die Museen waren offen.\n",
        "rad.md": "# Mit dem Rad\n\nWir fuhren mit den Rädern an die Ostsee. Unterwegs platzte ein "
        "Reifen, und wir mussten auf einem Zeltplatz am See übernachten.\n",
    },
    "es": {
        "taller.md": "# El taller\n\nEn el taller de la escuela los niños pintan con lápices los "
        "peces que han visto en el puerto, y las luces están encendidas hasta la noche.\n"
    },
    "ar": {
        "forn.md": "# في الحديقة\n\nبنينا فرنا من الطين في الحديقة، وجاء الطوب من مزرعة قديمة.\n"
    },
    "nl": {"fiets.md": "# Thuis\n\nDe fiets van de boer stond bij het huis, en het was er koud.\n"},
    "pt": {
        "zoo.md": "# Zoo\n\nOs animais fogem dos leões que estão nos jardins, e não há mais água.\n"
    },
    "sv": {"hus.md": "# Hemma\n\nVi såg två cyklar vid huset, och det var en kall dag som alla.\n"},
    "uk": {
        "pich.md": "# Піч\n\nНавесні ми збудували глиняну піч. Цеглу привезли зі старої ферми.\n",
        "choven.md": "# Човен\n\nЧовен стояв на річці, і ми пішли додому ввечері.\n",
    },
    "ru": {
        "pech.md": "# Печь в саду\n\nВесной мы построили печь из глины, а кирпичи привезли со "
        "старой фермы. После трёх недель мы писали списки.\n",
        "velo.md": "# На велосипеде к морю\n\nМы выехали из Пскова в сторону Нарвы. По дороге "
        "лопнула шина, и пришлось ночевать в Гдове, в кемпинге у озера.\n",
    },
    "zh": {
        "yao.md": "# 院子裡的麵包窯\n\n春天我們在院子裡搭了一座土窯。磚頭是從舊農舍搬來的。"
        "晾乾三個星期之後,終於烤出第一個黑麥麵包。\n",
        "che.md": "# 騎單車到海邊\n\n我們從台中騎到鹿港。路上爆胎,只好在彰化過夜。"
        "青年旅館沒開,不過湖邊的露營區還有位子。\n",
        "tian.md": "# 陽台上的番茄\n\n今年種了六株番茄,每天早晚澆水。葉子長了白色斑點。\n",
    },
}


@pytest.fixture(scope="module")
def in_own_language(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Blog]:
    folder = tmp_path_factory.mktemp("own")
    return {code: made(folder / code, posts) for code, posts in OWN_LANGUAGE.items()}


@pytest.mark.parametrize(
    ("language", "query", "confidence"),
    [
        ("de", "Rezept ohne Zucker", "low"),
        ("es", "arroz", "low"),
        ("ru", "ремонт крана", "low"),
        ("ru", "атомная электростанция", "low"),
        ("uk", "атомна електростанція", "low"),
        ("zh", "核能發電廠", "low"),
        ("zh", "所得稅申報", "low"),
        ("de", "Brot aus dem Ofen", "normal"),
        ("es", "lápiz", "normal"),
        ("es", "luz", "normal"),
        ("de", "Museum", "normal"),
        ("de", "Nachbar", "normal"),
        ("de", "Opa", "low"),
        ("pt", "leão", "normal"),
        ("pt", "animal", "normal"),
        ("pt", "jardim", "normal"),
        ("pt", "girafa", "low"),
        ("nl", "fietsen", "normal"),
        ("sv", "cykel", "normal"),
        ("ru", "список", "normal"),
        ("ar", "فرن", "normal"),
        ("ru", "кирпич", "normal"),
        ("zh", "蔬菜種植", "normal"),
        ("zh", "面包窑", "normal"),
    ],
)
def test_what_a_blog_lacks_is_told_in_its_own_language_and_no_other_is_recommended(
    in_own_language: dict[str, Blog], language: str, query: str, confidence: str
) -> None:
    facts = in_own_language[language].tool("search_blog", query=query).facts
    assert facts["confidence"] == confidence
    assert "another language" not in facts.get("notice", "")


def test_a_query_whose_posts_are_all_left_out_has_no_answer(blog: Blog) -> None:
    facts = blog.tool("search_blog", query="stove -chimney", section="/").facts
    assert (facts["confidence"], facts["results"]) == ("low", [])
