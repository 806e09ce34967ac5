"""Untrusted text: removal of invisible characters, markup, and syntax that loads or runs something."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Self
from urllib.parse import quote

MOST_TEXT_CHARS = 2_000_000
"""The limit of the text of a page; the rest is cut."""

# Kept: tab and newline, ZWJ between emoji or Indic letters, ZWNJ in Persian and Indic words.
_NEVER_SEEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"  # C0 and C1 controls, ESC and CR among them
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb"
    "\ud800-\udfff"  # lone surrogates do not encode
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_INVISIBLE = re.compile(f"[{_NEVER_SEEN}]")
# With the characters that are visible in some contexts only.
_SUSPECT = re.compile(f"[{_NEVER_SEEN}\u200c\u200d\ufe00-\ufe0f]")
_SEEN_IN_ASCII = b"\t\n" + bytes(range(0x20, 0x7F))
_JOINERS = re.compile("[\u200c\u200d]")
_VARIATION_RUN = re.compile("([\ufe00-\ufe0f])[\ufe00-\ufe0f]+")
# Of ASCII only digits and `#*` have variants, as keycap emoji.
_NO_VARIATION = re.compile(
    "[\ufe00-\ufe0f](?:(?<=[\0-\x7f][\ufe00-\ufe0f])(?<![0-9#*][\ufe00-\ufe0f])|(?<=[0-9#*][\ufe00-\ufe0d]))"
)
_BLANKS = re.compile(r"[\s\u2800]+")  # the blank of Braille as well
_RARE_LINE_ENDS = re.compile("[\v\f\x1c-\x1e\x85]")
# Elements that APIs highlight with or that pages forge; `Vec<u8>` and `List<String>` are not markup.
_ELEMENTS = (
    "a|abbr|article|b|big|blockquote|body|br|button|cite|code|dd|del|details|div|dl|dt|em|embed|figure|font|form|"
    "h[1-6]|head|hr|html|i|iframe|img|input|ins|kbd|li|link|main|mark|meta|nav|object|ol|p|pre|q|s|script|section|"
    "select|small|span|strike|strong|style|sub|summary|sup|svg|system|table|tbody|td|template|textarea|th|thead|"
    "title|tr|tt|u|ul|var|video"
)
# An attribute or the end must follow a space: `a<b && c>d` is no tag either.
_TAG = re.compile(rf"</?(?:{_ELEMENTS})(?:\s+[^<>=]{{0,300}}=[^<>]{{0,300}}|\s*/?)>", re.IGNORECASE)
# Syntax that makes a Markdown viewer load or run something. Quantifiers are bounded: no input is quadratic.
_IMAGE = re.compile(r"!\[([^\[\]\n]{0,300})\](?:\([^()\n]{0,2000}\)|\[[^\[\]\n]{0,300}\])")
_IMAGE_START = re.compile(r"(?<!!)!+\[")  # all of them: of `!![` one would be left
_LOADING_TAG = re.compile(
    r"(?<!\\)((?:\\\\)*)<(?=(?:img|image|source|video|audio|iframe|embed|object|script|link|input)\b"
    r"[^<>]{1,1000}?(?:src|srcset|href|data|poster)\s{0,9}=)",
    re.I,
)
_UNSAFE_LINK = re.compile(r"(\]\(\s{0,9}<?|\]:\s{1,9}<?)(?:javascript|data|vbscript):", re.I)
_BRACKETS = re.compile("[<>]")
# Markdown that would be obeyed within a line: tags, character references, link targets, runs of fences and markers. The
# target of a link may end in a later line, so that each is escaped. The first pattern only finds the lines to look at.
_MAY_BE_ACTIVE = re.compile(r"[\\<>&`~]|\]\(")
_ACTIVE = re.compile(r"(?<!\\)((?:\\\\)*+)(<(?=[A-Za-z/!?|])|&(?=#?\w{1,31};)|(?<=\])\(|`{3,}|~{3,}|<{3,}|>{3,}|\\$)")
_BACKTICK = re.compile(r"(?<!\\)((?:\\\\)*+)(`)")
# A span that is closed in its line and holds no backslash stays: names in titles are mostly written so, a viewer shows
# its text where it stands, and no escape is within, which a viewer would show instead of obeying it.
_CODE_SPAN = re.compile(r"(?<![`\\])`[^`\\]+`(?!`)")
# Markdown that would begin a block behind the number of a list. The label of a link reference definition may go on in
# the next lines: a bracket stays only where its label ends here, without a colon.
_BLOCK_START = re.compile(
    r"#{1,6}(?= |$)|>|\||[-+*](?= |$)|([-*_])(?: ?\1){2,}$|=+$|\[(?!(?:\\.|[^\[\]\\])*+(?:\[|\](?!:)))"
    r"|\d{1,9}(?=[.)](?: |$))"
)
# Within a phrase: emphasis and other signs between words, and before the colon or bracket that is changed.
_GAP = r"[\W_]+"
_SIGNS = r"(?:[^\w:(\\]|_|\\[^\w:(])*"
_SPACE = r"(?:[^\w -]|_)*( )(?:[^\w-]|_)*"
# Phrases of answers, as they look; the group is the character that is changed. A test compares them with the answers.
_PHRASE = re.compile(
    r"(?<![^\W_])(?:"
    rf"(?:note|warning|direct{_GAP}answer|related{_GAP}searches|tried{_GAP}before|more{_GAP}of{_GAP}a{_GAP}page|"
    rf"snippet|sources?|status|image|to{_GAP}read{_GAP}(?:on|a{_GAP}source)|on{_GAP}from{_GAP}a{_GAP}block|"
    rf"all{_GAP}of{_GAP}it){_SIGNS}(:)"
    rf"|(?:get\\?_content|web\\?_search|answer\\?_question){_SIGNS}(\()"
    rf"|nothing{_GAP}matched( )['\"]|retrieve{_GAP}page{_SPACE}content|data{_GAP}not{_SPACE}instructions"
    rf"|what{_GAP}follows{_GAP}comes{_SPACE}from{_GAP}the{_GAP}web"
    r"|next(_)cursor)"
    rf"|(?<!\\)(\()(?:[^\w(\\]|_|\\[^\w(]){{0,9}}(?:cut[^\w)-]|this{_GAP}is{_GAP}a |nothing{_GAP}of{_GAP}the |"
    rf"the{_GAP}same{_GAP}text |a{_GAP}part{_GAP}of{_GAP}the |the{_GAP}page{_GAP}continues)"
    r"|(?<!\\)(>) ?> ?> ?end of|(?<!\\)(<) ?< ?< ?untrusted"
)
_ESCAPED = {" ": "-"} | {character: f"\\{character}" for character in ":(_<>"}
_ESCAPED_IN_ADDRESS = {character: f"%{ord(character):02X}" for character in "(_"}
# Letters and signs that look like those of the phrases: of Cyrillic, Greek, Armenian, Coptic, Cherokee and Lisu, small
# capitals and letters with strokes. Compatible forms and accents need no entry, since they decompose.
_LOOKALIKES: dict[int, str] = {
    ord(other): group[0]
    for group in (
        "a\u0430\u0410\u0391\u03b1\u1d00\ua4ee\u2c80\u2c81\u13aa\u0251 b\u0412\u0392\u0299\ua4d0\u2c82\u13f4 "
        "c\u0441\u0421\u1d04\ua4da\u2ca4\u2ca5\u13df d\u0501\u1d05\ua4d3\u13a0\u0111\u0110 "
        "e\u0435\u0415\u0395\u03b5\u1d07\ua4f0\u2c88\u2c89\u13ac\u0454\u0404 f\ua730\ua4dd\u03dc "
        "g\u0261\u0262\ua4d6\u13c0 h\u04bb\u041d\u0397\u029c\ua4e7\u2c8e\u13bb\u0127\u0126 "
        "i\u0456\u0406\u0399\u03b9\u0131\u026a\ua4f2\u2c92\u2c93\u13a5\u0268 "
        "k\u043a\u041a\u039a\u03ba\u1d0b\ua4d7\u2c94\u2c95\u13e6 l\u04cf\u029f\ua4e1\u13de\u0142\u0141 "
        "m\u041c\u039c\u1d0d\ua4df\u2c98\u2c99\u13b7 n\u039d\u0578\u0274\ua4e0\u2c9a\u2c9b "
        "o\u043e\u041e\u039f\u03bf\u0585\u1d0f\ua4f3\u2c9e\u2c9f\u00f8\u00d8\u0555\u03c3\u10ff "
        "p\u0440\u0420\u03a1\u03c1\u1d18\ua4d1\u2ca2\u2ca3\u13e2 q\u051b r\u0433\u0280\ua4e3\u13a1\u13d2 "
        "s\u0455\u0405\ua731\ua4e2\u13da\u054f "
        "t\u0442\u0422\u03a4\u03c4\u1d1b\ua4d4\u2ca6\u2ca7\u13a2\u0167\u0166 u\u03c5\u057d\u1d1c\ua4f4\u054d "
        "v\u0475\u03bd\u1d20\ua4e6\u13d9 w\u051d\u1d21\ua4ea\u13b3\u0561 "
        "x\u0445\u0425\u03a7\u03c7\ua4eb\u2cac\u2cad "
        "y\u0443\u0423\u03a5\u028f\ua4ec\u2ca8\u2ca9\u04af\u04ae\u03b3 "
        ":\u2236\ua789\u02d0\u0589\u05c3\u02f8\ua4fd\u1361\u205a\u0703\u0704\u0903\u0a83\u16ec "
        "(\u2768\u276a\ufd3e\u27ee\u2985 >\u203a\u276f\u3009\u27e9 <\u2039\u276e\u3008\u27e8"
    ).split()
    for other in group[1:]
}
# Circled and squared letters and those of flags; quotation marks that look like several brackets.
_LOOKALIKES |= {first + at: chr(ord("a") + at) for first in (0x1F150, 0x1F170, 0x1F1E6) for at in range(26)}
_LOOKALIKES |= {0xAB: "<<", 0x226A: "<<", 0x22D8: "<<<", 0xBB: ">>", 0x226B: ">>", 0x22D9: ">>>"}
_NOT_DRAWN = ("Mn", "Me", "Cf")
_ADDRESS = re.compile(r"https?://\S+")
# With the syntax that a viewer would obey there: the target of a link, character references, runs of tildes.
_NOT_IN_ADDRESS = re.compile(r"[<>`\\^{|}]|(?<=\])\(|~(?=~)|(?<=~)~|&(?!amp;)(?=#?\w{1,31};)")
# A text is examined up to this multiple of its limit: invisible characters make it longer than it looks.
_LOOKED_AT = 20
# A cached answer is quoted again at each call.
_REMEMBERED_LINES = 1024
_REMEMBERED_CHARACTERS = 4096
# The most combining marks of one letter in any writing.
_MOST_MARKS = 8


class ArgumentName(str):
    """The name of a tool's argument in a message; a command line calls it otherwise."""

    __slots__ = ()


