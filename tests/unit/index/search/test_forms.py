"""A query finds, and is sure of, posts that have its words in other forms."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from blog_search_mcp.index.text.forms import guess_stems
from blog_search_mcp.index.text.tokenizer import fold, stem
from tests.support.front import Blog, made

BLOGS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "humps": "# Tools\n\nWe use gitlab and openai behind cloudflare; typescript on macos.\n",
        "plurals": "# Machines\n\nThe LAN had two NASes, several VPNs, ISPs and IDEs. A JPEG.\n"
        "NDAs of PhDs and D'Arcy's.\n",
        "british": "# Trips\n\nJewellery at the theatre was grey; we practised and criticised.\n"
        "Unfavourable fibreglass, customisable by enquiry.\n",
        "nouns": "# Reading\n\nWomen on hypotheses, axes and bacteria; wolves had knives.\n"
        "Dwarves and firemen knelt on plateaux by consortia.\n",
        "long": "# Terms\n\nInternationalization, search engine optimization, machine learning.\n"
        "Virtual local area networks and continuous deployment.\n",
        "short": "# Cells\n\nA VM of the lab trains one LLM by hand.\n",
        "days": "---\ntitle: Storm\ndate: 2018-11-03\n---\nOn May 5, 2017, 3rd of February 2016,"
        " 2015-07-09 and 08.10.2014 it blew.\n",
        "numbers": "# Net\n\nBy 10.128.0.1, phone 0800-123-456-789, card 4111 1111 1111 1111.\n"
        "ISSN 2049-3630. Of 1 250 000 packets 3,440,000 bytes are lost.\n",
        "signs": "# Marks\n\nAn ☕ and ≈ and 🐍 stand here, CO₂ and x³ too, © and §.\n",
        "slips": "# Work\n\nThe scheduler restarts a container; the pipeline compresses memory.\n",
    },
    "de": {
        "parts": "# Haus\n\nDie Regentonne ist voll, und die Datensicherung läuft nachts.\n",
        "other": "# Feld\n\nWir haben Äpfel gepflückt, und das Wetter war schön.\n",
    },
    "nl": {
        "parts": "# Oud\n\nDe ziekenhuisverzekering en het belastingformulier zijn op tafel.\n",
        "other": "# Tuin\n\nWij hebben appels geplukt en de heg gesnoeid, want het was mooi.\n",
    },
    "ja": {
        "kana": "# ネット\n\nスマートフォンの申し込みと受け付け、取り扱い説明書。イヌもいる。\n",
        "other": "# 庭\n\n庭に花を植えた。水をやる。天気が良い。\n",
    },
    "pl": {
        "stems": "# Zamek\n\nW sobotę jechaliśmy do starego zamku, który był bardzo daleko.\n",
        "other": "# Chleb\n\nPiekę chleb na zakwasie, a ciasto stoi całą noc w misce.\n",
    },
    "ar": {
        "stems": "# رحلة\n\nسافرنا إلى المدينة القديمة بالحافلات في الصباح.\n"
        "معنا الجبن بالسكر والسبانخ للأطفال.\n",
        "other": "# خبز\n\nأخبز الخبز في البيت كل يوم مع أمي.\n",
    },
    "sr": {
        "stems": "# Пут\n\nИшли смо у Нови Сад аутобусом, а деца су певала. Ђаци су ту.\n",
        "other": "# Хлеб\n\nПечем хлеб, њега сви воле, али није лако.\n",
    },
}


@pytest.fixture(scope="module")
def blog_in(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Blog]:
    blogs = dict[str, Blog]()

    def make(language: str) -> Blog:
        if language not in blogs:
            posts = {f"{name}.md": text for name, text in BLOGS[language].items()}
            blogs[language] = made(tmp_path_factory.mktemp(language), posts)
        return blogs[language]

    return make


@pytest.mark.parametrize(
    ("language", "name", "queries"),
    [
        ("en", "humps", ["GitLab", "OpenAI", "CloudFlare", "MacOS", "TypeScript with GitLab"]),
        ("en", "plurals", ["VPN", "ISP", "JPEGs", "isps", "NAS", "nda", "PhD", "darcy"]),
        ("en", "british", ["jewelry", "gray theater", "practiced", "criticize"]),
        ("en", "british", ["unfavorable fiberglass", "customizable", "inquiry"]),
        ("en", "nouns", ["woman", "hypothesis", "axis", "bacterium", "wolf and knife"]),
        ("en", "nouns", ["dwarf", "fireman", "kneel", "plateau", "consortium"]),
        ("en", "long", ["i18n", "SEO", "ML", "VLANs", "CD"]),
        ("en", "short", ["large language model", "virtual machines"]),
        ("en", "days", ["5 May 2017", "2017-05-05", "2016-02-03", "9 July 2015", "2018-11-03"]),
        ("en", "days", ["2016/02/03", "20150709"]),
        ("en", "days", ["October 8th, 2014", "3 November 2018", "8.10.2014"]),
        ("en", "numbers", ["10.128", "0800123456789", "20493630", "4111111111111111"]),
        ("en", "numbers", ["4111-1111-1111-1111", "1250000", "1,250,000", "3 440 000"]),
        ("en", "signs", ["☕", "☕️", "≈", "🐍", "CO2", "x3", "©", "§"]),
        ("en", "slips", ["shceduler", "contaner and memroy", "pipleine"]),
        ("en", "slips", ["schedduler", "contai*", "Sched* resta*"]),
        ("de", "parts", ["Regen", "Daten"]),
        ("nl", "parts", ["verzekering", "formulier", "belasting"]),
        ("ja", "kana", ["申込み", "受付", "取扱説明書", "すまーとふぉん"]),
        ("ja", "kana", ["いぬ", "スマートフオン"]),
        ("pl", "stems", ["zamek", "zamki", "sobota", "stary zamek"]),
        ("ar", "stems", ["مدينة", "حافلات", "الحافلات", "قديمة", "سبانخ", "سكر", "أطفال"]),
        ("sr", "stems", ["Novi Sad", "autobus", "đaci"]),
    ],
)
def test_a_word_is_found_surely_in_another_form(
    blog_in: Callable[[str], Blog], language: str, name: str, queries: list[str]
) -> None:
    facts = {query: blog_in(language).tool("search_blog", query=query).facts for query in queries}
    assert {
        query: (found["confidence"], [hit["source"] for hit in found["results"]][:1])
        for query, found in facts.items()
    } == {query: ("normal", [f"{name}.md"]) for query in queries}


@pytest.mark.parametrize(
    "pair",
    [
        *("sv lampan lampor", "no rom rommet", "no lam lammet", "fi porkkana porkkanoita"),
        *("fi loma lomia", "ro ceas ceasuri", "ro dulap dulapuri", "tr halı halılar"),
        *("tr makine makinenin", "ru лапка лапок", "pl kubek kubki", "fr neveu neveux"),
        *("fr kangourou kangourous", "es champú champús", "ca coixí coixins", "et kott koti"),
        *("et press pressid", "ga dochtúir dochtúirí", "ga asal asail", "eu zaldi zaldia"),
        *("sr krov krovovi", "ar شجرة شجرات", "de Kiwi Kiwis", "de Villa Villen"),
    ],
)
def test_endings_that_a_stemmer_keeps_apart_are_of_the_same_word(pair: str) -> None:
    language, asked, written = pair.split()
    assert stem(written, language) in guess_stems(fold(asked), {language: 1}, lambda _: 1)


@pytest.mark.parametrize(
    "query",
    [
        *("PostgreSQL", "k8s", "€", "SDKs", "mosses", "CDN", "31 December 1999", "192.0.2"),
        *("🎺", "flamigno"),
    ],
)
def test_a_form_of_what_no_post_has_is_not_found(
    blog_in: Callable[[str], Blog], query: str
) -> None:
    assert blog_in("en").tool("search_blog", query=query).facts["confidence"] == "low"


@pytest.mark.parametrize(
    "query",
    ["wie funktionieren Kanäle", "πώς λειτουργεί το δίκτυο", "hogyan működik ez", "как это"],
)
def test_a_question_in_another_language_is_told_in_which_to_ask(
    blog_in: Callable[[str], Blog], query: str
) -> None:
    facts = blog_in("en").tool("search_blog", query=query).facts
    assert (facts["confidence"], "ask again in en" in facts["notice"]) == ("normal", True)


@pytest.mark.parametrize(
    "notes",
    [
        ["Sauna\n\nLöylyä heitettiin kolme kertaa.", "Leipä\n\nTaikina kohoaa yön yli kaapissa."],
        ["Kenyér\n\nA kovász egész éjjel áll.", "Macskák\n\nÉjjel futkosnak a lakásban."],
        ["Ekmek\n\nMaya bütün gece bekler.", "Kediler\n\nGece koşar, komşuyu uyandırır."],
        ["Хлеб\n\nТесто стоит всю ночь.", "Коты\n\nБегают ночью и будят соседей."],
    ],
)
def test_short_notes_in_another_language_get_the_multilingual_model(
    tmp_path_factory: pytest.TempPathFactory, notes: list[str]
) -> None:
    posts = {f"{number}.md": f"# {note}\n" for number, note in enumerate(notes)}
    report = made(tmp_path_factory.mktemp("notes"), posts).report
    assert "multilingual-e5-small" in str(report["embedder"])


def test_a_star_finds_longer_words_beside_the_word_itself(tmp_path: Path) -> None:
    blog = made(tmp_path, {"a.md": "# Door\n\nThe front door.\n", "b.md": "A frontier town.\n"})
    assert set(blog.sources("front*")) == {"a.md", "b.md"}


def test_a_post_that_shows_no_language_is_in_that_of_its_site(tmp_path: Path) -> None:
    (settings := tmp_path / "hugo.toml").write_text('languageCode = "en"\n', encoding="utf-8")
    blog = made(tmp_path, {"a.md": "# Stuen\n\nLamperne lyser.\n", "b.md": "# Haven\n\nRoser.\n"})
    settings.write_text('languageCode = "da"\n', encoding="utf-8")
    assert blog.ingest().status == 0
    assert blog.tool("search_blog", query="lampe").facts["confidence"] == "normal"
