"""What people type finds the post that has it in another writing."""

import json

import pytest

from tests.support.front import Blog, made

POSTS = {
    "soft.md": "# Bahnhof\n\nDie Straßen\u00adbahn\u00adhalte\u00adstelle liegt am Markt.\n",
    "zero.md": "# Columns\n\nA customer\u200bAddress\u200bLine and ware&shy;house&shy;men.\n",
    "strokes.md": "# Wycieczka\n\nW Białymstoku i w Słupsku; Bjørnøya, Ħamrun, Þingvellir, Ağrı.\n",
    "horse.md": "# Kůň\n\nPříliš žluťoučký kůň úpěl ďábelské ódy.\n",
    "umlaut.md": "# Ausflug\n\nMit Jürgen nach Görlitz und zum Bärensee, dann nach Ålesund.\n",
    "typed.md": "# Rückweg\n\nUeber Luebeck und Guestrow ging es heim.\n",
    "tea.md": "---\ntitle: चाय\nlang: hi\n---\n\nसुबह की चाय में अदरक और इलायची डाली।\n",
    "hill.md": "---\ntitle: पहाड़\nlang: hi\n---\n\nवह पहाड़ पर चढ़ा और वहाँ रुका।\n",
    "moon.md": "---\ntitle: سماء\nlang: ar\n---\n\nرَأَيْتُ القَمَرَ فَوْقَ المَدِينَةِ أمس، وكان إسلام معي.\n",
    "farsi.md": "---\ntitle: باغ\nlang: fa\n---\n\nما می\u200cنویسیم و کتـــاب ۱۲۵ را خواندیم.\n",
    "star.md": "---\ntitle: כוכבים\nlang: he\n---\n\nרָאִינוּ יַרְדֵּן בלילה.\n",
    "boat.md": "---\ntitle: เรือ\nlang: th\n---\n\nเมื่อวานเรานั่งเรือข้ามแม่น้ำเจ้าพระยาไปตลาด\n",
    "rice.md": "---\ntitle: ข้าว\nlang: th\n---\n\nคุณยายหุงข้าวเหนียวมะม่วงให้เด็กๆกินทุกวัน\n",
    "lao.md": "---\ntitle: ວັນ\nlang: lo\n---\n\nມື້ນີ້ຂ້ອຍໄປໂຮງຮຽນກັບໝູ່\n",
    "khmer.md": "---\ntitle: ផ្សារ\nlang: km\n---\n\nម្សិលមិញខ្ញុំទិញត្រីនៅផ្សារធំ\n",
    "burma.md": "---\ntitle: နေ့\nlang: my\n---\n\nမနေ့ကကျောင်းသို့သွားပြီးစာအုပ်ဖတ်သည်\n",
    "pdf.md": "---\ntitle: 资料\nlang: zh\n---\n\n从⽂档⾥复制的⽂字，⻘⼭与⾼⽔。\n",
    "paths.md": (
        "# Modules\n\nImport gitlab.com/acme/x/parse here; see org.sample.data.RowReader and "
        "https://tracker.example/acme/core/pull/7031 and src/pages/Button.tsx too.\n"
    ),
    "parse.md": "# Parsing\n\nTo parse x, and a page with a button. A pull, a row and a reader.\n",
    "versions.md": "# Upgrades\n\nFrom Ruby 3.1 to Ruby 3.3.4, Django 5.2, Node 22 and Vue v2.7.\n",
    "numbers.md": "# Sums\n\nIt had 4,560,000 rows, 7.890 users, 12,34,567 rupees, 3'210 francs.\n",
    "plain.md": "# Counts\n\nIt had 6540000 lines at 31.75 a day.\n",
    "signs.md": "# Languages\n\nWe left F# and C/C++ for ASP.NET and plain .NET, with Vue.js.\n",
    "net.md": "# Fishing\n\nA net for c grade fish, and another net.\n",
    "hyphen.md": "# Teams\n\nThe soft-launch and the sub-process belong to the E-Mail-Dienst.\n",
    "joined.md": "# Notes\n\nA codebase with a darkroom and a timeout each hour.\n",
    "apart.md": "# Yard\n\nThe wood shed stands there, and a wheel barrow.\n",
}


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> Blog:
    return made(tmp_path_factory.mktemp("words"), POSTS)


