"""Shops: what is for sale, its description and its specifications."""

from __future__ import annotations

from collections.abc import Iterator

from tests.eval.fidelity.generator import Generator
from tests.eval.fidelity.page import Page, Site, text


class Shopify(Generator):
    def heading_start(self, level: int, slug: str, text: str) -> str:
        return '<div class="product__title"><h1>' if level == 1 else f"<h{level}>"

    def heading_end(self, level: int, slug: str, text: str) -> str:
        return '</h1></div><div class="product__description rte quick-add-hidden">' if level == 1 else f"</h{level}>\n"


class WooCommerce(Generator):
    def heading_start(self, level: int, slug: str, text: str) -> str:
        return '<h1 class="product_title entry-title">' if level == 1 else f'<h{level} class="wp-block-heading">'


class Amazon(Generator):
    """Lists are bullets in spans."""

    def list_item_open(self, *_: object) -> str:
        return '<li class="a-spacing-mini"><span class="a-list-item">'

    def list_item_close(self, *_: object) -> str:
        return "</span></li>\n"

    def bullet_list_open(self, *_: object) -> str:
        return '<ul class="a-unordered-list a-vertical a-spacing-mini">'


def pages() -> Iterator[Page]:
    """Every product with its table of specifications."""
    shopify = Site("shopify", "https://kettles.example.com/products/brook", Shopify)
    yield shopify.page("kettle", shopify.part(text("product-kettle")), shopify.raw("shopify-table"))
    yield shopify.page("tent", shopify.part(text("product-tent")), shopify.raw("shopify-accordion"))
    woo = Site("woocommerce", "https://outdoor.example.org/product/ridge-2/", WooCommerce)
    yield woo.page("tent", woo.part(text("product-tent")), woo.raw("woocommerce-attributes"))
    yield woo.page("recipe", woo.part(text("recipe-fr")), woo.raw("woocommerce-attributes"))
    magento = Site("magento", "https://drives.example.com/slate-x4-2tb.html")
    yield magento.page("ssd", magento.part(text("product-ssd")), magento.raw("magento-more"))
    amazon = Site("amazon", "https://www.amazing.example/dp/B0C0FFEE42", Amazon)
    yield amazon.page("ssd", amazon.part(text("product-ssd")), amazon.raw("amazon-details"))
    yield amazon.page("kettle", amazon.part(text("product-kettle")), amazon.raw("amazon-comparison"))
