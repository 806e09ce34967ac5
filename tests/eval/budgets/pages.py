"""Pages in eight languages, put together out of phrases: prose, lists, tables, links and code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, slots=True)
class Language:
    """Phrases of which any three in this order make a sentence."""

    subjects: tuple[str, ...]
    predicates: tuple[str, ...]
    circumstances: tuple[str, ...]
    between: str = " "
    end: str = ". "

    def sentence(self, random: Random) -> str:
        phrases = (random.choice(self.subjects), random.choice(self.predicates), random.choice(self.circumstances))
        return self.between.join(phrases) + self.end


LANGUAGES = {
    "english": Language(
        (
            "The old lighthouse keeper",
            "A committee of beekeepers",
            "Every second ferry",
            "The municipal archive",
            "Her youngest apprentice",
            "An unpublished weather report",
        ),
        (
            "repaired the brass hinges",
            "disagreed about the harvest",
            "was mentioned in passing",
            "carried nineteen crates of lemons",
            "underestimated the current",
            "kept a meticulous inventory",
        ),
        (
            "before the thaw set in",
            "despite the announcement on Thursday",
            "between Kirkwall and the outer skerries",
            "without so much as a receipt",
            "for roughly 1,250 crowns",
            "while the orchestra rehearsed",
        ),
    ),
    "german": Language(
        (
            "Der frühere Leuchtturmwärter",
            "Die Kreisverwaltungsbehörde",
            "Ein ungewöhnlich großer Kranich",
            "Das Straßenbahnunternehmen",
            "Unsere Nachbarin aus Görlitz",
            "Jeder zweite Fahrgast",
        ),
        (
            "überprüfte die Wasserstandsmeldungen",
            "vergaß den Regenschirm",
            "beanstandete die Nebenkostenabrechnung",
            "pflanzte Stachelbeersträucher",
            "verschickte achtzehn Einladungen",
            "bevorzugt Roggenbrot",
        ),
        (
            "trotz des anhaltenden Schneetreibens",
            "am darauffolgenden Dienstag",
            "in der Nähe der Schleuse",
            "ohne nennenswerte Verzögerung",
            "für knapp 340 Euro",
            "während der Chorprobe",
        ),
    ),
    "french": Language(
        (
            "L’ancienne gardienne du phare",
            "Le conseil municipal",
            "Chaque deuxième traversier",
            "Un horloger à la retraite",
            "La coopérative maraîchère",
            "Notre cousin d’Angoulême",
        ),
        (
            "a réparé la girouette",
            "préfère les châtaignes grillées",
            "n’avait jamais goûté d’huîtres",
            "renouvelle l’abonnement au théâtre",
            "s’était trompé d’horaire",
            "rédige un procès-verbal détaillé",
        ),
        (
            "malgré l’averse de l’après-midi",
            "à quelques kilomètres de l’embouchure",
            "jusqu’à la fin du trimestre",
            "sans prévenir les voisins",
            "pour environ 1 200 francs",
            "pendant la répétition générale",
        ),
    ),
    "spanish": Language(
        (
            "El antiguo farero",
            "La junta de vecinos",
            "Cada segundo transbordador",
            "Una relojera jubilada",
            "El archivo municipal",
            "Nuestro sobrino de Cáceres",
        ),
        (
            "reparó las bisagras de latón",
            "prefiere las castañas asadas",
            "había extraviado el paraguas",
            "recogió diecinueve cajas de limones",
            "desaconsejó la excursión",
            "redacta un informe minucioso",
        ),
        (
            "antes de que llegara el deshielo",
            "a pesar del chaparrón",
            "cerca de la desembocadura del río",
            "sin avisar a nadie",
            "por unas 1.250 pesetas",
            "mientras ensayaba la orquesta",
        ),
    ),
    "russian": Language(
        (
            "Бывший смотритель маяка",
            "Городское управление",
            "Каждый второй паром",
            "Пожилая часовщица",
            "Наш племянник из Вологды",
            "Неопубликованный прогноз погоды",
        ),
        (
            "отремонтировал латунные петли",
            "предпочитает жареные каштаны",
            "позабыл о зонтике",
            "перевозит девятнадцать ящиков лимонов",
            "недооценил течение",
            "составляет подробную опись",
        ),
        (
            "накануне весенней оттепели",
            "несмотря на объявление в четверг",
            "неподалёку от устья реки",
            "без малейшей задержки",
            "примерно за 1250 рублей",
            "во время репетиции оркестра",
        ),
    ),
    "chinese": Language(
        (
            "退休的灯塔看守人",
            "市政档案馆",
            "每隔一班的渡轮",
            "来自绍兴的外甥",
            "养蜂合作社的成员们",
            "一份从未发表的天气报告",
        ),
        (
            "修好了生锈的铜合页",
            "更喜欢吃糖炒栗子",
            "把雨伞忘在了柜台上",
            "运走了十九箱柠檬",
            "低估了潮水的流速",
            "编写了一份详细的清单",
        ),
        (
            "就在冰雪融化之前",
            "尽管星期四已经贴出了通知",
            "离河口大约三公里的地方",
            "没有耽误任何人的行程",
            "一共花了1250元",
            "当乐团正在排练的时候",
        ),
        between="，",
        end="。",
    ),
    "japanese": Language(
        (
            "引退した灯台守は",
            "市の公文書館は",
            "二便に一便のフェリーが",
            "松江に住む甥っ子は",
            "養蜂組合の会員たちは",
            "未発表の気象報告が",
        ),
        (
            "錆びた真鍮の蝶番を直し",
            "焼き栗のほうを好み",
            "傘をカウンターに置き忘れ",
            "レモンを十九箱も運び",
            "潮の流れを甘く見て",
            "詳しい目録をまとめ",
        ),
        (
            "雪解けの直前に帰っていった",
            "木曜日の告知にもかかわらず評判になった",
            "河口から三キロほどの所で休んだ",
            "一度も遅れることなく終えた",
            "およそ1250円を支払った",
            "楽団の練習が続くあいだ黙っていた",
        ),
        between="、",
        end="。",
    ),
    "arabic": Language(
        (
            "حارس المنارة المتقاعد",
            "مجلس البلدية",
            "كل عبّارة ثانية",
            "ابن أختنا من طنطا",
            "تعاونية مربي النحل",
            "تقرير الطقس غير المنشور",
        ),
        (
            "أصلح المفصلات النحاسية",
            "يفضّل الكستناء المشوية",
            "نسي المظلة على الطاولة",
            "نقل تسعة عشر صندوقًا من الليمون",
            "استهان بسرعة التيار",
            "أعدّ قائمة مفصّلة",
        ),
        (
            "قبل ذوبان الثلوج بقليل",
            "رغم الإعلان المعلّق يوم الخميس",
            "على مقربة من مصب النهر",
            "من دون أي تأخير يُذكر",
            "مقابل نحو 1250 جنيهًا",
            "بينما كانت الفرقة تتدرّب",
        ),
    ),
}
_CODE = (
    'tides = load_tides("{0}.json")',
    "for port, level in sorted(tides.items()):",
    "    if level > {1}:",
    '        print(f"{{port}}: {{level:.2f}} m")',
    "ferries[{1}].departure += timedelta(minutes={1})",
)


def page(language: str, number: int) -> str:
    """A page of more than ten thousand tokens."""
    random, words = Random(f"{language} {number}"), LANGUAGES[language]
    kinds: tuple[Callable[[Random, Language], str], ...] = (_paragraph, _paragraph, _list, _table, _links, _code)
    parts = [f"# {words.sentence(random).strip()}"]
    for section in range(60):
        parts.append(f"## {section + 1}. {random.choice(words.subjects)}")
        parts += [random.choice(kinds)(random, words) for _ in range(4)]
    return "\n\n".join(parts) + "\n"


def _paragraph(random: Random, words: Language) -> str:
    return "".join(words.sentence(random) for _ in range(random.randrange(2, 7))).strip()


def _list(random: Random, words: Language) -> str:
    return "\n".join(f"- {words.sentence(random).strip()}" for _ in range(random.randrange(2, 6)))


def _table(random: Random, words: Language) -> str:
    rows = [
        f"| {random.choice(words.subjects)} | {random.randrange(100_000):,} |" for _ in range(random.randrange(2, 7))
    ]
    return "\n".join(["| | № |", "| --- | --- |", *rows])


def _links(random: Random, words: Language) -> str:
    said = words.sentence(random).strip()
    return f"[{said}](https://harbour.example/{random.randrange(10_000)}/tide-tables?port={random.randrange(90)}#low)"


def _code(random: Random, words: Language) -> str:
    name, size = random.choice(("north_pier", "outerSkerries", "KIRKWALL")), random.randrange(60)
    comment = f"# {random.choice(words.circumstances)}"
    lines = [comment, *(line.format(name, size) for line in _CODE[: random.randrange(2, 6)])]
    return "\n".join(["```python", *lines, "```"])