@pytest.mark.parametrize(
    ("source", "queries"),
    [
        ("soft.md", ["Straßenbahnhaltestelle", "Strassenbahnhaltestelle"]),
        ("zero.md", ["customerAddressLine", "warehousemen", "cust\u200bomer address line"]),
        ("strokes.md", ["Bialymstoku", "Slupsku", "Bjornoya", "Hamrun", "Thingvellir", "Agri"]),
        ("horse.md", ["zlutoucky", "zlutoucky kun", "dabelske ody"]),
        ("umlaut.md", ["Juergen", "Goerlitz Juergen", "Gorlitz", "Baerensee", "Aalesund"]),
        ("typed.md", ["Lübeck", "Güstrow"]),
        ("tea.md", ["चाय", "अदरक"]),
        ("hill.md", ["पहाड", "चढ़ा"]),
        ("moon.md", ["القمر", "المدينه", "اسلام"]),
        ("farsi.md", ["مینویسیم", "كتاب", "125"]),
        ("star.md", ["ירדן"]),
        ("boat.md", ["แม่น้ำเจ้าพระยา", "ตลาด"]),
        ("rice.md", ["ข้าวเหนียวมะม่วง", "คุณยาย"]),
        ("lao.md", ["ໂຮງຮຽນ"]),
        ("khmer.md", ["ត្រី"]),
        ("burma.md", ["စာအုပ်"]),
        ("pdf.md", ["文档", "青山", "高水"]),
        ("paths.md", ["x/parse", "acme/x", "pull/7031", "data.RowReader", "pages/Button.tsx"]),
        ("versions.md", ["ruby3.1", "v3.3", "Ruby v3.3.4", "django5.2", "Vue 2.7", "node22"]),
        ("numbers.md", ["4560000", "4.560.000", "4'560'000", "7890", "1234567", "3210"]),
        ("plain.md", ["6,540,000", "6 540 000".replace(" ", "\u00a0"), "31,75"]),
        ("signs.md", ["F#", "C++", ".NET", "vuejs"]),
        ("hyphen.md", ["softlaunch", "soft launch", "subprocess", "Email", "Maildienst"]),
        ("joined.md", ["code base", "dark-room", "time out"]),
        ("apart.md", ["woodshed", "wheelbarrow"]),
    ],
)
def test_a_word_is_found_in_another_writing(words: Blog, source: str, queries: list[str]) -> None:
    assert {query: words.sources(query)[:1] for query in queries} == {
        query: [source] for query in queries
    }


@pytest.mark.parametrize("query", ["चर्च", "ตำรวจ", "معلم", "8,888,888"])
def test_a_word_that_no_post_has_is_not_found_by_its_pieces(words: Blog, query: str) -> None:
    assert words.sources(query)[1:] == []


@pytest.mark.parametrize(
    ("query", "said", "not_said"),
    [
        ("zlutoucky", [], ["zlutoucky"]),
        ("How do Kafka and Vue share a codebase?", ['"Kafka"'], ["Vue", "codebase"]),
        ('a codebase in "Kafka"', ['"Kafka"'], ["codebase"]),
        ("a codebsae with Kafka", ['"Kafka"'], []),
    ],
)
def test_a_name_that_no_post_has_is_named_once(
    words: Blog, query: str, said: list[str], not_said: list[str]
) -> None:
    notice = json.loads(words.command("search", "--json", "--", query).out)["notice"] or ""
    assert [notice.count(each) for each in said] == [1] * len(said)
    assert not any(each in notice for each in not_said)
