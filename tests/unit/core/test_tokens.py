"""Counted tokens against those of a real tokenizer: never fewer, and not many more."""

from __future__ import annotations

import base64
from random import Random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dowse.core.tokens import estimate_tokens, membership, reach, token_cost
from tests.eval.budgets.pages import LANGUAGES, page
from tests.support.tables import each_row
from tools.fit_tokens import FILTER, made_of, vocabulary
from tools.passages.metric import tokens

RANDOM = Random(8)
BYTES = RANDOM.randbytes(600)
# More scripts, and what pages hold besides prose.
OTHERS = {
    "korean": "은퇴한 등대지기는 봄이 오기 전에 낡은 경첩을 고쳤고, 두 번째 여객선은 레몬 열아홉 상자를 실어 날랐다. ",
    "hindi": "सेवानिवृत्त प्रकाशस्तंभ रक्षक ने वसंत से पहले पुराने कब्ज़ों की मरम्मत की और नींबू की उन्नीस पेटियाँ भेजीं। ",
    "thai": "ผู้เฒ่าประจำประภาคารซ่อมบานพับเก่าก่อนฤดูใบไม้ผลิ และเรือข้ามฟากขนมะนาวสิบเก้าลังไปยังตลาด ",
    "turkish": "Emekli fener bekçisi bahardan önce paslı menteşeleri onardı, feribotlar on dokuz sandık limon taşıdı. ",
    "vietnamese": "Người giữ hải đăng nghỉ hưu sửa lại bản lề cũ trước mùa xuân, còn phà chở mười chín thùng chanh. ",
    "greek": "Ο συνταξιούχος φαροφύλακας επισκεύασε τους παλιούς μεντεσέδες πριν από την άνοιξη και έφυγε με πλοίο. ",
    "hebrew": "שומר המגדלור בדימוס תיקן את הצירים הישנים לפני האביב, והמעבורת הובילה תשעה עשר ארגזי לימונים. ",
    "addresses": "[tides](https://www.harbour.example/ports/kirkwall/2026/tide-tables.html?utm_source=feed&page=2) ",
    "code": "    def departures(self, port: str, *, limit: int = 20) -> list[Ferry]:\n        return self._by[port]\n",
}
ODD = {
    "hex": BYTES.hex(),
    "base64": base64.b64encode(BYTES).decode(),
    "letters": "".join(RANDOM.choices("abcdefghijklmnopqrstuvwxyz", k=1500)),
    "capitals": "".join(RANDOM.choices("ABCDEFGHIJKLMNOPQRSTUVWXYZ", k=1500)),
    "digits": "".join(RANDOM.choices("0123456789", k=1500)),
    "marks": "".join(RANDOM.choices("!#$%&()*+,-./:;<=>?@[]^_`{|}~", k=1500)),
    "emoji": "".join(chr(RANDOM.randrange(0x1F300, 0x1F650)) for _ in range(300)),
    "families": "👩\u200d🚀🏳️\u200d🌈👍🏽" * 40,
    "rare characters": "".join(chr(RANDOM.randrange(0x4E00, 0x9FFF)) for _ in range(600)),
    "any characters": "".join(chr(RANDOM.randrange(0x80, 0xD800)) for _ in range(600)),
    "astral characters": "".join(chr(RANDOM.randrange(0x10000, 0x30000)) for _ in range(600)),
    "one letter": "x" * 3000,
    "blanks": " " * 3000,
    "line breaks": "\n" * 3000,
    "dashes": "-" * 3000,
}
LINES = [*OTHERS.values(), "\n", "```\n", "| a | b |\n", "日本", " ", "/", "x" * 70]


@each_row("language", LANGUAGES)
def test_pages_are_counted_a_little_high(language: str) -> None:
    text = page(language, 7)
    for chars in (1_000, 4_000, 20_000):
        true = tokens(text[-chars:])
        assert true <= estimate_tokens(text[-chars:]) <= 1.15 * true


@each_row("name", OTHERS)
def test_other_scripts_and_other_texts_are_counted_a_little_high(name: str) -> None:
    text = OTHERS[name] * 9
    true = tokens(text)
    assert true <= estimate_tokens(text) <= 1.2 * true


@each_row("name", ODD)
def test_what_is_no_writing_is_not_counted_low(name: str) -> None:
    assert estimate_tokens(ODD[name]) >= tokens(ODD[name])


def test_nothing_costs_nothing() -> None:
    assert (estimate_tokens(""), estimate_tokens("word")) == (0, 2)


def test_half_a_surrogate_pair_can_be_counted() -> None:
    assert estimate_tokens("\ud800" * 10) > 10


@given(st.lists(st.sampled_from(LINES), max_size=12))
def test_lines_add_up_to_no_less_than_the_text(pieces: list[str]) -> None:
    """Budgets are filled by adding lines, each with its line break."""
    lines = "".join(pieces).splitlines(keepends=True)
    assert token_cost("".join(lines)) <= sum(map(token_cost, lines)) + 2


@given(st.lists(st.sampled_from([*OTHERS.values(), *ODD.values()]), max_size=3).map("".join), st.integers(0, 300))
@example("雨の日" * 1000, 100)
@example("e\u0301" * 100, 50)
def test_what_is_within_reach_costs_no_more_than_it_may(text: str, tokens: int) -> None:
    end = reach(text, 0, tokens)
    assert token_cost(text[:end]) <= tokens
    if end < len(text):
        assert token_cost(text[: end + 80]) > tokens


def test_a_reach_begins_where_it_is_told_to_and_ends_behind_a_word() -> None:
    text = "several words " * 100
    end = reach(text, 8, 20)
    assert text[8:end].startswith("words several")
    assert text[end] == " "


def test_a_reach_goes_far_into_a_text_without_blanks() -> None:
    text = page("chinese", 1).replace("，", "")
    assert tokens(text[: reach(text, 0, 250)]) > 220


def test_of_a_long_text_a_sample_is_counted() -> None:
    text = "".join(page(language, 1) for language in LANGUAGES)
    assert estimate_tokens(text) == pytest.approx(1.07 * tokens(text), rel=0.05)


def test_the_filter_is_made_of_the_vocabulary_and_knows_all_of_it() -> None:
    is_token = membership(FILTER.read_bytes())
    known = {token.decode(errors="replace") for token in vocabulary()}
    assert [token for token in known if len(token) > 1 and "\ufffd" not in token and not is_token(token)] == []


def test_few_others_are_taken_for_tokens() -> None:
    is_token = membership(FILTER.read_bytes())
    taken = sum(is_token(f"{number} tokens") for number in range(20_000))
    assert 0 < taken < 20_000 / 256 * 1.5


def test_a_filter_knows_what_it_is_made_of_and_leaves_out_halves_of_characters() -> None:
    words = [f"word{number}" for number in range(500)]
    is_token = membership(made_of([*(word.encode() for word in words), b"\xe6\x97"]))
    assert all(map(is_token, words))
    assert sum(is_token(f"other{number}") for number in range(500)) < 10