class Sentence(str):
    """A message in parts, of which some are names of arguments."""

    parts: tuple[str, ...]

    def __new__(cls, *parts: str) -> Self:
        sentence = super().__new__(cls, "".join(parts))
        sentence.parts = parts
        return sentence

    def rename(self, names: Mapping[str, str]) -> str:
        """The message with other names of the arguments."""
        return "".join(names.get(part, part) if isinstance(part, ArgumentName) else part for part in self.parts)

    def change(self, change: Callable[[str], str]) -> Sentence:
        """The message with its other parts changed, such as masked; the blanks around each part stay."""
        return Sentence(
            *(part if isinstance(part, ArgumentName) else _change_inside(part, change) for part in self.parts)
        )


def _change_inside(part: str, change: Callable[[str], str]) -> str:
    inside = part.strip()
    return part.replace(inside, change(inside), 1) if inside else part


def visible(text: str) -> str:
    """Remove control, bidi, tag and other invisible code points; line breaks stay."""
    if _is_plain(text):
        return text
    text = _JOINERS.sub(_keep_between_letters, _INVISIBLE.sub("", _with_plain_line_ends(text)))
    return _NO_VARIATION.sub("", _VARIATION_RUN.sub(r"\1", text))


def one_line(text: str, limit: int = 0) -> str:
    """Visible text on one line; cut at a word with an ellipsis when longer than `limit`."""
    line = _BLANKS.sub(" ", visible(_RARE_LINE_ENDS.sub(" ", _beginning(text, limit)))).strip()
    if not limit or len(line) <= limit:
        return line
    head = line[: limit - 1]
    return (head.rpartition(" ")[0] or head).rstrip() + "…"


