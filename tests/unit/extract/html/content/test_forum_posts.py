"""Where the posts of a thread begin: by what templates of forums call them."""

from __future__ import annotations

import numpy as np

from dowse.extract.html import to_text
from dowse.extract.html.content.blocks import cut_blocks
from dowse.extract.html.content.forum import find_posts
from dowse.extract.html.render import render
from dowse.extract.html.tree.build import build
from tests.support.tables import each_row

URL = "https://forum.example/threads/otters.12/"
FIRST = "I saw an otter below the old bridge this morning, and it was catching eels one after the other."
SECOND = "They are back since the weir was taken down, and last week I counted five of them near the mill."
THIRD = "Please keep your dogs on a lead there, because the young ones come out of the holt in these days."
TOLD = (FIRST, f"{SECOND} {SECOND}", THIRD, f"{SECOND} {FIRST}")


def posts(markup: str, without: str = "-") -> list[str]:
    """The first words of each post but the first, if all but some blocks are kept."""
    tree = build(markup)
    blocks = cut_blocks(tree)
    words = np.array([float(len(block.text.split())) for block in blocks])
    kept = np.array([without not in block.text for block in blocks])
    return [tree.words_of(tree.nodes[index])[:6] for index in sorted(find_posts(tree, blocks, words, kept))]


@each_row(
    ("opening", "closing"),
    [
        ('<article class="message message--post js-post" id="js-post-{}">', "</article>"),
        ('<div class="post bg{}">', "</div>"),
        ('<div id="post_{}" class="topic-body crawler-post">', "</div>"),
        ('<table class="tborder" id="post{}"><tr><td>', "</table>"),
        ('<div class="ipsEntry ipsEntry--post" id="elComment_{}">', "</div>"),
        ('<shreddit-comment thingid="{}"><div>', "</div></shreddit-comment>"),
        ("<x-comment>", "</x-comment>"),
        ('<li class="comment depth-{}">', "</li>"),
        ('<div class="postItem" data-number="{}">', "</div>"),
    ],
)
def test_posts_are_what_their_template_calls_so(opening: str, closing: str) -> None:
    thread = "".join(
        f"{opening.format(number)}<p class='comment-text'>{text}</p>{closing}"
        for number, text in enumerate((FIRST, SECOND, THIRD), 1)
    )
    assert posts(f"<h1>Otters</h1><div class=posts>{thread}</div>") == ["They a", "Please"]


def test_a_question_and_its_answers_are_posts_alike() -> None:
    question = f"<div class=question><div class=post-layout><div class=js-post-body>{FIRST}</div></div></div>"
    answer = f"<div class=answer><div class=post-layout><div class=js-post-body>{SECOND}</div></div></div>"
    assert posts(question + answer) == ["They a"]


def test_the_first_answer_is_apart_from_a_question_that_is_no_post() -> None:
    answers = "".join(f"<div class=answer>{text}</div>" for text in (SECOND, THIRD))
    assert posts(f"<h1>Otters</h1><p>{FIRST} {FIRST}</p>{answers}") == ["They a", "Please"]


def test_the_outermost_of_what_is_called_so_is_the_post() -> None:
    thread = "".join(
        f"<div class=post><div class=post-author>by {name}</div><div class=post-body>{text}</div></div>"
        for name, text in (("Ada", FIRST), ("Bo", SECOND))
    )
    assert posts(thread) == ["by Bo "]


@each_row(
    "row",
    [
        "<div class=item><div class=post-author>by {}</div><div class=post-body>{}</div></div>",
        "<tr><td>by {}</td><td class=post>{}</td></tr>",
        "<tr class=comtr><td><table><tr><td><span>by {}</span><div class=comment>{}</div></table></td></tr>",
    ],
)
def test_who_wrote_a_post_is_part_of_it_though_it_stands_beside(row: str) -> None:
    thread = "".join(row.format(*each) for each in (("Ada", FIRST), ("Bo", SECOND), ("Cy", THIRD)))
    assert posts(f"<table>{thread}</table>" if "<tr" in row else thread) == ["by Bo ", "by Cy "]


