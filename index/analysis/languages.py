"""Which language a text is in: text in, a two-letter code out.

It decides by which rules words are stemmed and which of them are mere grammar.
Scripts tell Chinese, Japanese and Korean; for the rest the language whose
function words occur most is taken, as a third of any running text is made of
them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache, lru_cache

FUNCTION_WORDS = {
    "en": "a about after all also am an and any are as at be because been before being between "
    "both but by can could did do does doing down during each few for from further had has "
    "have having he her here his how i if in into is it its just me more most my no nor not "
    "of off on once only or other our out over own same she should so some such than that "
    "the their them then there these they this those through to too under until up us very "
    "was we were what when where which while who whom why will with without would you your",
    "de": "aber alle allem allen aller alles als also am an ander andere anderem anderen anderer "
    "anderes anderm andern anderr anders auch auf aus bei bin bis bist da dabei dafür damit "
    "dann das dass dasselbe davon dazu daß dein deine deinem deinen deiner deines dem "
    "demselben den denn denselben der derer derselbe derselben des desselben dessen dich "
    "die dies diese dieselbe dieselben diesem diesen dieser dieses dir doch dort du durch "
    "ein eine einem einen einer eines einig einige einigem einigen einiger einiges einmal "
    "er es etwas euch euer eure eurem euren eurer eures für gegen gewesen gibt hab habe "
    "haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer "
    "ihres im in indem ins ist jede jedem jeden jeder jedes jene jenem jenen jener jenes "
    "jetzt kann kein keine keinem keinen keiner keines können könnte machen man manche "
    "manchem manchen mancher manches mehr mein meine meinem meinen meiner meines mich mir "
    "mit muss musste nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem "
    "seinen seiner seines selbst sich sie sind so solche solchem solchen solcher solches "
    "soll sollte sondern sonst über um und uns unsen unser unsere unserem unserer unseres "
    "unter viel vom von vor während wann war waren warst warum was weil weiter welche "
    "welchem welchen welcher welches wenn wer werde werden weshalb wie wieder wieso will "
    "wir wird wirst wo woher wohin wollen wollte womit wozu würde würden zu zum zur zwar "
    "zwischen",
    "es": "a al algo algunas algunos ante antes así como cómo con contra cual cuál cuando cuándo "
    "de del desde donde dónde durante el él ella ellas ellos en entre era erais éramos eran "
    "eras eres es esa esas ese eso esos esta está estaba estabais estábamos estaban estabas "
    "estad estáis estamos están estando estar estará estarán estarás estaré estaréis "
    "estaremos estaría estaríais estaríamos estarían estarías estas estás este esté estéis "
    "estemos estén estés esto estos estoy estuve estuviera estuvierais estuviéramos "
    "estuvieran estuvieras estuvieron estuviese estuvieseis estuviésemos estuviesen "
    "estuvieses estuvimos estuviste estuvisteis estuvo fue fuera fuerais fuéramos fueran "
    "fueras fueron fuese fueseis fuésemos fuesen fueses fui fuimos fuiste fuisteis ha "
    "habéis había habíais habíamos habían habías habida habidas habido habidos habiendo "
    "habrá habrán habrás habré habréis habremos habría habríais habríamos habrían habrías "
    "han has hasta hay haya hayáis hayamos hayan hayas he hemos hube hubiera hubierais "
    "hubiéramos hubieran hubieras hubieron hubiese hubieseis hubiésemos hubiesen hubieses "
    "hubimos hubiste hubisteis hubo la las le les lo los más me mi mí mía mías mío míos mis "
    "mucho muchos muy nada ni no nos nosotras nosotros nuestra nuestras nuestro nuestros o "
    "os otra otras otro otros para pero poco podemos por porque puede pueden puedes puedo "
    "que qué quien quién quienes se sea seáis seamos sean seas ser será serán serás seré "
    "seréis seremos sería seríais seríamos serían serías si sí siente sin sintiendo sobre "
    "sois somos son soy su sus suya suyas suyo suyos también tanto te tendrá tendrán "
    "tendrás tendré tendréis tendremos tendría tendríais tendríamos tendrían tendrías "
    "tenéis tenemos tenga tengáis tengamos tengan tengas tengo tenía teníais teníamos "
    "tenían tenías tenido teniendo ti tiene tienen tienes todo todos tu tú tus tuve tuviera "
    "tuvierais tuviéramos tuvieran tuvieras tuvieron tuviese tuvieseis tuviésemos tuviesen "
    "tuvieses tuvimos tuviste tuvisteis tuvo tuya tuyas tuyo tuyos un una uno unos "
    "vosostras vosostros vuestra vuestras vuestro vuestros y ya yo",
    "fr": "à ai aie aient aies ait as au aura aurai auraient aurais aurait auras aurez auriez "
    "aurions aurons auront aux avaient avais avait avec avez aviez avions avons ayant "
    "ayante ayantes ayants ayez ayons ce ces cette comment dans de des du elle en es est et "
    "étaient étais était étant étante étantes étants été étée étées êtes étiez étions être "
    "eu eue eues eûmes eurent eusse eussent eusses eussiez eussions eût eûtes eux fait "
    "fûmes furent fus fusse fussent fusses fussiez fussions fut fût fûtes il ils je la le "
    "les leur lui ma mais me même mes moi mon ne nos notre nous on ont ou où par pas plus "
    "pour pourquoi qu quand que quel quelle qui sa sans se sera serai seraient serais "
    "serait seras serez seriez serions serons seront ses si soient sois soit sommes son "
    "sont soyez soyons suis sur ta te tes toi ton tu un une vos votre vous y",
    "it": "a abbia abbiamo abbiano abbiate ad agl agli ai al all alla alle allo anche avemmo "
    "avendo avesse avessero avessi avessimo aveste avesti avete aveva avevamo avevano "
    "avevate avevi avevo avrà avrai avranno avrebbe avrebbero avrei avremmo avremo avreste "
    "avresti avrete avrò avuta avute avuti avuto che chi ci coi col come con contro cosa "
    "cui da dagl dagli dai dal dall dalla dalle dallo degl degli dei del dell della delle "
    "dello di dov dove e è ebbe ebbero ebbi ed era erano eravamo eravate eri ero essendo "
    "faccia facciamo facciano facciate faccio facemmo facendo facesse facessero facessi "
    "facessimo faceste facesti faceva facevamo facevano facevate facevi facevo fai fanno "
    "farà farai faranno farebbe farebbero farei faremmo faremo fareste faresti farete farò "
    "fece fecero feci fosse fossero fossi fossimo foste fosti fu fui fummo furono gli ha "
    "hai hanno ho i il in io la le lei li lo loro lui ma mi mia mie miei mio ne negl negli "
    "nei nel nell nella nelle nello noi non nostra nostre nostri nostro o per perché più "
    "quale quando quanta quante quanti quanto quella quelle quelli quello questa queste "
    "questi questo sarà sarai saranno sarebbe sarebbero sarei saremmo saremo sareste "
    "saresti sarete sarò se sei si sia siamo siano siate siete sono sta stai stando stanno "
    "starà starai staranno starebbe starebbero starei staremmo staremo stareste staresti "
    "starete starò stava stavamo stavano stavate stavi stavo stemmo stesse stessero stessi "
    "stessimo steste stesti stette stettero stetti stia stiamo stiano stiate sto su sua sue "
    "sugl sugli sui sul sull sulla sulle sullo suo suoi ti tra tu tua tue tuo tuoi tutti "
    "tutto un una uno vi voi vostra vostre vostri vostro",
    "nl": "aan al alles als altijd andere ben bij daar dan dat de der deze die dit doch doen door "
    "dus een eens en er ge geen geweest haar had heb hebben heeft hem het hier hij hoe hun "
    "iemand iets ik in is ja je kan kon kunnen maar me meer men met mij mijn moet na naar "
    "niet niets nog nu of om omdat onder ons ook op over reeds te tegen toch toen tot uit "
    "uw van veel voor waar waarom wanneer want waren was wat we welke werd wezen wie wij "
    "wil worden wordt zal ze zelf zich zij zijn zo zonder zou",
    "pt": "a ao aos aquela aquelas aquele aqueles aquilo as às até com como da das de dela delas "
    "dele deles depois do dos e é ela elas ele eles em entre era eram éramos essa essas "
    "esse esses esta está estamos estão estas estava estavam estávamos este esteja estejam "
    "estejamos estes esteve estive estivemos estiver estivera estiveram estivéramos "
    "estiverem estivermos estivesse estivessem estivéssemos estou eu foi fomos for fora "
    "foram fôramos forem formos fosse fossem fôssemos fui há haja hajam hajamos hão havemos "
    "hei houve houvemos houver houvera houverá houveram houvéramos houverão houverei "
    "houverem houveremos houveria houveriam houveríamos houvermos houvesse houvessem "
    "houvéssemos isso isto já lhe lhes mais mas me mesmo meu meus minha minhas muito na não "
    "nas nem no nos nós nossa nossas nosso nossos num numa o onde os ou para pela pelas "
    "pelo pelos pode por porque qual quando que quem são se seja sejam sejamos sem ser será "
    "serão serei seremos seria seriam seríamos seu seus só somos sou sua suas também te tem "
    "tém temos tenha tenham tenhamos tenho terá terão terei teremos teria teriam teríamos "
    "teu teus teve tinha tinham tínhamos tive tivemos tiver tivera tiveram tivéramos "
    "tiverem tivermos tivesse tivessem tivéssemos tu tua tuas um uma você vocês vos",
    "ru": "а без более больше будет будто бы был была были было быть в вам вас вдруг ведь во вот "
    "впрочем все всегда всего всех всю вы где да даже два для до другой его ее ей ему если "
    "есть еще же за зачем здесь и из или им иногда их к как какая какой когда конечно кто "
    "куда ли лучше между меня мне много может можно мой моя мы на над надо наконец нас не "
    "него нее ней нельзя нет ни нибудь никогда ним них ничего но ну о об один он она они "
    "опять от перед по под после потом потому почему почти при про раз разве с сам свою "
    "себе себя сейчас со совсем так такой там тебя тем теперь то тогда того тоже только том "
    "тот три тут ты у уж уже хорошо хоть чего чем через что чтоб чтобы чуть эти это этого "
    "этой этом этот эту я",
    "sv": "alla allt än är åt att av bara blev bli blir blivit då där de dem den denna deras dess "
    "dessa det detta dig din dina ditt du efter ej eller en er era ert ett för från ha hade "
    "han hans har här henne hennes hon honom hur i icke in ingen inom inte jag ju kan kunde "
    "man med mellan men mer mig min mina mitt mot mycket någon något några när ni nu och om "
    "oss över på så sådan sådana sådant samma sedan sig sin sina sitta själv ska skulle som "
    "till under upp ut utan vad var vår vara våra varför varit varje vars vart vårt vem vi "
    "vid vilka vilkas vilken vilket",
}

STEMMERS = {
    "da": "danish",
    "de": "german",
    "en": "english",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nb": "norwegian",
    "nl": "dutch",
    "nn": "norwegian",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "tr": "turkish",
}
"""Snowball's algorithms by language; Latin words in any other language's posts are stemmed as
English, which is what technical terms mostly are."""

LEAST_SHARE = 0.08
"""Share of function words that names a language; running text of any has .25 and more, text
made of identifiers next to none."""

LEAST_POSTS = 0.05
"""Share of the posts from which on their language's stems are looked up for every query."""

