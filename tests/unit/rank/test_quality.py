"""Flaws: what is plainly no page to read is named; what only looks unusual is left alone."""

import random

from dowse.core.digests import Source
from dowse.rank.quality import find_quality_issues
from tests.support.tables import each_row

TOWNS = "Aldon Brack Corley Dunmore Estwick Farnley Galston Hexley Ivering Jarrow Kelby Lynton".split()
ARTICLE = """# Growing beans

Beans need warm soil, so wait until the last frost has passed before you sow them. In most gardens that is the
middle of May; a cold frame or a tunnel brings the date forward by two or three weeks without any further work.

Sow two seeds every twenty centimetres and thin to the stronger plant. Climbing kinds want a pole of two metres,
while dwarf kinds stand alone and crop earlier but for a shorter time. Water at the root, never on the leaves.

Pick every other day once the pods are as long as a finger. What is left on the plant ripens, and a plant with
ripe pods stops flowering. Late in the season leave a few for seed, and dry them where mice cannot come.
"""
STUFFED = " ".join(
    f"Looking for cheap garden sheds in {town}? Our cheap garden sheds are the best cheap garden sheds near you."
    for town in TOWNS
)
REPEATED = "\n\n".join(["Click the button below to claim your free gift before the offer ends tonight."] * 9)
SHORT_LINE = "Buy cheap story facts online now best price story facts.\n\n" * 60
SHORT_LINES = (
    "Buy cheap beans online now at the best price.\n\nBeans with fast delivery to every town.\n\n"
    "Order today and save ninety percent.\n\n"
) * 25
LINKS = "\n".join(f"- [Shop number {number} in the old town](https://shop{number}.example/)" for number in range(40))
SPUN = " ".join(
    f"In {town} you find a {{great|good|fine}} offer for {{your home|your house}} and a {{low|small}} price."
    for town in TOWNS[:6]
)
CUT_OFF = "\n\n".join(
    f"The best places to eat in {town} are listed here with prices, opening hours and what our …" for town in TOWNS
)
RANDOM = " ".join("".join(random.Random(seed).choices("bcdfghjklmnpqrstvxz", k=6)) for seed in range(120))


@each_row(
    ("text", "flaw"),
    [
        (STUFFED, "the same phrase over and over"),
        (REPEATED, "the same sentences again and again"),
        (f"# Story facts\n\n{SHORT_LINE}", "the same sentences again and again"),
        (f"# Beans\n\n{SHORT_LINES}", "the same sentences again and again"),
        (f"# Shops\n\n{LINKS}", "hardly anything but links"),
        (SPUN, "text that a program left unfinished"),
        (CUT_OFF, "a list of cut-off sentences"),
        (RANDOM, "text in no language"),
        ("QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVoK" * 20, "text in no language"),
        ("Pr\ufffdfung der B\ufffdume im Fr\ufffdhjahr " * 20, "text in no language"),
        (
            "# example.org\n\nBuy this domain. The domain name example.org is for sale by its owner.",
            "a domain for sale",
        ),
        ("# Loading\n\nPlease wait.", "nearly no text"),
        ("", "nearly no text"),
    ],
)
def test_a_page_that_is_none_is_named(text: str, flaw: str) -> None:
    assert flaw in find_quality_issues(Source(text))


CODE = "```python\n" + "\n".join(f"print(values[{number}])" for number in range(60)) + "\n```"
TABLE = "| Town | Trains |\n| --- | --- |\n" + "\n".join(f"| {town} | every hour |" for town in TOWNS * 5)
CATALOGUE = "\n".join(
    f"- [Garden shed {n}](https://shop.example/{n}): wood, {n} cm, 4 out of 5 stars" for n in range(60)
)
CHANGES = "\n".join(f"- Fixed a crash when the list of {town} was empty (#{n})" for n, town in enumerate(TOWNS * 3))
FORUM = "\n\n".join(
    f"**{town}**\n\nMember since 2019, 40 posts\n\n{post.strip()}.\n\nReply to this post"
    for town, post in zip(TOWNS, ARTICLE.replace("\n", " ").split("."), strict=False)
)
OFFERS = "\n".join(
    f"- Garden shed {town} of larch wood, {n} cm\n- Free delivery to your door" for n, town in enumerate(TOWNS * 3)
)
SONG = "\n".join(f"We sail to {town} in the morning\nand home with the tide again" for town in TOWNS)
USAGE = f"{ARTICLE}\n\nRun the tool with {{start|stop|restart}}, and give it {{json|text}} for the form."
FOR_SALE = ARTICLE * 3 + "\n\nA short note says that this domain is for sale."
CHINESE = (
    "# 种豆\n\n豆类需要温暖的土壤，所以要等到最后一次霜冻过去再播种。在大多数花园里，那是五月中旬；"
    "用冷床可以提前两三周。每隔二十厘米播两粒种子，然后留下较壮的一株。"
)

TIBETAN = " ".join("་".join(chr(0x0F40 + (number + step) % 40) for step in range(40)) for number in range(9))


@each_row(
    "text",
    [
        ARTICLE,
        CODE,
        TABLE,
        CATALOGUE,
        CHANGES,
        FORUM,
        OFFERS,
        SONG,
        USAGE,
        FOR_SALE,
        CHINESE,
        TIBETAN,
        f"Beans.\n\n{CODE}",
    ],
)
def test_a_page_that_is_merely_unusual_has_no_flaw(text: str) -> None:
    assert find_quality_issues(Source(text)) == ()
