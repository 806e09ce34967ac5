"""Empty shells: pages with text made by scripts, or that only redirect."""

from __future__ import annotations

import re
from itertools import chain

from dowse.core.errors import PageUnreadable
from dowse.core.models import Onward, Status
from dowse.core.reasons import FailureReason
from dowse.extract.verdict.outline import PageOutline
from dowse.extract.verdict.wording import LITTLE_ELSE, SOME_ELSE, either, holds, other_words
from dowse.language.scripts import count_words

# Other words of a shell: the name of the site, a footer.
_MAX_LEFT_WORDS = 6
_MAX_LINKED_WORDS = 40
# Longest page that asks for JavaScript, with help about browsers.
_ASKING_WORDS = 120
_SCRIPT = r"(?:java ?script|js)"
_ASKS = either(
    rf"(?:enable|turn on|activate|requires?|needs?|supports?|supported) (?:your )?{_SCRIPT}\b",
    rf"\b{_SCRIPT} (?:is |seems to be |appears to be |must be |to be |has been )?(?:not )?"
    r"(?:disabled|enabled|required|needed|available|supported|deactivated|turned off|blocked)",
    r"(?:browser|version) (?:is )?(?:not|no longer|isn't) supported|unsupported browser|update your browser",
    rf"{_SCRIPT} (?:aktivieren|einschalten|ist deaktiviert|wird benötigt|erforderlich|muss aktiviert)",
    rf"(?:aktivieren|benötigt|benötigen) (?:sie )?(?:bitte )?{_SCRIPT}",
    rf"activ(?:er|ez) (?:le )?{_SCRIPT}|{_SCRIPT} (?:est )?(?:désactivé|nécessaire|requis)",
    rf"(?:habilit[ae]r?|activ[ae]r?|necesitas?) (?:el |o )?{_SCRIPT}",
    rf"{_SCRIPT} (?:está )?(?:deshabilitado|desactivado|desativado)",
    rf"(?:abilita|attiva)(?:re)? {_SCRIPT}|{_SCRIPT} (?:è )?(?:disabilitato|disattivato)",
    rf"schakel {_SCRIPT} in|{_SCRIPT} (?:inschakelen|is uitgeschakeld)|включите {_SCRIPT}",
    rf"{_SCRIPT} ?(?:を有効|が無効)|(?:启用|開啟|开启) ?{_SCRIPT}",
)
_WAITING = re.compile(
    r"(?:loading|please wait|one moment|redirecting|you are being redirected|starting|initiali[sz]ing"
    r"|wird geladen|lädt|laden|bitte warten|weiterleitung|chargement(?: en cours)?|veuillez patienter|redirection"
    r"|cargando|espere|caricamento|attendere|carregando|aguarde|bezig met laden|even geduld"
    r"|読み込み中|ロード中|加载中|正在加载|載入中|загрузка)"
    r"(?P<for_what> .{1,30})?"
)
_ROOT = either(
    r"<(?:app-root|ytd-app|router-outlet|my-app|root)\b",
    r"\bid\s{0,9}=\s{0,9}[\"']?(?:root|app|__next|__nuxt|___gatsby|react-root|app-root|svelte|main-app|application"
    r"|app-mount|q-app|ember-app|reactroot|react-app|mount|app-container)[\"'\s>]",
)
_SOURCE = re.compile(r"\bsrc\s{0,9}=\s{0,9}[\"']?([^\"'<>\s]{1,300})")
_BUNDLES = ("main", "app", "bundle", "index", "runtime", "vendor", "chunk", "polyfills", "_next", "_nuxt", "assets")
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s?")
_LEAVES = re.compile(r"location(?:\.href)?\s{0,9}=[^=]|location\.(?:replace|assign)\(")
# A heading and a line below it.
_FEW_WORDS = 15
# The frame of an application: a line about it, a footer.
_FRAME_WORDS = 60


def may_be_shell(page: PageOutline) -> bool:
    """Whether a long text may be that of a shell: it repeats one thing."""
    return _words_left(page) <= _MAX_LEFT_WORDS


def judge_shell(page: PageOutline) -> PageUnreadable | None:
    """An empty shell: no readable content without a browser."""
    left = _words_left(page)
    if not _is_empty(page, left) and not _is_about_itself(page, left):
        return None
    return PageUnreadable(Status.ERROR, onward=Onward.ANY_READER, reason=FailureReason.NO_READABLE_CONTENT)


def _words_left(page: PageOutline) -> int:
    """Number of words outside the sentences of shells."""
    sentences = list(chain.from_iterable(map(_SENTENCE_END.split, page.lines)))
    return sum(count_words(sentence) for sentence in sentences if not _is_of_a_shell(sentence, page.title))


def _is_empty(page: PageOutline, left: int) -> bool:
    """Whether next to no other words are left, for a known reason."""
    if left > _MAX_LEFT_WORDS or sum(map(count_words, page.links)) > _MAX_LINKED_WORDS:
        return False
    asks = any(map(_ASKS.search, (page.title, page.markup.noscript, *page.lines, *page.headings)))
    only_waits = not left and any(map(_is_waiting, page.lines))
    return asks or only_waits or _is_made_by_script(page) or _only_leads_on(page)


def _is_about_itself(page: PageOutline, left: int) -> bool:
    """Whether the page begins by asking for JavaScript, and says little else."""
    if page.words > _ASKING_WORDS or not any(map(_ASKS.search, (page.title, *page.headings, *page.lines[:1]))):
        return False
    if has_root(page):
        return page.other_words <= SOME_ELSE
    return left <= page.words // 2 and page.other_words <= LITTLE_ELSE


def _is_of_a_shell(sentence: str, title: str) -> bool:
    return sentence in title or _is_waiting(sentence) or _ASKS.search(sentence) is not None


def _is_waiting(line: str) -> bool:
    found = _WAITING.fullmatch(line.strip(" .…"))
    # "Loading your workspace" is a wait; "loading ramp closed" is not.
    return found is not None and other_words(found["for_what"] or "") <= 1


def _is_made_by_script(page: PageOutline) -> bool:
    bundle = any(map(is_bundle, page.markup.scripts))
    signs = (bundle, has_root(page), any(map(_is_waiting, page.lines)))
    return bool(page.markup.scripts) and sum(map(bool, signs)) > 1


def has_root(page: PageOutline) -> bool:
    """Whether the page has a root element of a framework."""
    return _ROOT.search(page.markup.tags) is not None


def is_bundle(attributes: str) -> bool:
    """Whether a script is an application bundle, by its file name."""
    source = _SOURCE.search(attributes)
    return "module" in attributes or (source is not None and holds(source[1], _BUNDLES))


def _only_leads_on(page: PageOutline) -> bool:
    if any("refresh" in meta and holds(meta, ("url", ";")) for meta in page.markup.metas):
        return True
    is_waiting = any(map(_is_waiting, (page.title, *page.lines)))
    return is_waiting and _LEAVES.search(page.markup.marks) is not None


def is_thin(page: PageOutline) -> bool:
    """Whether the text is so short that scripts may add to it. Link labels do not count as text."""
    if page.words > _FRAME_WORDS:
        return False
    programs = [attributes for attributes in page.markup.scripts if "json" not in attributes]
    if not programs or page.words <= _FEW_WORDS:
        return bool(programs)
    return has_root(page) or any(map(is_bundle, programs))
