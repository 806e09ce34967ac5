"""Each vendor's check by the least that shows it, and pages that come as near to one as pages do."""

from __future__ import annotations

from dowse.core.errors import PageUnreadable
from dowse.core.models import Body, Status
from dowse.extract.convert import to_text
from tests.support.tables import each_row

CHALLENGES = {
    "cloudflare": """<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title>
        <meta name="robots" content="noindex,nofollow"></head><body><div class="main-wrapper"><noscript>
        <span id="challenge-error-text">Enable JavaScript and cookies to continue</span></noscript></div>
        <script>(function(){window._cf_chl_opt = {cvId: '3', cZone: "example.com", cType: 'managed'};
        var a = document.createElement('script');a.src = '/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1';
        }());</script></body></html>""",
    "cloudflare block": """<html><head><title>Attention Required! | Cloudflare</title></head><body>
        <div id="cf-wrapper"><div id="cf-error-details" class="cf-error-details-wrapper"><h1>Sorry, you have been
        blocked</h1></div></div></body></html>""",
    "datadome": """<html lang="en"><head><title>shop.example</title><style>#cmsg{animation: A 1.5s;}</style></head>
        <body style="margin:0"><p id="cmsg">Please enable JS and disable any ad blocker</p>
        <script data-cfasync="false">var dd={'rt':'c','cid':'AHrlqAAAA','hsh':'A55FBF4311','t':'bv','s':17434,
        'host':'geo.captcha-delivery.com'}</script>
        <script data-cfasync="false" src="https://ct.captcha-delivery.com/c.js"></script></body></html>""",
    "perimeterx": """<!DOCTYPE html><html><head><title>Access to this page has been denied.</title>
        </head><body><div id="px-captcha"></div><script>window._pxAppId = 'PXabc';</script>
        <p>Press &amp; Hold to confirm you are a human (and not a bot).</p></body></html>""",
    "akamai proof of work": """<html><head><title>Challenge Validation</title></head><body>
        <div id="sec-if-cpt-container">
        <iframe src="/_sec/cp_challenge/crypto_message-4-3.htm"></iframe></div>
        <script src="/_sec/cp_challenge/sec-cpt-4-3.js"></script></body></html>""",
    "akamai reload": """<html><head><meta http-equiv="refresh" content="5; URL='/?bm-verify=AAQAAAAJ'" />
        <title>&nbsp;</title></head><body><script>function triggerInterstitialChallenge(){}</script></body></html>""",
    "anubis": """<!doctype html><html lang="en"><head><title>Making sure you&#39;re not a bot!</title>
        <link rel="stylesheet" href="/.within.website/x/xess/xess.min.css">
        <script id="anubis_challenge" type="application/json">{"rules":{"difficulty":4}}</script></head><body>
        <h1>Making sure you're not a bot!</h1><details><summary>Why am I seeing this?</summary><p>You are seeing this
        because the administrator of this website has set up Anubis to protect the server against the scourge of AI
        companies aggressively scraping websites.</p></details></body></html>""",
    "google": """<html><head><title>https://www.google.com/search?q=x</title></head><body>
        <form id="captcha-form" action="index" method="post"><div id="recaptcha" class="g-recaptcha"></div></form>
        Our systems have detected unusual traffic from your computer network.</body></html>""",
    "hcaptcha": """<html><head><title>Are you a robot?</title>
        <script src="https://js.hcaptcha.com/1/api.js" async></script></head>
        <body><form method="POST"><div class="h-captcha" data-sitekey="x"></div></form></body></html>""",
    "cloudflare by its words": """<title>Just a moment...</title><h1>Checking your browser before accessing
        example.com</h1><p>Enable JavaScript and cookies to continue</p>""",
    "cloudflare by its script": """<title>Just a moment...</title><p>Verifying you are human. This may take a few
        seconds.</p><script src="/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1"></script>""",
    "cloudflare of old": """<title>Just a moment...</title><div class="cf-browser-verification"
        id="cf-challenge-running"></div>""",
    "cloudflare in single quotes": "<title>Just a moment...</title><form id='challenge-form'></form>",
    "datadome by its sentence": """<title>shop.example</title><p>Please enable JS and disable any ad blocker</p>
        <script src="https://ct.captcha-delivery.com/c.js"></script>""",
    "akamai denial": """<title>Access Denied</title><h1>Access Denied</h1>You don't have permission to access this
        on this server.<p>Reference #18.1f2e3d4c.1700000000.abc""",
    "duckduckgo": """<title>x at DuckDuckGo</title><div class="anomaly-modal__title">Unfortunately, bots use
        DuckDuckGo too.</div>""",
    "nameless captcha": "<title>Captcha</title><p>Please complete the CAPTCHA to continue.</p>",
    "turnstile": """<html><head><title>Human verification</title></head><body>
        <form><div class="cf-turnstile" data-sitekey="x"></div></form></body></html>""",
}
ARTICLE = "<p>" + "A captcha asks people to prove that they are no robot, and they dislike it. " * 40 + "</p>"
CONTENT = {
    "short note about a captcha library": (
        "<title>Release notes</title><p>You can now solve the captcha with the keyboard.</p>"
    ),
    "song called just a moment": "<title>Just a Moment, a song</title><p>It lasts four minutes and has no chorus.</p>",
    "help page on access": f"<title>Access denied: what it means</title><p>Reference #1 of our guide.</p>{ARTICLE}",
    "article about captchas": f"<title>What is a CAPTCHA? Robots and humans</title>{ARTICLE}",
    "article with a captcha in its comment form": (
        f'<title>Are you a robot?</title>{ARTICLE}<form><div class="g-recaptcha"></div></form>'
        '<script src="https://www.google.com/recaptcha/api.js"></script>'
    ),
    "page that shows the markup as text": (
        "<title>Just a moment... explained</title><p>Look for</p>"
        "<pre>&lt;script&gt;window._cf_chl_opt = {}&lt;/script&gt; cf-chl-widget</pre>"
    ),
    "ordinary page behind cloudflare": (
        "<title>Just a moment in time</title><p>A poem.</p>"
        "<script>a.src='/cdn-cgi/challenge-platform/scripts/jsd/main.js';</script>"
    ),
    "login form with a captcha": '<title>Sign in</title><form><div class="h-captcha"></div></form>',
    "lone word": "<title>captcha</title><p>captcha</p>",
    "short page that names a vendor": "<title>Status</title><p>captcha-delivery.com var dd={ px-captcha</p>",
    "empty": "",
}


def ends_as(page: str) -> Status:
    try:
        to_text(Body("https://example.com/", page.encode(), "text/html"))
    except PageUnreadable as verdict:
        return verdict.status
    return Status.OK


@each_row("page", CHALLENGES.values())
def test_challenge_page_is_blocked(page: str) -> None:
    assert ends_as(page) is Status.BLOCKED


@each_row("page", CONTENT.values())
def test_page_that_only_resembles_a_challenge_is_content(page: str) -> None:
    assert ends_as(page) is Status.OK