def inert(line: str) -> str:
    """Disarm the syntax that would make a viewer of Markdown or HTML load or run something."""
    if "[" in line:
        line = _UNSAFE_LINK.sub(r"\1unsafe:", without_images(line))
    return _LOADING_TAG.sub(r"\1\\<", line) if "<" in line else line


def without_images(line: str) -> str:
    """Replace images by their alternative texts."""
    return _IMAGE_START.sub("[", _IMAGE.sub(r"\1", line)) if "![" in line else line


def without_markup(text: str, limit: int = 0) -> str:
    """Strip markup from a title or snippet: providers highlight with tags, and pages forge them."""
    # Invisible characters go first: they could hide a tag until they are removed.
    line = inert(_TAG.sub("", one_line(_beginning(text, limit))))
    # A tag around a tag or an image is an attack; its rest loses all brackets.
    return one_line(inert(_BRACKETS.sub("", line)) if _TAG.search(line) else line, limit)


def enclose(before: str, text: object, after: str = "") -> str:
    """A text or number between two others; empty where there is none."""
    return f"{before}{text}{after}" if text else ""


def join_words(detail: str, said: str, advice: str, limit: int) -> str:
    """What happened, the words of somebody else, and what to do: quotes end the words, which leave the rest room."""
    if not advice:
        return one_line(", ".join(filter(None, [detail, said])), limit)
    room = limit - len(f'{detail}, ""; {advice}')
    words = enclose('"', one_line(quote_line(said), max(room, 1)), '"')
    return one_line("; ".join(filter(None, [", ".join(filter(None, [detail, words])), advice])), limit)


