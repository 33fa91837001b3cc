"""Rules of a product, version by version, and the cases that they hit."""

from functools import cached_property
from typing import TYPE_CHECKING

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from cases import rule
from cases.models.cases import Case
from cases.models.rubrics import Rubric
from cases.rubric import Question

if TYPE_CHECKING:
    from django.db.models.fields.related_descriptors import RelatedManager


class RuleState(models.TextChoices):
    PROPOSED = "proposed", _("proposed")
    SHADOW = "shadow", _("shadow")
    ADOPTED = "adopted", _("adopted")
    RETIRED = "retired", _("retired")


# Where a version can go from each state.
MOVES = {
    RuleState.PROPOSED: (RuleState.SHADOW, RuleState.ADOPTED, RuleState.RETIRED),
    RuleState.SHADOW: (RuleState.ADOPTED, RuleState.RETIRED),
    RuleState.ADOPTED: (RuleState.RETIRED,),
    RuleState.RETIRED: (),
}
ON_TRIAL = (RuleState.PROPOSED, RuleState.SHADOW)


class RuleQuerySet(models.QuerySet["Rule"]):
    def of(self, product: str) -> "RuleQuerySet":
        return self.filter(product=product)

    def counted(self) -> "RuleQuerySet":
        """Keep the versions whose hits are counted: all that are not retired."""
        return self.exclude(state=RuleState.RETIRED)

    def adopted(self) -> "RuleQuerySet":
        return self.filter(state=RuleState.ADOPTED)

    def with_hits(self) -> "RuleQuerySet":
        """Annotate `cases_hit`: in how many cases each version hits."""
        return self.annotate(cases_hit=models.Count("hits"))

    def in_order(self) -> "RuleQuerySet":
        return self.order_by("key", "version")


class Rule(models.Model):
    """A version of a rule. What it says never changes; only its state does, by events.

    At most one version of a rule is adopted, and one on trial: acts lock the product's ledger.
    `counted_at`: when its hits in the cases that were there before it were found.
    """

    product = models.CharField(_("product"), max_length=200)
    key = models.CharField(_("key"), max_length=100)
    version = models.PositiveIntegerField(_("version"))
    definition = models.JSONField(_("definition"))
    digest = models.CharField(_("digest"), max_length=64)
    rubric = models.ForeignKey(
        Rubric,
        verbose_name=_("rubric"),
        on_delete=models.PROTECT,
        related_name="+",
        help_text=_("The version with the question that the rule serves."),
    )
    reason = models.TextField(_("reason"), blank=True)
    proposed_at = models.DateTimeField(_("proposed at"))
    by = models.CharField(
        _("by"), max_length=150, blank=True, help_text=_("Empty: the command line.")
    )
    state = models.CharField(
        _("state"), max_length=10, choices=RuleState.choices, default=RuleState.PROPOSED
    )
    counted_at = models.DateTimeField(_("hits counted at"), null=True, blank=True)

    objects = RuleQuerySet.as_manager()

    if TYPE_CHECKING:
        hits: "RelatedManager[RuleHit]"

    class Meta:
        verbose_name = _("rule")
        verbose_name_plural = _("rules")
        constraints = [
            models.UniqueConstraint(
                fields=["product", "key", "version"], name="rule_version_is_unique"
            ),
            models.CheckConstraint(
                condition=Q(state__in=RuleState.values), name="rule_state_is_known"
            ),
            models.CheckConstraint(condition=Q(version__gte=1), name="rule_version_from_1"),
            models.CheckConstraint(condition=~Q(product=""), name="a_rule_belongs_to_a_product"),
        ]

    def __str__(self) -> str:
        return f"{self.key} v{self.version}"

    @cached_property
    def parsed(self) -> rule.Definition:
        return rule.from_data(self.definition)

    @property
    def pure(self) -> rule.Rule:
        return rule.Rule(self.key, self.version, self.parsed)

    @property
    def question(self) -> Question:
        return self.rubric.document.question(self.parsed.question)

    @property
    def moves(self) -> tuple[RuleState, ...]:
        return MOVES[RuleState(self.state)]

    @property
    def is_on_trial(self) -> bool:
        return self.state in ON_TRIAL

    @property
    def is_adopted(self) -> bool:
        return self.state == RuleState.ADOPTED


class RuleHit(models.Model):
    """A case that a version of a rule hits. Computed, and can be computed again at any time.

    `hits` is the JSON text that a pipeline writes as evidence: sentences and JSON pointers.
    """

    rule = models.ForeignKey(
        Rule, verbose_name=_("rule"), on_delete=models.PROTECT, related_name="hits"
    )
    case = models.ForeignKey(
        Case, verbose_name=_("case"), on_delete=models.CASCADE, related_name="rule_hits"
    )
    hits = models.TextField(_("hits"))

    class Meta:
        verbose_name = _("hit of a rule")
        verbose_name_plural = _("hits of rules")
        constraints = [
            models.UniqueConstraint(fields=["rule", "case"], name="one_row_per_rule_and_case")
        ]

    def __str__(self) -> str:
        return f"{self.rule_id}: {self.case_id}"
