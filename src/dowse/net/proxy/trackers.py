"""Hosts that watch or advertise. No page needs them to be read, and they would learn that somebody reads it."""

from __future__ import annotations

# Where consent, comments, pay walls or errors are handled, a page may wait for the answer: none of those is here.
_ANALYTICS = (
    "2o7.net", "amplitude.com", "analytics.google.com", "appsflyer.com", "cdn.segment.com", "chartbeat.com",
    "chartbeat.net", "cloudflareinsights.com", "cnzz.com", "counter.yadro.ru", "demdex.net", "gemius.pl",
    "google-analytics.com", "googletagmanager.com", "heapanalytics.com", "hm.baidu.com", "hs-analytics.net",
    "imrworldwide.com", "ioam.de", "kissmetrics.io", "mc.yandex.ru", "mixpanel.com", "mktoresp.com",
    "munchkin.marketo.net", "mxpnl.com", "nr-data.net", "omtrdc.net", "parsely.com", "plausible.io", "quantcount.com",
    "quantserve.com", "scorecardresearch.com", "segment.io", "statcounter.com", "stats.wp.com", "top-fwz1.mail.ru",
    "woopra.com",
)  # fmt: skip
_RECORDERS = (
    "clarity.ms", "contentsquare.net", "crazyegg.com", "decibelinsight.net", "fullstory.com", "hotjar.com", "hotjar.io",
    "inspectlet.com", "logrocket.io", "lr-ingest.io", "luckyorange.com", "luckyorange.net", "mouseflow.com",
    "quantummetric.com", "sessioncam.com", "smartlook.cloud", "smartlook.com",
)  # fmt: skip
_PIXELS = (
    "alb.reddit.com", "analytics.tiktok.com", "analytics.twitter.com", "bat.bing.com", "connect.facebook.net",
    "ct.pinterest.com", "hsadspixel.net", "pixel.wp.com", "px.ads.linkedin.com", "sc-static.net", "snap.licdn.com",
    "static.ads-twitter.com", "tr.snapchat.com",
)  # fmt: skip
_ADVERTISING = (
    "33across.com", "3lift.com", "adform.net", "adnxs.com", "adroll.com", "adsafeprotected.com", "adservice.google.com",
    "adsrvr.org", "amazon-adsystem.com", "an.yandex.ru", "bidswitch.net", "casalemedia.com", "contextweb.com",
    "criteo.com", "criteo.net", "doubleclick.net", "doubleverify.com", "googleadservices.com", "googlesyndication.com",
    "googletagservices.com", "gumgum.com", "indexww.com", "lijit.com", "media.net", "mgid.com", "moatads.com",
    "openx.net", "outbrain.com", "pubmatic.com", "revcontent.com", "rubiconproject.com", "sharethrough.com",
    "smartadserver.com", "spotxchange.com", "taboola.com", "teads.tv", "tremorhub.com", "yieldmo.com", "zedo.com",
)  # fmt: skip
# They put the lists of the others together.
_BROKERS = (
    "agkn.com", "bluekai.com", "crwdcntrl.net", "everesttech.net", "exelator.com", "eyeota.net", "id5-sync.com",
    "krxd.net", "liadm.com", "mathtag.com", "permutive.com", "rlcdn.com", "tapad.com",
)  # fmt: skip

DOMAINS = frozenset(_ANALYTICS + _RECORDERS + _PIXELS + _ADVERTISING + _BROKERS)


def tracker(host: str) -> str:
    """The domain of the list that a host belongs to; empty for all others."""
    labels = host.rstrip(".").lower().split(".")
    endings = (".".join(labels[start:]) for start in range(len(labels) - 1))
    return next((ending for ending in endings if ending in DOMAINS), "")
