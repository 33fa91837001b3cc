"""Read the rules of a product, and the document of those that are adopted."""

from django.http import Http404

from cases import rule
from cases.models import Release, Rule
from cases.rules.counting import WINDOW


def require_product(product: str) -> str:
    """Return the name of a product that has a release. Raises Http404."""
    product = product.replace("\0", "")
    if not product or not Release.objects.filter(product=product).exists():
        raise Http404
    return product


def list_products() -> list[str]:
    """List the products that have a release, the one with the newest release first."""
    newest = Release.objects.exclude(product="").newest_first()
    return list(dict.fromkeys(newest.values_list("product", flat=True)))


def find_version(product: str, key: str, *, version: int | None = None) -> Rule:
    """Return a version of a rule: by its number, or the newest. Raises Http404."""
    versions = Rule.objects.of(product).filter(key=key).with_hits().select_related("rubric")
    if version is not None:
        versions = versions.filter(version=version)
    found = versions.order_by("-version").first()
    if found is None:
        raise Http404
    return found


def export_rules(product: str) -> bytes:
    """Return `rules.json`: the adopted rules of the product."""
    adopted = Rule.objects.of(product).adopted().in_order()
    rules = tuple(each.pure for each in adopted)
    return rule.write_rules(rule.RuleSet(rule.SCHEMA, product, WINDOW, rules))
