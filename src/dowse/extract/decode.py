"""Bytes to text by the declared charset, or by detection where it is missing or false.

Never raises, and the result always encodes as UTF-8.
"""

from __future__ import annotations

import codecs
import re

from dowse.extract.charset_detection import count_utf8_characters, detect_codec

# WHATWG labels -> Python codec. Only these are believed: the standard drops labels such as utf-7,
# iso-2022-kr and hz-gb-2312 because they let a page mean two things at once.
_LABELS = {
    "utf-8": "utf-8 utf8 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8",
    "utf-16-le": "utf-16le utf-16 unicode ucs-2 iso-10646-ucs-2 csunicode unicodefeff",
    "utf-16-be": "utf-16be unicodefffe",
    "cp1252": "windows-1252 cp1252 x-cp1252 ascii us-ascii ansi_x3.4-1968 latin1 latin-1 l1 iso-8859-1 iso8859-1"
    " iso88591 iso_8859-1 iso_8859-1:1987 ibm819 cp819 iso-ir-100 csisolatin1",
    "cp1250": "windows-1250 cp1250 x-cp1250",
    "cp1251": "windows-1251 cp1251 x-cp1251",
    "cp1253": "windows-1253 cp1253 x-cp1253",
    "cp1254": "windows-1254 cp1254 x-cp1254 iso-8859-9 iso8859-9 iso_8859-9 latin5 l5",
    "cp1255": "windows-1255 cp1255 x-cp1255",
    "cp1256": "windows-1256 cp1256 x-cp1256",
    "cp1257": "windows-1257 cp1257 x-cp1257",
    "cp1258": "windows-1258 cp1258 x-cp1258",
    "cp874": "windows-874 dos-874 tis-620 iso-8859-11 iso8859-11",
    "cp866": "ibm866 866 cp866 csibm866",
    "iso8859-2": "iso-8859-2 iso8859-2 iso_8859-2 latin2 l2 csisolatin2",
    "iso8859-3": "iso-8859-3 iso8859-3 iso_8859-3 latin3 l3",
    "iso8859-4": "iso-8859-4 iso8859-4 iso_8859-4 latin4 l4",
    "iso8859-5": "iso-8859-5 iso8859-5 iso_8859-5 cyrillic csisolatincyrillic",
    "iso8859-6": "iso-8859-6 iso8859-6 iso_8859-6 arabic iso-8859-6-e iso-8859-6-i",
    "iso8859-7": "iso-8859-7 iso8859-7 iso_8859-7 greek greek8 sun_eu_greek",
    "iso8859-8": "iso-8859-8 iso8859-8 iso_8859-8 hebrew visual iso-8859-8-i iso-8859-8-e logical",
    "iso8859-10": "iso-8859-10 iso8859-10 latin6 l6",
    "iso8859-13": "iso-8859-13 iso8859-13",
    "iso8859-14": "iso-8859-14 iso8859-14",
    "iso8859-15": "iso-8859-15 iso8859-15 iso_8859-15 latin9 l9 csisolatin9",
    "iso8859-16": "iso-8859-16 iso8859-16",
    "koi8-r": "koi8-r koi8 koi koi8_r cskoi8r",
    "koi8-u": "koi8-u koi8-ru",
    "mac-roman": "macintosh mac x-mac-roman csmacintosh",
    "mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "cp932": "shift_jis shift-jis sjis x-sjis ms_kanji ms932 windows-31j csshiftjis",
    "euc_jp": "euc-jp x-euc-jp cseucpkdfmtjapanese",
    "iso2022_jp": "iso-2022-jp csiso2022jp",
    "cp949": "euc-kr cseuckr korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949 iso-ir-149",
    "gb18030": "gb18030 gbk gb2312 gb_2312 gb_2312-80 chinese csgb2312 x-gbk iso-ir-58",
    "big5hkscs": "big5 big5-hkscs cn-big5 csbig5 x-x-big5",
}
_CODECS = {label: codec for codec, labels in _LABELS.items() for label in labels.split()}
_BOMS = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_SNIFFED_BYTES = 1024
_IN_MARKUP = re.compile(
    rb"""<(?:meta\b[^>]{0,512}?\bcharset|\?xml\b[^>]{0,128}?\bencoding)\s*=\s*["']?\s*([a-z0-9_:.-]{1,40})""", re.I
)
# Short text in these charsets may be valid UTF-8 by accident; in others, so many characters are not.
_MULTIBYTE = frozenset(
    {"utf-8", "utf-16-le", "utf-16-be", "cp932", "euc_jp", "iso2022_jp", "cp949", "gb18030", "big5hkscs"}
)
_NO_ACCIDENT = 4
# Share of the non-ASCII characters: text with a true label may have a few broken ones.
_MOST_BROKEN = 0.01
_SURROGATES = re.compile("[\ud800-\udfff]")


