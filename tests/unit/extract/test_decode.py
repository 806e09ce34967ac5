"""Bytes of any kind become text that can be passed on."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dowse.extract.decode import decode
from tests.support.tables import each_row


@each_row(
    ("data", "charset", "text"),
    [
        pytest.param("naïve".encode(), "", "naïve", id="utf-8 without a label"),
        pytest.param(b"na\xefve \x93q\x94", "", "naïve “q”", id="windows-1252 without a label"),
        pytest.param(b"na\xefve \x80", "ISO-8859-1", "naïve €", id="latin1 means windows-1252"),
        pytest.param("日本語".encode("cp932"), "Shift_JIS", "日本語", id="shift_jis"),
        pytest.param("日本語".encode("euc_jp"), '"euc-jp"', "日本語", id="quoted label"),
        pytest.param("镕".encode("gb18030"), "gb2312", "镕", id="gb2312 means gb18030"),
        pytest.param("繁體".encode("big5"), "big5", "繁體", id="big5"),
        pytest.param("한국".encode("cp949"), "euc-kr", "한국", id="euc-kr"),
        pytest.param("привет".encode("koi8-r"), "koi8-r", "привет", id="koi8-r"),
        pytest.param(codecs.BOM_UTF8 + "é".encode(), "latin1", "é", id="a mark at the start beats the label"),
        pytest.param(codecs.BOM_UTF16_BE + "é".encode("utf-16-be"), "utf-8", "é", id="utf-16 mark"),
        pytest.param("<p>plain".encode("utf-16-le"), "", "<p>plain", id="utf-16 without mark or label"),
        pytest.param(b'<meta charset="windows-1251">\xef', "", '<meta charset="windows-1251">п', id="meta charset"),
        pytest.param(
            b"<META http-equiv=content-type content='text/html; charset=koi8-r'>\xc1",
            "",
            "<META http-equiv=content-type content='text/html; charset=koi8-r'>а",
            id="http-equiv",
        ),
        pytest.param(b"<?xml version='1.0' encoding='koi8-r'?>\xc1", "", None, id="xml declaration"),
        pytest.param("<meta charset=utf-16>é".encode(), "", "<meta charset=utf-16>é", id="meta cannot mean utf-16"),
        pytest.param(b"+ADw-script+AD4-", "utf-7", "+ADw-script+AD4-", id="utf-7 is not believed"),
        pytest.param(b"a\x1b$)Cb", "iso-2022-kr", "a\x1b$)Cb", id="iso-2022-kr is not believed"),
        pytest.param("é".encode(), "no-such-charset", "é", id="bogus label"),
        pytest.param(b"a\x00b", "utf-8", "a\ufffdb", id="NUL"),
        pytest.param(b"a\xed\xa0\x80b", "utf-8", "a\ufffd\ufffd\ufffdb", id="surrogate"),
        pytest.param(b"", "", "", id="nothing"),
    ],
)
def test_text_is_decoded_as_a_browser_would(data: bytes, charset: str, text: str | None) -> None:
    assert decode(data, charset) == (text if text is not None else data.decode("koi8-r"))


LABELS = st.sampled_from(["utf-8", "utf-16", "utf-7", "latin1", "shift_jis", "euc-jp", "iso-2022-jp", "gbk", "big5"])


@given(st.binary(max_size=300), st.one_of(LABELS, st.text(max_size=20)))
def test_no_bytes_and_no_label_raise_and_the_result_encodes(data: bytes, charset: str) -> None:
    text = decode(data, charset)

    assert "\x00" not in text
    assert text.encode("utf-8").decode("utf-8") == text
