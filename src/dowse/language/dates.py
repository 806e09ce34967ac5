"""Parser of dates in metadata, prose and lists of results, in nine languages and East Asian notation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

# English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Russian.
_MONTHS = (
    "january jan januar jänner janvier janv enero ene gennaio gen janeiro januari styczeń stycznia sty январь января",
    "february feb februar février févr fév febrero febbraio fevereiro fev februari luty lutego lut февраль февраля фев",
    "march mar märz mär mrz mars marzo março maart mrt marzec marca март марта мар",
    "april apr avril avr abril abr aprile kwiecień kwietnia kwi апрель апреля апр",
    "may mai mayo maggio mag maio mei maj maja май мая",
    "june jun juni juin junio giugno giu junho czerwiec czerwca cze июнь июня июн",
    "july jul juli juillet juil julio luglio lug julho lipiec lipca lip июль июля июл",
    "august aug août agosto ago augustus sierpień sierpnia sie август августа авг",
    "september sep sept septembre septiembre settembre setembro set wrzesień września wrz сентябрь сентября сен сент",
    "october oct oktober okt octobre octubre ottobre ott outubro out październik października paź октябрь октября окт",
    "november nov novembre noviembre novembro listopad listopada lis ноябрь ноября ноя нояб",
    "december dec dezember dez décembre déc diciembre dic dicembre dezembro grudzień grudnia gru декабрь декабря дек",
)
_MONTH = {name: number for number, names in enumerate(_MONTHS, 1) for name in names.split()}
_FIRST_YEAR, _LAST_YEAR = 1990, 2100
_LONGEST = 200
_MOST_MONTHS = 12
_ENGLISH_DAY_FIRST = frozenset({"en-GB", "en-AU", "en-IE", "en-NZ", "en-IN", "en-ZA"})
# Pages of all countries declare English, and Canada uses both orders.
_UNDECIDED = frozenset({"", "en", "en-CA"})

_YEAR = r"((?:19|20)\d\d)"
# A zone is `Z`, `+01:00`, `+0100` or `+01`. Of `5:30 pm` only the day is taken.
_TIME = (
    r"(?:[T\s]\s?(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,]\d{1,9})?)?"
    r"\s?(?:(Z|UTC|GMT)\b|([+-])(\d\d):?(\d\d)?)?(?!\d|\s?[ap]\.?m))?"
)
_ISO = re.compile(rf"(?<![\d.-]){_YEAR}([-/.])(\d{{1,2}})\2(\d{{1,2}})(?![\d/-]|\.\d){_TIME}", re.I)
_COMPACT = re.compile(rf"\s*{_YEAR}(\d\d)(\d\d)(?:T?\d{{4,6}}Z?)?\s*")
_EPOCH = re.compile(r"\s*(1\d{9}|[6-9]\d{8})(?:\d{3})?\s*")
_EAST_ASIAN = re.compile(rf"{_YEAR}\s?[年년]\s?(\d{{1,2}})\s?[月월]\s?(\d{{1,2}})\s?[日일号號]?")
_NAME = r"([^\W\d_]{3,12})"
_MARK = r"\s?[-/]\s?|\s(?:of\s|de\s|del\s)?"
_DAY_FIRST = re.compile(
    rf"(?<!\d)(\d{{1,2}})(?:st|nd|rd|th|er|[.ºª°])?(?:{_MARK})?{_NAME}[.,]?(?:{_MARK}){_YEAR}(?!\d)", re.I
)
_MONTH_FIRST = re.compile(rf"(?<!\w){_NAME}\.?[\s-]\s?(\d{{1,2}})(?:st|nd|rd|th)?(?:,\s?|\s|-){_YEAR}(?!\d)", re.I)
_YEAR_FIRST = re.compile(rf"(?<!\d){_YEAR}[\s-]{_NAME}\.?[\s-](\d{{1,2}})(?!\d)")
# Each with the groups of the year, the name of the month, and the day.
_NAMED = ((_DAY_FIRST, 3, 2, 1), (_MONTH_FIRST, 3, 1, 2), (_YEAR_FIRST, 1, 2, 3))
_NUMERIC = re.compile(rf"(?<![\d.,/-])(\d{{1,2}})\s?([/.-])\s?(\d{{1,2}})\s?\2\s?{_YEAR}(?![\d/])")
_IN_PATH = re.compile(r"/((?:19|20)\d\d)[/-](\d{1,2})[/-](\d{1,2})(?=[/_-]|\Z)")
_IN_PATH_NAMED = re.compile(r"/((?:19|20)\d\d)/([a-z]{3,9})/(\d{1,2})(?=/)", re.I)
_UNITS = {
    "second": "second seconds sec secs sekunde sekunden seconde secondes segundo segundos secondi seconden 秒 초",
    "minute": "minute minutes min mins minuten minuto minutos minuti minuut 分 分钟 分鐘 분",
    "hour": "hour hours hr hrs h stunde stunden std heure heures hora horas ora ore uur 時間 小时 小時 시간",
    "day": "day days d tag tagen jour jours día días dia dias giorno giorni dag dagen 日 天 일",
    "week": "week weeks wk wks woche wochen semaine semaines semana semanas settimana settimane weken 週間 周 週 주",
    "month": "month months monat monaten mois mes meses mese mesi mês maand maanden か月 ヶ月 个月 個月 개월",
    "year": "year years yr yrs jahr jahren an ans año años anno anni ano anos jaar 年 년",
}
_UNIT = {name: unit for unit, names in _UNITS.items() for name in names.split()}
_UNIT_DAYS = {"second": 0.0, "minute": 1 / 1440, "hour": 1 / 24, "day": 1.0, "week": 7.0, "month": 30.0, "year": 365.0}
# English, German, French, Spanish, Italian, Portuguese, Dutch, Chinese, Japanese, Korean.
_AGO = re.compile(
    r"(?:vor|il y a|hace|há|about)?\s{0,2}\b(\d{1,3}|an?|one|einem|einer|une?|una?|uno|uma?|een)\s{0,2}"
    r"([^\W\d_]{1,9}?)\.?\s{0,2}(ago|fa|atrás|geleden|前|전)?",
    re.I,
)
_PAST = re.compile(r"\b(?:vor|il y a|hace|há)\s|\b(?:ago|fa|atrás|geleden)$|[前전]$", re.I)
_YESTERDAY = frozenset({"yesterday", "gestern", "hier", "ayer", "ieri", "ontem", "gisteren", "昨天", "昨日", "어제"})
_COMPACT_IN_PATH = re.compile(r"[/_-]((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?=[/_.-]|\Z)")


@dataclass(frozen=True, slots=True)
class Moment:
    """A day or time in ISO 8601; uncertain if day and month could be swapped."""

    iso: str
    is_certain: bool = True

    @property
    def day(self) -> str:
        return self.iso[:10]


def find(text: str, language: str = "") -> Moment | None:
    """Find the first plausible date in a short text or attribute."""
    text = text[:_LONGEST]
    if match := _ISO.search(text):
        return _parse_iso(match)
    if match := _COMPACT.fullmatch(text):
        return _moment(match[1], match[2], match[3])
    if match := _EPOCH.fullmatch(text):
        return _plausible(datetime.fromtimestamp(int(match[1]), UTC))
    if match := _EAST_ASIAN.search(text):
        return _moment(match[1], match[2], match[3])
    return _parse_named(text) or _parse_numeric(text, language)


def in_address(path: str) -> Moment | None:
    """Find the date in the path of an address, as in blogs and newspapers."""
    if match := _IN_PATH.search(path) or _COMPACT_IN_PATH.search(path):
        return _moment(match[1], match[2], match[3])
    if (match := _IN_PATH_NAMED.search(path)) and (month := _MONTH.get(match[2].lower())):
        return _moment(match[1], month, match[3])
    return None


def find_age(text: str) -> timedelta | None:
    """The age of a text such as `3 days ago`, `vor 2 Stunden` or `yesterday`; `None` for any other text."""
    text = text[:_LONGEST].strip().lower()
    if text in _YESTERDAY:
        return timedelta(days=1)
    match = _AGO.fullmatch(text) if _PAST.search(text) else None
    unit = _UNIT.get(match[2]) if match else None
    if match is None or unit is None:
        return None
    count = int(match[1]) if match[1].isdigit() else 1
    return timedelta(days=count * _UNIT_DAYS[unit])


def _parse_iso(match: re.Match[str]) -> Moment | None:
    year, _, month, day, hour, minute, second, utc, sign, zone_hours, zone_minutes = match.groups()
    if hour is None:
        return _moment(year, month, day)
    zone = UTC if utc else _parse_zone(sign, zone_hours, zone_minutes)
    try:
        moment = datetime(int(year), int(month), int(day), int(hour), int(minute), int(second or 0), tzinfo=zone)
    except ValueError:
        return _moment(year, month, day)
    return _plausible(moment)


def _parse_zone(sign: str | None, hours: str, minutes: str | None) -> timezone | None:
    if not sign:
        return None
    offset = timedelta(hours=int(hours), minutes=int(minutes or 0))
    return timezone(-offset if sign == "-" else offset) if offset < timedelta(hours=15) else None


def _parse_named(text: str) -> Moment | None:
    for pattern, year, name, day in _NAMED:
        # A text may hold several candidates: `Posted 3 min read, 5 March 2024`.
        for match in pattern.finditer(text):
            if month := _MONTH.get(match[name].lower()):
                return _moment(match[year], month, match[day])
    return None


def _is_day_first(mark: str, language: str) -> bool:
    """Whether a date begins with the day, as with dots, and in most languages."""
    return mark == "." or not language.startswith("en") or language in _ENGLISH_DAY_FIRST


def _parse_numeric(text: str, language: str) -> Moment | None:
    match = _NUMERIC.search(text)
    if match is None:
        return None
    first, mark, second, year = match.groups()
    day_first = _is_day_first(mark, language)
    is_certain = mark == "." or first == second or language not in _UNDECIDED
    if int(first) > _MOST_MONTHS or int(second) > _MOST_MONTHS:
        day_first, is_certain = int(first) > _MOST_MONTHS, True
    day, month = (first, second) if day_first else (second, first)
    return _moment(year, month, day, is_certain=is_certain)


def _moment(year: str, month: str | int, day: str, *, is_certain: bool = True) -> Moment | None:
    try:
        moment = datetime(int(year), int(month), int(day))
    except ValueError:
        return None
    return _plausible(moment, is_certain=is_certain)


def _plausible(moment: datetime, *, is_certain: bool = True) -> Moment | None:
    if not _FIRST_YEAR <= moment.year <= _LAST_YEAR:
        return None
    # Midnight without a zone is a day from a database.
    has_time = moment.tzinfo is not None or bool(moment.hour or moment.minute or moment.second)
    return Moment(moment.isoformat() if has_time else moment.date().isoformat(), is_certain)
