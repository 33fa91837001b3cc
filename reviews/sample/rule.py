"""The sampling rule of a release: its kinds, how many cases it needs, and its waivers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.utils.translation import get_language, gettext

from cases.models import Release
from cases.rubric import Sampling
from reviews.models import Waiver
from reviews.sample.pool import Wanted

# Prefix of a kind's key in the name of a rule.
KIND = "kind:"


@dataclass(frozen=True)
class Rule:
    """`texts` has the text of each kind in the reader's language; `waivers` are by rule."""

    kinds: list[Wanted]
    texts: dict[str, str]
    minimum: int
    waivers: dict[str, Waiver]

    @property
    def required(self) -> list[Wanted]:
        """List the kinds that are not waived."""
        return [kind for kind in self.kinds if KIND + kind.key not in self.waivers]

    @property
    def waived(self) -> list[str]:
        return [kind.key for kind in self.kinds if KIND + kind.key in self.waivers]

    @property
    def least(self) -> int:
        """Return how many cases a sample needs, waivers considered."""
        waiver = self.waivers.get("cases")
        return min(self.minimum, waiver.covers["cases"]) if waiver else self.minimum


def load_rule(release: Release) -> Rule:
    waivers = release.waivers.order_by("rule")
    return build_rule(release.rubric.document.sampling, kind_texts(release), waivers)


def build_rule(sampling: Sampling, texts: dict[str, str], waivers: Iterable[Waiver]) -> Rule:
    return Rule(
        kinds=list_wanted(sampling),
        texts=texts,
        minimum=max(sampling.minimum, len(sampling.kinds)),
        waivers={waiver.rule: waiver for waiver in waivers},
    )


def list_wanted(sampling: Sampling) -> list[Wanted]:
    return [Wanted(kind.key, frozenset(kind.required_tags)) for kind in sampling.kinds]


def describe_rule(rule: str, texts: Mapping[str, str]) -> str:
    """Name a rule in words. `texts` has the text of each kind; an unknown kind keeps its key."""
    names = {
        "cases": gettext("number of cases"),
        "reviews": gettext("missing reviews"),
        "adjudications": gettext("open adjudications"),
    }
    key = rule.removeprefix(KIND)
    return names.get(rule) or texts.get(key, key)


def kind_texts(release: Release) -> dict[str, str]:
    """Return the text of each kind, by key, in the reader's language."""
    document = release.rubric.text_for(get_language()).document
    return {kind.key: kind.text for kind in document.sampling.kinds}