SAMPLE = 20_000
"""Characters looked at: more would not change the answer."""

_KANA = "\u3040-\u30ff\uff66-\uff9f"
_HANGUL = "\uac00-\ud7af"
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_SCRIPTS = {
    code: re.compile(f"[{letters}]+")
    for code, letters in {"ja": _KANA, "ko": _HANGUL, "zh": _HAN}.items()
}
_WORD = re.compile(rf"(?:[a-z]++|[^\W\d_a-z{_KANA}{_HANGUL}{_HAN}]++)++")
_DOTTED = "\u0130"
"""The only letter of which lower case is more than one character, and would be two words."""

KANA_SHARE = 0.1
"""Share of kana among the East Asian characters that makes a text Japanese: Japanese prose has
half, Chinese none."""

CHARACTERS_PER_WORD = 2
"""East Asian characters that count as one word where scripts are weighed against each other."""

WORDS_PER_FUNCTION_WORD = 3
"""Words of running text for each function word in it; by these Latin text is weighed, since code
is Latin whatever language it is explained in."""


@lru_cache(maxsize=64)
def language_of(text: str) -> str:
    """The language of `text` as ISO 639-1; `en` where none stands out."""
    sample = text[:SAMPLE]
    kinds = {code: sum(map(len, found.findall(sample))) for code, found in _SCRIPTS.items()}
    counts = Counter(_WORD.findall(sample.replace(_DOTTED, "I").lower()))
    said = {code: _said(counts, code) for code in FUNCTION_WORDS}
    best = max(said, key=lambda code: (said[code], code == "en"))
    if sum(kinds.values()) > CHARACTERS_PER_WORD * WORDS_PER_FUNCTION_WORD * said[best]:
        return _east_asian(kinds)
    return best if said[best] and said[best] >= LEAST_SHARE * counts.total() else "en"


