"""What the elements of HTML are for."""

from __future__ import annotations

NEVER_SHOWN = frozenset(
    "script style template svg canvas iframe object embed video audio map area link meta base title head param track"
    " button input select textarea datalist progress meter frameset noembed noframes optgroup option portal rp".split()
)
"""Nothing of them is text to read. `noscript` is another matter, and so is the mathematics in a `script`."""

MATHEMATICS = frozenset(
    "math mi mn mo ms mrow msup msub msubsup mmultiscripts mprescripts none mfrac msqrt mroot mtable mtr mtd mlabeledtr"
    " mover munder munderover mtext mspace mstyle mpadded mphantom menclose merror mfenced maction semantics annotation"
    " annotation-xml".split()
)

INLINE = MATHEMATICS | frozenset(
    "a abbr acronym b bdi bdo big br cite code data del dfn em font i img image ins kbd label mark nobr picture q"
    " rb rt rtc ruby s samp script small span strike strong sub sup time tt u var wbr".split()
)
"""They are part of a line; whatever is in neither list is a block of its own."""
