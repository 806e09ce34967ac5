"""Login walls: a form that asks who we are, where the page should be."""

from __future__ import annotations

import re

from dowse.core.errors import PageUnreadable
from dowse.core.models import Onward, Status
from dowse.extract.verdict.outline import Outline
from dowse.extract.verdict.phrases import agreeing, either
from dowse.extract.verdict.stock import LITTLE_ELSE, SOME_ELSE

# How long a wall is, and one that offers to register and says what for.
_SHORT_FORM_WORDS = 80
_LONG_FORM_WORDS = 160
_NAME = either(
    r"(?:please |first )?(?:log|sign)[ -]?(?:in|on|into|up)"
    r"(?: (?:to|into|with|for|or|and) .{1,60}|, .{1,40}| / .{1,30})?",
    r"log into .{1,40}|login(?: .{1,30})?|.{1,30} (?:login|sign[ -]?in|log[ -]?in|authentication)",
    r"(?:authentication|login|sign-in) required|members only|welcome back|join .{1,30}",
    r"create (?:an |your )?account|register(?: .{1,30})?|see (?:more|posts).{1,60}",
    r"(?:jetzt |bitte |bei .{1,30} )?(?:anmelden|einloggen)|anmeldung(?: (?:erforderlich|bei .{1,30}))?",
    r"melde dich .{1,40}|registrieren",
    r"(?:se )?connecter|connexion(?: .{1,30})?|connectez-vous.{0,40}|identifiez-vous|s'identifier|s'inscrire",
    r"(?:iniciar|inicia|inicio de|inicie) sesión.{0,40}|acceder|entrar(?: .{1,30})?|regístrate.{0,30}",
    r"accedi.{0,40}|accesso|iniciar sessão.{0,30}|(?:fazer|faça) login.{0,30}|inloggen.{0,30}|aanmelden.{0,30}",
    r".{0,20}ログイン.{0,20}|サインイン|会員登録|.{0,12}(?:登录|登陆|登入|登錄).{0,12}|로그인.{0,20}",
    r"вход.{0,30}|войти.{0,30}|авторизация|zaloguj się.{0,30}|logowanie|logga in.{0,30}|log ind|logg inn|giriş yap",
)
_DEMAND = either(
    r"(?:log|sign)[ -]?in to (?:continue|view|see|read|access|proceed|keep|your|use)|to continue, (?:log|sign) in",
    r"you (?:must|need to|have to|will need to) (?:be (?:logged|signed) in|(?:log|sign)[ -]?in|login|join|register)",
    r"(?:please|you should) (?:log|sign)[ -]?in|you(?:'re| are) not (?:logged|signed) in|login required|for members",
    r"join .{1,60} to (?:view|see|continue|read)|sign up to (?:continue|view|see|read)|(?:view|see) .{1,30}, join",
    r"(?:available|visible|restricted) (?:only )?to (?:registered|logged|signed|members)",
    r"requires (?:a login|authentication)|new to .{1,40}\?|don't have an account\?",
    r"(?:forg[oe]t|lost).{0,20} (?:password|account|email)|remember me|keep me (?:logged|signed) in",
    r"melde(?:n sie)? (?:dich|sich) (?:bitte )?an|bitte (?:melden|loggen|anmelden|einloggen)|angemeldet sein",
    r"(?:passwort|kennwort) vergessen|angemeldet bleiben|mot de passe (?:oublié|perdu)",
    r"connectez-vous pour|vous devez (?:être connecté|vous connecter)",
    r"inicia sesión para|debes iniciar sesión|olvid.{0,20} contraseña|accedi per|devi (?:effettuare|accedere)",
    r"password dimenticata|faça login para|esquec.{0,20} senha|wachtwoord vergeten",
    r"(?:moet|moeten) (?:ingelogd|inloggen)|ログインしてください|ログインが必要|パスワードをお忘れ",
    r"请登录|请先登录|登录后|忘记密码|忘記密碼|забыли пароль",
)
_PASSWORD = re.compile(r"type\s{0,9}=\s{0,9}[\"']?password")
_IDENTITY = either(
    r"autocomplete\s{0,9}=\s{0,9}[\"']?(?:username|email)",
    r"(?:name|id)\s{0,9}=\s{0,9}[\"']?(?:user(?:name)?|login|email|identifier|session_key|account)\b",
)
_PROVIDER = either(
    r"(?:continue|sign in|log in|sign up) with .{1,30}",
    r"(?:weiter|anmelden) mit .{1,30}|continuer avec .{1,30}|continuar con .{1,30}|continuar com .{1,30}",
)
_PATH = re.compile(
    r"/(?:log-?in|sign-?in|sign-?up|register|auth(?:wall|enticate|orize)?|sso|sessions?/new|checkpoint|anmelden"
    r"|connexion|wp-login|oauth2?|identifier|servicelogin|inloggen)(?=[./]|$)"
)
_RETURN = re.compile(
    r"(?:^|&)(?:next|continue|return|return_?(?:to|url|path)|redirect(?:_?(?:to|uri|url))?|session_?redirect"
    r"|dest(?:ination)?|service|goto|came_from|back(?:url)?|from|target|url)="
)


def judge(page: Outline) -> PageUnreadable | None:
    """Login required, and nobody is asked further: what a site keeps for its members is not ours to read."""
    if page.words > _LONG_FORM_WORDS or page.has_code:
        return None
    signs = agreeing(
        title=any(map(_NAME.fullmatch, page.title_names)),
        heading=any(map(_NAME.fullmatch, page.heading_names)),
        password=any(map(_PASSWORD.search, page.shape.inputs)),
        identity=any(map(_IDENTITY.search, page.shape.inputs)),
        provider=any(map(_PROVIDER.fullmatch, page.controls)),
        control=any(map(_NAME.fullmatch, page.controls)),
        demand=_DEMAND.search(" ".join((page.text, *page.headings, *page.links))) is not None,
        address=bool(_PATH.search(page.path)),
        return_address=bool(_RETURN.search(page.query)),
    )
    if not _is_wall(set(signs), page.words, page.other_words):
        return None
    return PageUnreadable(Status.LOGIN_REQUIRED, f"login wall ({', '.join(signs)})", Onward.NOBODY)


def _is_wall(signs: set[str], words: int, other: int) -> bool:
    is_named = bool(signs & {"title", "heading"})
    leads_back = {"address", "return address"} <= signs
    if "password" in signs and (is_named or leads_back):
        is_short = words <= _SHORT_FORM_WORDS or bool(signs & {"demand", "return address"})
        return is_short and (leads_back or other <= SOME_ELSE)
    if words > _SHORT_FORM_WORDS:
        return False
    # One of these may also be a newsletter's, or of a page that explains how to log in.
    if is_named and len(signs & {"identity", "provider", "address", "return address"}) > 1:
        return other <= SOME_ELSE
    if {"password", "provider", "control", "demand"} <= signs:
        return other <= SOME_ELSE
    # It only says so: then it must say nothing else.
    return "demand" in signs and (is_named or "control" in signs) and other <= LITTLE_ELSE
