"""Which blocks of a thread are signatures: by what templates of forums call them."""

from __future__ import annotations

from dowse.extract.html.content.blocks import cut_blocks
from dowse.extract.html.content.forum import find_signatures
from dowse.extract.html.content.reasons import reasons
from dowse.extract.html.content.selection import select
from dowse.extract.html.tree.build import build
from tests.support.tables import each_row

URL = "https://forum.example/threads/otters.12/"
MOTTO = "Life is too short for slow rivers and bad fish."


def signed(markup: str) -> list[str]:
    """The first words of what is in a signature."""
    tree = build(markup)
    blocks = cut_blocks(tree)
    return [block.text.split()[0] for block, is_in in zip(blocks, find_signatures(tree, blocks), strict=True) if is_in]


@each_row(
    "attributes",
    [
        "class=signature",
        "class='message-signature js-signature'",
        "class=ipsEntry__signature",
        "class=sig_text",
        "class='post member-sig'",
        "class=sigContainer",
        "class=userSigBox",
        "class=post__sig",
        "class=signaturecontainer",
        "class=postsignature",
        "id=sig4711",
        "data-role=memberSignature",
    ],
)
def test_a_signature_is_known_by_its_name_with_all_that_is_in_it(attributes: str) -> None:
    assert signed(f"<p>Post</p><div {attributes}><p>Motto</p><ul><li>Link</ul></div><p>Next</p>") == ["Motto", "Link"]


@each_row("name", ["design", "signin", "significant", "assigned", "post"])
def test_other_names_are_no_signatures(name: str) -> None:
    assert signed(f"<div class={name}>Post</div>") == []


def test_signatures_are_left_out_of_a_thread_however_much_they_look_like_posts() -> None:
    posts = [
        f"""<article class="ipsEntry" id="post{number}"><h3 class="author"><a href="/u/{number}">otter{number}</a></h3>
        <div class="ipsEntry__post"><div class="ipsRichText ipsRichText--user"><p>{text} This is what I have seen at the
        river for {number} years, and others say the same.</p></div>
        <div class="ipsEntry__signature"><div class="ipsRichText"><p>{MOTTO} I have said so for {number} years, and
        I will say it again, because nobody who builds them listens.</p></div></div></div></article>"""
        for number, text in enumerate(["Do otters sleep at night?", "Mine does.", "It depends on the fish."] * 3)
    ]
    tree = build(f"<body><h1>Do otters sleep?</h1><div class=thread>{''.join(posts)}</div></body>")
    selection = select(tree, URL)

    assert selection.kind == "forum"
    kept = " ".join(block.text for block, is_kept in zip(selection.blocks, selection.are_kept, strict=True) if is_kept)
    assert "Mine does." in kept
    assert MOTTO not in kept
    motto = next(number for number, block in enumerate(selection.blocks) if block.text.startswith(MOTTO))
    assert reasons(selection, motto) == ("it is a signature",)


def test_a_post_that_has_room_for_a_signature_is_none() -> None:
    assert signed("<div class='pb2 postcontentheight_sig'><p>Post</p></div><p>Next</p>") == []