def count_noun(count: int, noun: str, plural: str = "") -> str:
    """A number with its noun, such as `1 page` and `2 pages`."""
    return f"{count} {noun if count == 1 else plural or f'{noun}s'}"


def find_or_end(text: str, mark: str, start: int = 0) -> int:
    """The place of a mark; the end of the text where there is none."""
    at = text.find(mark, start)
    return at if at >= 0 else len(text)


@lru_cache(_REMEMBERED_LINES)
def quote_line(text: str) -> str:
    """Untrusted text as one inert line, to stand behind a mark of an answer; applied twice it does the same as once.

    Its Markdown is escaped where a viewer would obey it, and so are the phrases of answers: no line of the web begins a
    block, hides the text behind it, or passes for a note.
    """
    line = inert(one_line(text))
    if _ADDRESS.fullmatch(line):
        line = _escape_phrases(line, _ESCAPED_IN_ADDRESS)
        return _NOT_IN_ADDRESS.sub(lambda found: f"%{ord(found[0]):02X}", line)
    line = _escape_phrases(line, _ESCAPED)
    if _MAY_BE_ACTIVE.search(line):
        line = _ACTIVE.sub(_escape, line)
        if "`" in _CODE_SPAN.sub("", line):
            line = _BACKTICK.sub(_escape, line)
    start = _BLOCK_START.match(line)
    at = start.end() if start and start[0].isdigit() else 0
    return f"{line[:at]}\\{line[at:]}" if start else line


