"""The sampling rule of a release as it stands: its kinds, how many cases, and what was waived."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from django.utils.translation import get_language, gettext

from cases.models import Release
from cases.rubric import Sampling
from reviews.models import Waiver
from reviews.sample.pool import Wanted

# What stands before the key of a kind in the name of a rule.
KIND = "kind:"


@dataclass(frozen=True)
class Rule:
    """`texts` has the words of each kind in the reader's language, `waivers` all by their rule."""

    kinds: list[Wanted]
    texts: dict[str, str]
    minimum: int
    waivers: dict[str, Waiver]

    @property
    def required(self) -> list[Wanted]:
        """The kinds that nobody has waived."""
        return [kind for kind in self.kinds if KIND + kind.key not in self.waivers]

    @property
    def waived(self) -> list[str]:
        return [kind.key for kind in self.kinds if KIND + kind.key in self.waivers]

    @property
    def least(self) -> int:
        """How many cases a sample needs, after what was waived."""
        waiver = self.waivers.get("cases")
        return min(self.minimum, waiver.covers["cases"]) if waiver else self.minimum


def load_rule(release: Release) -> Rule:
    waivers = release.waivers.order_by("rule")
    return rule_with(release.rubric.document.sampling, kind_texts(release), waivers)


def rule_with(sampling: Sampling, texts: dict[str, str], waivers: Iterable[Waiver]) -> Rule:
    return Rule(
        kinds=wanted_by(sampling),
        texts=texts,
        minimum=max(sampling.minimum, len(sampling.kinds)),
        waivers={one.rule: one for one in waivers},
    )


def wanted_by(sampling: Sampling) -> list[Wanted]:
    return [Wanted(kind.key, frozenset(kind.required_tags)) for kind in sampling.kinds]


def rule_in_words(rule: str, texts: Mapping[str, str]) -> str:
    """`texts` has the words of each kind. A kind that the rubric no longer has stays its key."""
    names = {
        "cases": gettext("number of cases"),
        "reviews": gettext("missing reviews"),
        "adjudications": gettext("open adjudications"),
    }
    key = rule.removeprefix(KIND)
    return names.get(rule) or texts.get(key, key)


def kind_texts(release: Release) -> dict[str, str]:
    """The words of each kind in the reader's language."""
    document = release.rubric.text_for(get_language()).document
    return {kind.key: kind.text for kind in document.sampling.kinds}
