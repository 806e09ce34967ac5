"""Text without a label, or with a false one, is read as what it was written as."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.extract.decode import decode
from tests.support.tables import each_row

JAPANESE = "天気予報 - 明日は全国的に晴れるでしょう。東京では気温が二十度まで上がる見込みです。"
CHINESE = "天气预报：明天全国大部分地区晴朗，北京最高气温二十度。"
TAIWANESE = "天氣預報：明天全國大部分地區晴朗，臺北最高氣溫二十度。"
KOREAN = "날씨 예보: 내일은 전국이 맑겠으며 서울의 낮 기온은 이십 도까지 오르겠습니다."
RUSSIAN = "Прогноз погоды. Завтра по всей стране будет ясно, в Москве до двадцати градусов."
UKRAINIAN = "Прогноз погоди. Завтра по всій країні буде ясно, у Києві до двадцяти градусів."
FRENCH = "Prévisions météo. Demain, il fera beau ; à Paris, les températures s’élèveront à vingt degrés."
CZECH = "Předpověď počasí. Zítra bude v celé zemi jasno, v Praze teploty vystoupí až na dvacet stupňů."
GREEK = "Πρόγνωση του καιρού. Αύριο θα έχει λιακάδα σε όλη τη χώρα."

TEXTS = [
    (JAPANESE, "shift_jis"),
    ("データベースのインストール方法", "shift_jis"),
    (JAPANESE, "euc-jp"),
    ("会社案内 お問い合わせはこちら", "euc-jp"),
    (JAPANESE, "iso2022_jp"),
    (CHINESE, "gbk"),
    (CHINESE, "gb18030"),
    ("红烧肉的做法 把猪肉切块，放入锅中煮熟后加酱油和糖。", "gbk"),
    (TAIWANESE, "big5"),
    ("公司簡介 我們是一家專業從事軟體開發的企業。", "big5"),
    (KOREAN, "euc-kr"),
    ("회사 소개 저희는 소프트웨어를 만드는 기업입니다.", "euc-kr"),
    (RUSSIAN, "windows-1251"),
    (RUSSIAN, "koi8-r"),
    (RUSSIAN, "cp866"),
    ("Главная страница", "windows-1251"),
    ("Главная страница", "koi8-r"),
    ("О КОМПАНИИ. МЫ ДЕЛАЕМ ПРОГРАММЫ", "windows-1251"),
    ("О КОМПАНИИ. МЫ ДЕЛАЕМ ПРОГРАММЫ", "koi8-r"),
    (UKRAINIAN, "windows-1251"),
    (UKRAINIAN, "koi8-u"),
    ("Времето утре ще бъде слънчево в цялата страна.", "windows-1251"),
    (FRENCH, "windows-1252"),
    ("Wetterbericht. Morgen wird es überall schön; in Köln größte Wärme.", "windows-1252"),
    ("¿Qué tiempo hará mañana? Habrá sol en todo el país y en León.", "windows-1252"),
    ("Previsão do tempo. Amanhã não choverá em São Paulo.", "windows-1252"),
    ("Vejrudsigt: I morgen bliver det smukt vejr på øerne i læ for blæsten.", "windows-1252"),
    ("Perché la città è così bella? Più sole di così non si può.", "windows-1252"),
    ("It’s a “nice” day — isn’t it? I’m sure we’ll see; they’re “here”…", "windows-1252"),
    ("© 2024 Example. 20 °C ± 1, £5, 3 m³, 4 m². See note¹.", "windows-1252"),
    (CZECH, "windows-1250"),
    (CZECH, "iso8859-2"),
    ("Jutro będzie słonecznie i ciepło, więc można wyjść na łąkę koło Łodzi.", "windows-1250"),
    (GREEK, "windows-1253"),
]
NAMED = [pytest.param(text, codec, id=f"{codec}: {text[:12]}") for text, codec in TEXTS]


@each_row(("text", "codec"), NAMED)
def test_text_without_a_label_is_read(text: str, codec: str) -> None:
    assert decode(text.encode(codec)) == text


@each_row(("text", "codec"), NAMED)
def test_a_page_without_a_label_is_read(text: str, codec: str) -> None:
    page = f"<html><head><title>{text}</title></head><body><p class='a b'>{text}</p><script>var a = 1;</script></body>"

    assert decode(page.encode(codec)) == page


@each_row(("text", "codec"), [each for each in TEXTS if each[1] != "iso2022_jp"])
def test_a_label_that_would_leave_nothing_readable_is_not_believed(text: str, codec: str) -> None:
    page = f'<meta charset="utf-8"><p>{text}'.encode(codec)

    assert decode(page, "utf-8") == page.decode(codec)


@each_row("text", [JAPANESE, CHINESE, KOREAN, RUSSIAN, FRENCH, CZECH])
@each_row("label", ["iso-8859-1", "windows-1252", "windows-1251", ""])
def test_utf8_is_read_whatever_single_byte_charset_it_is_labelled_with(text: str, label: str) -> None:
    assert decode(text.encode(), label) == text


def test_a_false_header_gives_way_to_a_true_label_in_the_page() -> None:
    page = '<meta charset="windows-1253">' + "καφές"

    assert decode(page.encode("cp1253"), "utf-8") == page


@each_row(
    ("text", "codec", "language"),
    [
        ("Jak się masz?", "windows-1250", "pl"),
        ("תחזית מזג האוויר: מחר יהיה נאה.", "windows-1255", "he"),
        ("توقعات الطقس: غدا سيكون الجو مشمسا.", "windows-1256", "ar-EG"),
        ("พยากรณ์อากาศ พรุ่งนี้อากาศแจ่มใสทั่วประเทศ", "cp874", "th"),
        ("Güneşli, sıcak", "windows-1254", "tr"),
    ],
)
def test_the_language_that_a_page_names_counts(text: str, codec: str, language: str) -> None:
    page = f'<html dir="auto" lang="{language}"><p>{text}'

    assert decode(page.encode(codec)) == page


def test_a_label_is_believed_if_a_character_here_and_there_is_broken() -> None:
    data = (RUSSIAN * 10).encode() + b"\xff" + RUSSIAN.encode()

    assert decode(data, "utf-8") == RUSSIAN * 10 + "\ufffd" + RUSSIAN
    assert decode(data) == RUSSIAN * 10 + "\ufffd" + RUSSIAN


@each_row(("text", "codec"), [(JAPANESE, "utf-8"), (JAPANESE, "shift_jis"), (CHINESE, "gbk")])
def test_a_body_that_is_cut_in_the_middle_of_a_character_is_read(text: str, codec: str) -> None:
    assert decode(text.encode(codec)[:-1]).startswith(text[:-1])


def test_ascii_that_is_labelled_utf16_is_ascii() -> None:
    assert decode(b"<p>plain", "utf-16le") == "<p>plain"


@given(st.binary(max_size=400), st.sampled_from(["", "utf-8", "utf-16", "latin1", "shift_jis", "big5", "euc-kr"]))
def test_no_bytes_make_a_guess_raise(data: bytes, label: str) -> None:
    assert decode(b'<html lang="ja">' + data, label).encode("utf-8")


@given(st.text(st.characters(codec="cp1251", min_codepoint=0x80), min_size=1), st.sampled_from(["cp1251", "koi8-u"]))
def test_every_letter_of_an_alphabet_survives_its_label(text: str, codec: str) -> None:
    data = text.encode(codec, "replace")

    assert decode(data, codec.replace("cp", "windows-")) == data.decode(codec)