def test_the_name_that_most_posts_have_counts() -> None:
    """Whatever the order is in which names are looked at."""
    kinds = (f"<div class='post post-{kind}'>{text}</div>" for kind, text in zip("abab", TOLD, strict=True))
    assert len(posts("".join(kinds))) == 3


def test_nothing_is_between_the_title_and_the_first_post() -> None:
    first = f"<div class=comment><div id=comment1>{FIRST}</div></div>"
    assert posts(f"<h1>Otters</h1>{first}<div class=comment>{SECOND}</div>") == ["They a"]


def test_posts_that_are_judged_as_one_block_are_apart() -> None:
    made = to_text("<h1>Otters</h1>" + "".join(f"<div class=post>{FIRST} {n}</div>" for n in range(5_200)), URL)
    assert made.markdown.count("\n\n---\n\n") == 5_199


def test_a_reply_inside_of_another_is_one_more_post() -> None:
    nested = f"<div class=comment>{FIRST}<div class=comment>{SECOND}</div></div><div class=comment>{THIRD}</div>"
    assert posts(nested) == ["They a", "Please"]


@each_row(
    "markup",
    [
        f"<div class=post>{FIRST}</div><div class=related>{SECOND}</div>",
        f"<p class=comment>{FIRST}</p><p class=comment>{SECOND}</p>",
        f"<div class=section>{FIRST}</div><div class=section>{SECOND}</div>",
        f"<div>{FIRST} {SECOND} {THIRD}</div><div class=comment>Yes, so it is.</div><div class=comment>No, not.</div>",
        "<p>nothing at all</p>",
    ],
)
def test_what_is_no_thread_has_no_posts(markup: str) -> None:
    assert posts(markup) == []


def test_posts_of_which_nothing_is_kept_do_not_count() -> None:
    thread = "".join(f"<div class=post>{text}</div>" for text in (FIRST, "Buy cheap rods", SECOND))
    assert posts(thread, without="cheap") == ["They a"]


def thread_of(tag: str, *texts: str) -> str:
    told = "".join(f"<{tag} class=post><div><p>{text}</p><p>{text[::-1]}</p></div></{tag}>" for text in texts)
    return f"<title>Otters</title><body><h1>Otters at the mill</h1>{told}"


def test_a_rule_is_between_the_posts_of_a_thread_and_nowhere_else() -> None:
    made = to_text(thread_of("div", FIRST, SECOND, THIRD), URL).markdown
    before, *rest = made.split("\n\n---\n\n")
    assert before.endswith(FIRST[::-1])
    assert [text.split("\n\n") for text in rest] == [[SECOND, SECOND[::-1]], [THIRD, THIRD[::-1]]]


def test_a_page_that_is_no_thread_has_no_rules() -> None:
    assert "---" not in to_text(thread_of("div", FIRST, SECOND, THIRD), "https://news.example/2024/otters").markdown


def test_posts_in_a_list_are_apart_as_its_items() -> None:
    made = to_text(thread_of("li", FIRST, SECOND, THIRD).replace("<li", "<ul><li", 1) + "</ul>", URL).markdown
    assert f"- {SECOND}" in made
    assert "---" not in made


def rendered(markup: str) -> str:
    """All of a page, with a rule before what is called a post."""
    tree = build(markup)
    return render(tree, None, URL, posts={node.index for node in tree.nodes if node.get("class") == "post"})


def test_a_post_that_begins_with_a_quotation_of_another_is_apart() -> None:
    quoting = f"<div class=post><blockquote><div class=post>{FIRST}</div></blockquote><p>{SECOND}</p></div>"
    assert rendered(f"<div class=post>{THIRD}</div>{quoting}") == f"{THIRD}\n\n---\n\n> {FIRST}\n\n{SECOND}"


def test_what_ends_a_post_may_begin_the_next() -> None:
    link = "<p><a href=/ada>ada</a></p>"
    made = rendered(f"<div class=post><p>{FIRST}</p>{link}</div><div class=post>{link}<p>{SECOND}</p></div>")
    assert made.count("[ada](https://forum.example/ada)") == 2
