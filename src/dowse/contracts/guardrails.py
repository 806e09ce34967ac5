"""Guardrails of answers: questions that another tool answers better are refused with the name of that tool.

The built-in rules are for Polymarket's figures and for news feeds, which have MCP servers of their own. Both ask for
more than a name: for a word that shows that the data is wanted. Questions about Polymarket as a company, or about RSS
as a format, are ordinary. The topic of a question must not excuse it, as in "odds of a TikTok ban" or "the feed about
Python"; so the exceptions are words and phrases that occur only in questions about the thing itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property

from dowse.core.errors import InvalidRequest
from dowse.settings import Settings
from dowse.settings.guardrails import Rule, parts_of, words_of

_SHORTEST_PLURAL = 4

Words = Sequence[frozenset[str]]
"""The words of a question, each with its possible singulars."""


class Guardrails:
    """Checks a question against the rules, before any provider is asked."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = tuple(rules)

    def check(self, text: str) -> None:
        """Raise `InvalidRequest` with the message of the first rule that matches the text."""
        words = list(map(_singulars, words_of(text)))
        for matcher in self._matchers:
            if matcher.matches(words):
                raise InvalidRequest(matcher.message)

    @cached_property
    def _matchers(self) -> tuple[_Matcher, ...]:
        # At the first question: thousands of phrases would make every start slower.
        return tuple(map(_Matcher, self._rules))


class _Matcher:
    """A rule with its phrases indexed."""

    def __init__(self, rule: Rule) -> None:
        self.message = rule.message
        patterns: list[Sequence[Sequence[str]]] = [[rule.phrases], *map(parts_of, rule.patterns)]
        self._patterns = [list(map(_PhraseIndex, pattern)) for pattern in patterns]
        self._unless = _PhraseIndex(rule.unless)

    def matches(self, words: Words) -> bool:
        is_match = any(all(part.occurs_in(words) for part in pattern) for pattern in self._patterns)
        return is_match and not self._unless.occurs_in(words)


class _PhraseIndex:
    """Phrases by their first word, so that matching takes time in proportion to the text."""

    def __init__(self, phrases: Iterable[str]) -> None:
        self._by_first: defaultdict[str, list[list[str]]] = defaultdict(list)
        for phrase in phrases:
            first, *further = words_of(phrase)
            self._by_first[first].append(further)

    def occurs_in(self, words: Words) -> bool:
        """Whether the words contain one of the phrases."""
        return any(
            _continues(words[at : at + len(further)], further)
            for at, singulars in enumerate(words, start=1)
            for first in singulars & self._by_first.keys()
            for further in self._by_first[first]
        )


def _continues(words: Words, further: Sequence[str]) -> bool:
    return len(words) == len(further) and all(word in singulars for word, singulars in zip(further, words, strict=True))


def _singulars(word: str) -> frozenset[str]:
    """The word, and the words it may be the plural of."""
    if len(word) < _SHORTEST_PLURAL or not word.endswith("s"):
        return frozenset((word,))
    if word.endswith("ies"):
        return frozenset((word, word[:-1], f"{word[:-3]}y"))
    if word.endswith(("ses", "xes", "zes", "ches", "shes")):
        return frozenset((word, word[:-1], word[:-2]))
    return frozenset((word, word[:-1]))