def decode(data: bytes, charset: str = "") -> str:
    """Decode a body; undecodable bytes become U+FFFD."""
    if bom := next(filter(data.startswith, _BOMS), b""):
        return _decode_with(data[len(bom) :], _BOMS[bom])
    labels = (_codec_of_label(charset), _codec_in_markup(data))
    declared = [codec for codec in labels if codec and _is_possible(codec, data)]
    if not declared:
        return _decode_with(data, _wide_codec(data) or detect_codec(data) or "cp1252")
    # Browsers would believe the label and show mojibake.
    if _is_utf8_after_all(data, declared[0]):
        return _decode_with(data, "utf-8")
    return _decode_declared(data, declared)


def _decode_declared(data: bytes, declared: list[str]) -> str:
    for codec in declared:
        text = _decode_with(data, codec)
        if _is_clean(text):
            return text
    # No label is true. Detection has to do better, or the first label stands.
    text = _decode_with(data, detect_codec(data) or "cp1252")
    return text if _is_clean(text) else _decode_with(data, declared[0])


def _decode_with(data: bytes, codec: str) -> str:
    text = data.decode(codec, "replace").replace("\0", "\ufffd")
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATES.sub("\ufffd", text)
    return text


def _codec_of_label(charset: str) -> str | None:
    return _CODECS.get(charset.strip().strip("\"'").lower())


def _codec_in_markup(data: bytes) -> str | None:
    found = _IN_MARKUP.search(data[:_SNIFFED_BYTES])
    codec = _CODECS.get(found[1].decode("ascii").lower()) if found else None
    # Markup that could be read byte by byte is not UTF-16, whatever it says (WHATWG prescan).
    return "utf-8" if codec and codec.startswith("utf-16") else codec


def _wide_codec(data: bytes) -> str | None:
    """The UTF-16 codec of markup without a byte order mark: every other byte is zero, which is valid UTF-8 too."""
    head = data[:_SNIFFED_BYTES]
    for first_nul, codec in ((1, "utf-16-le"), (0, "utf-16-be")):
        if len(head) >= 4 and head[first_nul::2].count(0) > len(head) // 4:
            return codec
    return None


def _is_utf8_after_all(data: bytes, codec: str) -> bool:
    """Whether a single-byte label contradicts the bytes: servers send one label with all their pages."""
    if codec in _MULTIBYTE:
        return False
    return count_utf8_characters(data) >= (1 if codec == "cp1252" else _NO_ACCIDENT)


def _is_possible(codec: str, data: bytes) -> bool:
    """Whether a label can be true: UTF-16 without a zero byte would hold neither blanks nor tags."""
    head = data[:_SNIFFED_BYTES]
    return not codec.startswith("utf-16") or b"\0" in head or not (head.isascii() or count_utf8_characters(head))


def _is_clean(text: str) -> bool:
    broken = text.count("\ufffd")
    return not broken or broken <= _MOST_BROKEN * (len(text) - len(text.encode("ascii", "ignore")))
