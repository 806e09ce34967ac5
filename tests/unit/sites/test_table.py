"""Every site is declared, has the code that its declaration promises, and is in the documentation."""

from pathlib import Path

from dowse.settings.sites import SITES, SiteSpec
from dowse.sites.table import import_site
from tests.support.tables import each_row

READING = Path(__file__).parents[3] / "docs" / "reading.md"


@each_row("spec", SITES.values())
def test_a_site_has_the_code_that_it_declares(spec: SiteSpec) -> None:
    site = import_site(spec.name)
    assert bool(site.loader) is bool(spec.domains)
    assert bool(site.search) is bool(spec.search_domains)


@each_row("spec", [spec for spec in SITES.values() if spec.domains])
def test_a_site_with_a_loader_is_in_the_table_of_the_documentation(spec: SiteSpec) -> None:
    rows = [line for line in READING.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    assert any(spec.title in row.split("|")[1] for row in rows)