_POLYMARKET = "polymarket|poly market|polymarkt|ポリマーケット|폴리마켓|полимаркет|بوليماركت"
_POLYMARKET_SAYS = """
according to polymarket|polymarket say|polymarket think|polymarket expect|polymarket predict|polymarket give|
polymarket favor|polymarket favoring|polymarket com event|polymarket com market|site polymarket com|laut polymarket|
sagt polymarket|segun polymarket|dice polymarket|selon polymarket|dit polymarket|secondo polymarket|
segundo o polymarket|volgens polymarket|people betting on polymarket|traders betting on polymarket|polymarket who|
show polymarket|show me polymarket|get polymarket|fetch polymarket|list polymarket|check polymarket|query polymarket|
look up polymarket|polymarket data|polymarket bet on|bet on polymarket|polymarket bet about
"""
_FIGURES = """
odds|price|priced|pricing|probability|implied|chance|likelihood|percentage|liquidity|volume|open interest|order book|
orderbook|bid ask|yes share|no share|yes token|no token|trading at|what trading|trade at|traded at|leaderboard|
trending|open position|my position|current position|top position|biggest position|largest position|position in|
portfolio|top trader|biggest trader|top holder|biggest holder|largest holder|whale position|whale bet|top bet|
biggest bet|largest bet|open bet|my bet|prediction for|prediction on|prediction about|favorite to|favourite to|favored|
favoured|top market|top polymarket|active market|active polymarket|popular market|open market|biggest market|
largest market|live market|newest market|market about|market on|polymarket market for|most traded|market data|
bet on the|event list|current event|open event|position of wallet|position of user|data for|data on|number for|
number on|quote|quoten|wettquote|wettquoten|wahrscheinlichkeit|wahrscheinlichkeiten|chancen|kurs|kurse|preis|preise|
handelsvolumen|liquiditat|probabilidad|probabilidades|cuota|precio|volumen|liquidez|cote|probabilite|prix|liquidite|
quota|probabilita|prezzo|prezzi|probabilidade|cotacao|preco|kans|kansen|koers|szanse|kursy|olasilik|шансы|вероятность|
вероятности|коэффициент|коэффициенты|котировки|цена|объем|احتمالات|احتمال|اسعار|赔率|賠率|概率|機率|胜率|勝率|价格|
價格|交易量|成交量|流动性|流動性|持仓|持倉|オッズ|確率|価格|出来高|배당|확률|가격|거래량|유동성
"""
_PREDICTION_MARKET = "prediction market|prognosemarkt|预测市场|預測市場|予測市場|예측 시장"
_QUOTED = """
odds|price|liquidity|volume|probability|chance|order book|quoten|赔率|賠率|概率|機率|流动性|流動性|价格|價格|オッズ|
確率|배당|확률
"""
_POLYMARKET_ITSELF = """
difference between|explain|explained|mean|meaning|definition|work|calculate|calculated|calculation|compute|computed|
determined|derived|are resolved|get resolved|is resolved|are settled|theory|mechanism|interpret|interpretation|
accurate|accuracy|calibration|calibrated|why|how to|how do i|how can i|what is a|what are prediction|tutorial|study|
research|wikipedia|scoring rule|is polymarket safe|is polymarket legal|is polymarket reliable|is polymarket rigged|
legal to|allowed to|tax on|taxed|insider|manipulation|manipulated|manipulate|trading fee|polymarket fee|
polymarket stock|polymarket token|polymarket airdrop|polymarket valuation|polymarket ipo|polymarket investor|
polymarket ceo|api|sdk|documentation|docs|github|library|endpoint|schema|websocket|python|javascript|typescript|
in rust|trading bot|dashboard|open source|dataset|kalshi|predictit|manifold|metaculus|augur|betfair|
iowa electronic market|erklart|berechnet|bedeutet|warum|funktioniert|funktionieren|funciona|calcula|calculan|significa|
por que|fonctionne|calcule|calculees|pourquoi|signifie|как работает|почему|是什么|什么意思|如何|怎么|为什么|原理|历史|
とは|仕組み|なぜ|무엇|방법|왜
"""