def common_languages(posts: Mapping[str, int]) -> tuple[str, ...]:
    """The languages that a query is looked up in, the commonest first, of posts counted by theirs.

    Each further one costs a look-up of every word, so those of a few posts are left out.
    """
    ordered = sorted(posts, key=lambda code: (-posts[code], code))
    least = LEAST_POSTS * sum(posts.values())
    return tuple(code for code in ordered if posts[code] >= least) or ("en",)


def stemmer_of(language: str) -> str:
    """Snowball's algorithm for the Latin words of a post in `language` (`de`, `pt-br`, `zh-tw`)."""
    return STEMMERS.get(primary_subtag(language), "english")


def primary_subtag(language: str) -> str:
    """The language alone of a tag that may name a script or a region too."""
    return language.partition("-")[0].lower()


@cache
def function_words(language: str) -> frozenset[str]:
    """The language's function words; none for a language without a list."""
    return frozenset(FUNCTION_WORDS.get(primary_subtag(language), "").split())


def _east_asian(kinds: Mapping[str, int]) -> str:
    characters = sum(kinds.values())
    if kinds["ko"] * 2 > characters:
        return "ko"
    return "ja" if kinds["ja"] >= KANA_SHARE * characters else "zh"


def _said(counts: Mapping[str, int], language: str) -> int:
    """How many of the words are function words of the language."""
    return sum(counts[word] for word in counts.keys() & function_words(language))


_TAG = re.compile(
    "(?:af|ar|az|be|bg|bn|bs|ca|cs|cy|da|de|el|en|eo|es|et|eu|fa|fi|fil|fr|ga|gl|gu|he|hi|hr|hu|hy|id|"
    "is|it|ja|ka|kk|km|kn|ko|ky|lt|lv|mk|mn|mr|ms|my|nb|ne|nl|nn|no|pa|pl|pt|ro|ru|si|sk|sl|sq|sr|"
    "sv|sw|ta|te|th|tl|tr|uk|ur|uz|vi|yue|zh)"
    r"(?:-(?:hans|hant|latn|cyrl|arab))?(?:-(?:[a-z]{2}|\d{3}))?"
)
"""ISO 639 codes blogs are written in; without those that are file endings or topics (ts, ml)."""

TRADITIONAL = re.compile(r"-(?:hant|tw|hk|mo)\b")
"""In a tag of Chinese, what says that it is written in Traditional characters."""


def language_tag(text: str) -> str:
    """The BCP 47 tag in lower case that `text` spells (`zh_TW`, `en-US.UTF-8`), `""` if none."""
    tag = text.strip().lower().replace("_", "-").removesuffix(".utf-8")
    return tag if _TAG.fullmatch(tag) else ""