def quote_address(url: str) -> str:
    """An untrusted address, to begin a line with: always a scheme, and no character that would end it."""
    line = quote_line(url)
    return line if _ADDRESS.fullmatch(line) else f"invalid:{quote(line)}"


def escape_invisible(text: str) -> str:
    """The text of a JSON document with the escapes of JSON for control, bidi and other invisible characters."""
    return text if _is_plain(text) else _INVISIBLE.sub(lambda found: json.dumps(found[0])[1:-1], text)


def day_of(time: str) -> str:
    """The day of a time in ISO 8601; other text stays as it is."""
    return time[:10] if time[10:11] == "T" else time


def cut_at_word(text: str, limit: int) -> str:
    """At most `limit` characters, cut at a word if possible, and never within a letter."""
    if len(text) <= limit:
        return text
    whole_words = text[: limit + 1].rpartition(" ")[0]
    # A last word longer than the rest is no word: Chinese and Japanese have no spaces.
    if 2 * len(whole_words) > limit:
        return whole_words[:limit].rstrip()
    end = limit
    while end > max(0, limit - _MOST_MARKS) and unicodedata.category(text[end]).startswith("M"):
        end -= 1
    return text[:end].rstrip()


def _escape(found: re.Match[str]) -> str:
    return found[1] + "".join(f"\\{character}" for character in found[2])


def _escape_phrases(line: str, escapes: Mapping[str, str]) -> str:
    """The line with one character of each phrase of an answer escaped, or a hyphen for its space."""
    if not _PHRASE.search(_fold(line)):
        return line
    pieces = [_fold(character) for character in line]
    places = [place for place, piece in enumerate(pieces) for _ in piece]
    characters = list(line)
    for found in _PHRASE.finditer("".join(pieces)):
        place = places[found.start(found.lastindex or 0)]
        characters[place] = escapes.get(found[found.lastindex or 0], characters[place])
    return "".join(characters)


def _fold(text: str) -> str:
    """A text as it looks: in lower case, with Latin letters for their look-alikes and without accents."""
    return text.lower() if text.isascii() else "".join(map(_fold_character, text))


@lru_cache(_REMEMBERED_CHARACTERS)
def _fold_character(character: str) -> str:
    parts = unicodedata.normalize("NFKD", character)
    letters = "".join(part for part in parts if unicodedata.category(part) not in _NOT_DRAWN)
    # Before the case is folded: a capital Greek Nu looks like N, a small one like v.
    return letters.translate(_LOOKALIKES).casefold()


def _beginning(text: str, limit: int) -> str:
    return text[: _LOOKED_AT * limit] if limit else text


def _is_plain(text: str) -> bool:
    """Whether a text has no invisible characters, as most; printable ASCII on one line is the fast path."""
    if text.isascii() and text.isprintable():
        return True
    # Most texts are mostly ASCII, and removing that is much faster than searching it.
    rest = text.encode("utf-8", "surrogatepass").translate(None, _SEEN_IN_ASCII)
    return not rest or _SUSPECT.search(rest.decode("utf-8", "surrogatepass")) is None


def _with_plain_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n").replace("\u2029", "\n")


def _keep_between_letters(match: re.Match[str]) -> str:
    """Keep a joiner between two letters, which it shapes; elsewhere it only hides something."""
    text, start, end = match.string, match.start(), match.end()
    before = text[max(0, start - 2) : start]
    if "\ufe00" <= before[-1:] <= "\ufe0f":
        before = before[:-1]
    is_between = before and end < len(text) and _takes_joiner(before[-1]) and _takes_joiner(text[end])
    return match[0] if is_between else ""


def _takes_joiner(character: str) -> bool:
    return ord(character) > 0x2FF and unicodedata.category(character)[0] in "LMS"