_FEED = """
rss feed|feed rss|atom feed|json feed|news feed|newsfeed|feed xml|rss xml|atom xml|flux rss|fil rss|canal rss|
kanal rss|kanał rss|rss kanal|rss лента|rss ленты|rss ленте|rss канал|rss канала|rss 源|rss 订阅|rss フィード|rss 피드
"""
_GOOGLE_NEWS = """
google news|googlenews|google nachrichten|google noticias|google actualites|google notizie|google новости|гугл новости|
google ニュース|グーグルニュース|谷歌新闻|google 新闻|google 新聞|구글 뉴스
"""
_RECENT = """
latest|newest|recent|today|tonight|right now|this week|this morning|yesterday|breaking news|new post|new entry|
new item|new article|new episode|new headline|new story|anything new|last entry|last item|last post|last article|
last episode|last 3|last 5|last 10|last 20|last five|last ten|last few|neueste|neuesten|neues aus|recente|reciente|
recenti|aktuelle|aktuellen|letzte|letzten|heute|ultima|ultimo|derniers|dernier|derniere|dernieres|ultime|ultimi|
laatste|nieuwste|najnowsze|ostatnie|последние|свежие|новые|احدث|最新|今天|今日|최신|오늘
"""
_CONTENT = """
headline|top story|front page|update in|update from|feed content|what in|what is in|what on|what is on|what new|
what is new|content of|entry of|entry in|entry from|entry on|item of|item in|item from|post of|post in|post from|
article of|article in|article from|story in|story from|story on|title of|title in|title from|episode of|episode in|
episode from|schlagzeile|schlagzeilen|eintrage|titulares|entradas|titres|titoli|manchetes|koppen|naglowki|заголовки|
头条|頭條|标题|標題|内容|內容|最新|見出し|헤드라인
"""
_ORDER = """
show me|show the|show my|show google|search google|check google|fetch the|fetch me|pull the|pull up|read the|read me|
read my|give me|check the|check my|get the|get me|get today|open the|list the|load the|summarize|summarise|monitor the|
watch the|follow the|track the|subscribe|zeig|zeige|lies|abonniere|abonnieren|hol mir|muestra|muestrame|suscribir|
suscribeme|suscribirme|affiche|montre|abonne|abonner|mostra|mostrami|iscrivimi|leggi|mostre|assinar|assine|toon|
abonneer|pokaz|покажи|подписаться|подпиши|اعرض|显示|顯示|订阅|訂閱|見せて|購読|表示|보여|구독
"""
_SOFTWARE = """
python java rust go golang ruby swift kotlin react vue angular svelte php javascript typescript node nodejs perl dart
flutter elixir c powershell bash curl jquery nextjs django rails laravel wordpress drupal typo3 joomla hugo jekyll
astro ghost sharepoint confluence teams slack discord telegram outlook thunderbird firefox chrome safari feedly
""".split()
_WITH_SOFTWARE = [
    phrase
    for name in _SOFTWARE
    for phrase in (
        *(f"{word} {name}" for word in "in with using via rss feed mit en avec con 用".split()),
        *(f"{name} {word}" for word in "rss read fetch get parse code script".split()),
    )
]
_FEED_PROGRAMS = """
parse|parser|parsing|feedparser|api|regex|xpath|xslt|npm|plugin|widget|webhook|scraper|shortcode|rss library|
library to|library for|feed library|package to|package for|script to|source code|sample code|code example|example of|
create|creating|generate|generating|generator|implement|implementing|embed|embedding|convert|validate|validator|
disable|add an|add a|add rss|build a|build an|turn a|website into|to my website|on my website|content encoded|
rss format|feed format|rss spec|feed spec|specification|cdata|guid|system design|einbinden|erstellen|auslesen|parsen|
hinzufugen|crear|anadir|creer|ajouter|lire un flux|creare|criar|toevoegen|maken|добавить|解析|作り方|만드는
"""
_FEED_TROUBLES = """
error|exception|rss broken|feed broken|feed is broken|not working|not updating|not showing|not loading|stopped working|
stopped updating|feed problem|rss problem|feed issue|rss issue|turn off|customize|customise|feed url|feed address|
feed link|rss url|rss link|list of rss|list of feed|list of news|rss icon|feed icon|subscribe button|rss reader|
feed reader|news reader|google reader|aggregator|best rss|best news|best way|best app|阅读器|閱讀器|リーダー|리더
"""
_FEED_CONCEPTS = """
how to|how do i|how do you|how do rss|how does|how can|how rss|feed work|rss work|why|still used|still relevant|
atom vs|vs atom|rss vs|vs rss|difference between|alternative to|history of rss|invented|meaning of|what is rss|
what is an rss|what is a news|what is a feed|what are rss|what are news|what are feed|tutorial|was ist ein|wie kann|
wie man|wie abonniere|wie erstelle|warum|como crear|como leer|como puedo|como suscribirme|que es un|comment faire|
comment creer|comment lire|comment s abonner|qu est ce|cos e un|come creare|come leggere|como criar|o que e|hoe|jak|
как|что такое|如何|怎么|怎麼|怎样|是什么|什么是|とは|方法|방법|क्या
"""
_OTHER_FEEDS = """
facebook news feed|facebook feed|instagram feed|linkedin feed|tiktok feed|twitter feed|feed on facebook|live feed|
video feed|camera feed|webcam feed|data feed|price feed|feed on instagram|feed on linkedin|feed on tiktok|
feed on twitter|feed algorithm|feed ranking|publisher center|google news initiative|seo|my article|my blog|my site|
rss memory|memory rss|resident set|sum of squares|signal strength|side scaling|rss leader|rss chief|rashtriya|
swayamsevak|sangh|bhagwat
"""


def _phrases(text: str) -> tuple[str, ...]:
    return tuple(map(str.strip, text.split("|")))


RULES = (
    Rule(
        "polymarket",
        "Use the polymarket MCP server for Polymarket data such as odds, prices, volumes and positions; "
        "this tool answers other questions, also about Polymarket itself.",
        phrases=_phrases(_POLYMARKET_SAYS),
        patterns=(
            f"{_POLYMARKET} & {_FIGURES}",
            "polymarket will & win|hit|reach|happen|resign|lose",
            "on polymarket & will win|who win|will it|will there",
            f"{_PREDICTION_MARKET} & {_QUOTED} & for|on|that|today|now|current|latest|live|上|zu|zur",
        ),
        unless=_phrases(_POLYMARKET_ITSELF),
    ),
    Rule(
        "feeds",
        "Use the google-news-rss MCP server for what is in RSS and news feeds; "
        "this tool answers other questions, also about feeds themselves.",
        phrases=(
            "news feed for",
            "news feed on",
            "news feed about",
            "rss feed of the",
            "news google com rss",
            "news feed rss",
        ),
        patterns=(
            f"{_FEED} & {_RECENT}|{_CONTENT}|{_ORDER}",
            f"{_GOOGLE_NEWS} & rss|feed|{_CONTENT}|{_ORDER}",
            f"rss & {_CONTENT}|subscribe|abonnieren|suscribir|订阅",
            "feed & item from|item in|entry from|entry in|entry of|headline from|article from|article in",
            "feed & eintrage|meldungen",
            f"feed of|feed at|feed from & {_RECENT}|{_ORDER}",
        ),
        unless=(
            *_phrases("|".join((_FEED_PROGRAMS, _FEED_TROUBLES, _FEED_CONCEPTS, _OTHER_FEEDS))),
            *_WITH_SOFTWARE,
        ),
    ),
)


def rules_of(settings: Settings) -> tuple[Rule, ...]:
    """The rules of the settings: the user's own replace the built-in ones."""
    mode, own = settings.guardrails, settings.guardrails_json
    if mode == "off":
        return ()
    if own is not None:
        return own
    return RULES if mode == "on" else ()
