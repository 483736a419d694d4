import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blog_search_mcp.index.text.languages import STEMMED, common_languages, language_of

SENTENCES = {
    "en": "The keys of every token are kept, so that the next one costs less than the first.",
    "de": "Die Schlüssel werden behalten, damit das nächste Wort nicht noch einmal so viel kostet.",
    "es": "Las claves se guardan en la memoria para que el siguiente paso no cueste tanto.",
    "fr": "Les clés sont gardées en mémoire pour que la suite ne coûte pas aussi cher.",
    "it": "Le chiavi sono tenute in memoria perché il passo che segue non costi di più.",
    "nl": "De sleutels worden bewaard, zodat het volgende woord niet nog een keer zo veel kost.",
    "pt": "As chaves são guardadas na memória para que o próximo passo não custe mais.",
    "ru": "Ключи остаются в памяти, чтобы следующий шаг не стоил так же дорого, как первый.",
    "sv": "Nycklarna sparas i minnet så att nästa steg inte ska kosta lika mycket som det första.",
    "zh": "每個詞元的鍵與值都會保留下來，所以下一個詞元不必重算注意力。",
    "ja": "トークンごとのキーと値を残しておくので、次の計算はずっと安くなります。",
    "ko": "토큰마다 키와 값을 남겨 두기 때문에 다음 계산은 훨씬 싸다.",
    # of a language without a list
    "und": "Các khóa của mỗi từ được giữ lại trong bộ nhớ nên bước sau rẻ hơn nhiều. " * 4,
    # told by function words
    "ca": "Ahir vam anar amb tren a Girona i va ploure molt, però va ser bonic.",
    "cs": "Vlaky jezdí přes město a nikdo neví, kdy přijedou.",
    "eo": "Hieraŭ ni veturis per trajno kaj pluvis dum la tuta tago.",
    "et": "Sõitsime rongiga Tartusse ja terve päeva sadas vihma, aga meie olime rõõmsad.",
    "eu": "Atzo Bilbora joan ginen eta euria zen, baina oso ondo pasatu genuen.",
    "fi": "Kävimme Helsingissä ja söimme hyvää ruokaa, mutta satoi koko päivän.",
    "ga": "Chuamar go Gaillimh ar an traein agus bhí sé ag cur báistí.",
    "hu": "A macskák éjjel a lakásban futnak, és nem alszik senki.",
    "id": "Kami pergi ke Jakarta dengan kereta dan hujan sepanjang hari.",
    "lt": "Vakar važiavome į Vilnių, bet visą dieną lijo.",
    "no": "Vi tok toget til Bergen, og det regnet hele dagen, men det var ikke kaldt.",
    "ro": "Ieri am mers cu trenul la Cluj și a plouat toată ziua.",
    "st": "Re ile toropong maobane empa pula e ne e na hobane e ne e le mariha.",
    # told by letters of their own, or by few that others have
    "ar": "الحديقة جميلة وهادئة اليوم",
    "el": "Βγήκαμε βόλτα, βροχή όλη μέρα",
    "fa": "دیروز پنیر گرفتیم چهار کیلو",
    "he": "אתמול טיילנו בחוף",
    "hi": "दोस्त मिलने आए, खाना पकाया",
    "hy": "Երեկ գնացինք Երևան",
    "ne": "हामी हिजो काठमाडौं गयौं र धेरै खुसी भयौं",
    "pl": "Biegają nocą, budzą sąsiadów.",
    "sr": "Њен Ђердап, његова Љубав.",
    "ta": "நேற்று சென்னைக்குச் சென்றோம்",
    "tr": "Fırından ekmek aldık, eve döndük.",
    "yi": "מיר זענען נעכטן געפֿאָרן מיט דער באַן און עס האָט גערעגנט",
}
QUERIES = {
    "en": ["what is RAG?", "where is the error"],
    "de": ["Was ist RAG?", "Fehler bei der Installation", "für OS threads"],
    "fr": ["Pourquoi mon test est lent ?", "Comment fonctionne le cache"],
    "es": ["¿Qué es un token?", "por qué no funciona la búsqueda"],
    "it": ["Che cos'è un token?", "Come si installa il pacchetto"],
    "pt": ["O que é um token?", "por que não funciona a busca"],
    "nl": ["Wat is een token?", "Hoe werkt de cache"],
    "sv": ["Vad är en token?"],
    "ru": ["Что такое токен?", "почему так медленно"],
    "zh": ["什麼是 RAG？", "KV cache 是什麼", SENTENCES["zh"] + "の", f"{SENTENCES['zh']} the"],
    "ja": ["キャッシュとは", "非同期 I/O の使い方"],
    "ko": ["비동기 I/O"],
}


@pytest.mark.parametrize(
    ("language", "text"),
    [*SENTENCES.items(), *[(code, text) for code, texts in QUERIES.items() for text in texts]],
)
def test_a_sentence_and_a_question_show_their_language(language: str, text: str) -> None:
    assert language_of(text) == language


NAMES = """
AI|AI safety|OS|OS threads|man pages|IO|IO errors|I/O|async I/O|io_uring|CI/CD|du df|ES6
es modules|DE vs WM|Os X|si units|se linux|sur|par iter|del statement|nonlocal var|den server|i e
ne operator|war stories|die rolls|use per package|per user limits|un GA assembly|e2e tests|no std
de facto standard|la la land|la jolla|el capitan|van Rossum|ma bell|te reo|ad blocker|per-user de
git remote origin|KV cache|Token|Transformer|Rust 2021|let else|go mod tidy|x y o e a
Dvořák|Łódź|Kraków|γάτα|Erdős
la gestion de la mémoire|Datei nicht gefunden|AI in der Cloud|!!!|12345|read_chunk OLLAMA_HOST
"""


@pytest.mark.parametrize("name", ["", "\ud83e", *re.split(r"[|\n]", NAMES)])
def test_a_name_or_words_that_languages_share_are_in_none(name: str) -> None:
    assert language_of(name) == ""


@pytest.mark.parametrize("language", ["zh", "ja"])
def test_code_does_not_hide_the_language_it_is_explained_in(language: str) -> None:
    code = "const answer = await fetch(address);\nif (e) print(answer, es);\n" * 4
    assert language_of(f"{SENTENCES[language]}\n\n{code}\n\n{SENTENCES[language]}") == language


@settings(deadline=None)
@given(st.text(alphabet=st.characters(), max_size=60))
def test_any_text_has_a_language_or_none(text: str) -> None:
    assert language_of(text) in {*STEMMED, "he", "zh", "ja", "ko", "und", ""}


@pytest.mark.parametrize(
    ("posts", "asked"),
    [
        ({"en": 30, "de": 1}, ("en",)),
        ({"en": 2, "de": 1}, ("en", "de")),
        ({"en": 1, "zh-tw": 2}, ("zh-tw", "en")),
        ({}, ("en",)),
    ],
)
def test_a_query_is_asked_in_the_languages_that_are_common(
    posts: dict[str, int], asked: tuple[str, ...]
) -> None:
    assert common_languages(posts) == asked
