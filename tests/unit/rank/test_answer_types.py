"""The kind of answer that a question asks for, and the texts that have it."""

from __future__ import annotations

import pytest

from dowse.rank.answer_types import (
    Expectation,
    asks_number,
    asks_person,
    find_asked,
    has_full_name,
    has_type,
    lacks_name,
    lacks_number,
)
from tests.support.tables import each_row


@each_row(
    ("question", "kind", "answer", "other"),
    [
        ("How tall is the tower?", "length", "It has 41 metres.", "It was lit in 1874."),
        ("Wie hoch ist der Turm?", "length", "Er misst 41 Meter.", "Er ist aus Stein."),
        ("¿Qué distancia hace el tren?", "length", "Recorre 812 kilómetros.", "Lleva dos locomotoras."),
        ("橋の長さはどれくらいですか", "length", "長さは390メートルである。", "歩行者専用の橋である。"),
        ("这座桥有多长", "length", "全长二百八十八米。", "这座桥很长。"),
        ("What is the price of a ticket?", "money", "A ticket is 8 pounds.", "Tickets are sold at the landing."),
        ("How much does a ticket cost?", "money", "Pay $ 8 at the landing.", "A ticket takes 8 minutes."),
        ("Quel est le tarif ?", "money", "L'entrée : 7 euros.", "Ouvert de 10 heures à 18 heures."),
        ("入場料金はいくらですか", "money", "大人500円。", "午前8時半から。"),
        ("How long does the crossing take?", "duration", "It takes 25 minutes.", "It is cancelled in a swell."),
        ("¿Cuánto dura la visita?", "duration", "Dura hora y media.", "Vale 5 euros."),
        ("Wie alt wurde sie?", "age", "Sie wurde 90 Jahre alt.", "Sie kam 1952."),
        ("何歳ですか", "age", "今年で八十歳になる。", "駅からバスで25分の所にある。"),
        ("When was it lit?", "date", "It was lit on 3 October 1874.", "It burned oil."),
        ("いつ開通しましたか", "date", "2011年11月3日に開通した。", "歩行者専用の橋である。"),
        ("What time does it open?", "time", "From 8.10 in summer.", "It opens in May."),
        ("Quel jour est-il fermé ?", "weekday", "Tous les jours sauf le mardi.", "De dix heures à midi."),
        ("How heavy is it?", "weight", "It weighs 1.05 kg.", "It holds 1.2 litres."),
        ("What temperature does it reach?", "temperature", "Up to 100 °C.", "Up to an hour."),
        ("How many watts does it have?", "power", "Power: 1350 W", "Capacity: 1.2 l"),
        ("Why did they change?", "reason", "They did, because it was cheaper.", "They did it in 1891."),
        ("なぜ加えるのですか", "reason", "均一に広がるためである。", "根から取った粘液を加える。"),
        ("Which colour is it?", "colour", "It is painted red.", "It is painted every year."),
        ("What percentage was sold?", "share", "Sales were 12 percent.", "Sales were 12 tons."),
        ("How fast is it?", "speed", "It runs at 160 km/h.", "It runs at night."),
        ("¿Qué superficie tienen?", "area", "Ocupan 140 hectáreas.", "Son del siglo doce."),
    ],
)
def test_a_text_has_the_type_of_answer_that_is_asked_for(question: str, kind: str, answer: str, other: str) -> None:
    types = find_asked(question).types
    assert kind in types
    assert has_type(answer, question, types)
    assert not has_type(other, question, types)


def test_a_value_of_the_question_is_no_answer() -> None:
    question = "How long did the 25 minutes of delay take?"
    assert not has_type("The 25 minutes of delay were long.", question, ("duration",))


def test_only_the_beginning_of_a_long_text_is_looked_at() -> None:
    question, types = "How tall is it?", ("length",)
    assert has_type(f"{'word ' * 100}41 metres", question, types)
    assert not has_type(f"{'word ' * 400}41 metres", question, types)


def test_words_of_the_type_are_implied_and_no_others() -> None:
    asked = find_asked("How much does a ticket to the lighthouse cost?")
    assert {"how", "much", "cost"} <= asked.implied
    assert asked.implied.isdisjoint({"ticket", "lighthouse"})


@each_row("question", ["What does tracemalloc show?", "Is a timeout retried?", "lantern client", ""])
def test_a_question_may_ask_for_no_type(question: str) -> None:
    assert find_asked(question) == ((), frozenset(), "")


@pytest.mark.promise("answers-kind")
@each_row(
    ("question", "text", "inside", "language", "factor"),
    [
        ("How tall is it?", "It has 41 metres.", {}, "english", 1.1),
        ("How tall is it?", "It is tall.", {}, "english", 0.65),
        ("How many bees are left?", "10,000 bees are left.", {"bees": 1.0}, "english", 1.0),
        ("How many bees are left?", "10,000 wasps are left.", {}, "english", 0.65),
        ("How many bees are left?", "Few bees are left.", {"bees": 1.0}, "english", 0.65),
        ("Who designed it?", "The engineer Elspeth Garrow did.", {}, "english", 1.0),
        ("Who designed it?", "Somebody called Garrow did.", {}, "english", 0.85),
        ("Who designed it?", "An engineer did.", {}, "english", 0.6),
        ("Wer hat ihn erfunden?", "Man braucht dafür Mehl und Wasser.", {}, "german", 0.6),
        ("Wie viel Salz braucht es?", "Man braucht Salz.", {}, "german", 0.7),
        ("What is it?", "An otter.", {}, "english", 1.0),
    ],
)
def test_another_kind_of_answer_supports_less(
    question: str, text: str, inside: dict[str, float], language: str, factor: float
) -> None:
    assert Expectation(question).rate(text, inside, language) == pytest.approx(factor)


def test_a_full_name_is_two_capitalised_words_in_a_row() -> None:
    assert has_full_name("Built by Ada Brunel.", "Who built it?")
    assert not has_full_name("Built by Ada Brunel.", "Did Ada Brunel build it?")
    assert not has_full_name("Built by the harbour authority.", "Who built it?")


@each_row(
    ("text", "question", "language", "lacks"),
    [
        ("It is long.", "how long is it", "english", True),
        ("It is forty metres long.", "how long is it", "english", False),
        ("Version 3.15 is out.", "when was 3.15 released", "english", True),
        ("Version 3.15 is out since 2026.", "when was 3.15 released", "english", False),
        ("Er kommt am Montag.", "wann kommt er", "german", False),
        ("Se on pitkä.", "kuinka pitkä se on", "finnish", False),
    ],
)
def test_numbers_of_the_question_are_no_answer(text: str, question: str, language: str, lacks: bool) -> None:
    assert lacks_number(text, question, language) is lacks


@each_row(
    ("text", "lacks"),
    [
        ("Trams cross the Nordhaven bridge.", True),
        ("The mayor opened it.", True),
        ("It was opened by Ada Brunel.", False),
        ("Im Jahr darauf kam Özlem.", False),
    ],
)
def test_a_name_is_a_new_word_with_a_capital_letter_inside_a_sentence(text: str, lacks: bool) -> None:
    assert lacks_name(text, "Who opened the Nordhaven bridge?") is lacks


@each_row(
    ("question", "number", "person"),
    [
        ("how many bolts", True, False),
        ("Wann fährt er?", True, False),
        ("いつですか", True, False),
        ("who wrote it", False, True),
        ("Wer war das?", False, True),
        ("what is it", False, False),
    ],
)
def test_questions_ask_for_numbers_and_persons(question: str, number: bool, person: bool) -> None:
    assert (asks_number(question), asks_person(question)) == (number, person)
