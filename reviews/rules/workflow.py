"""Adopt a rule: it says before if a kind of the sampling rule would be left without candidates."""

from datetime import datetime

from django.contrib.auth.models import User
from django.utils.translation import gettext

from cases.models import Rule, RuleState
from cases.rules import workflow as rules_workflow
from reviews.errors import Refused
from reviews.rules.trial import count_kinds, find_pool


class LeavesKindsEmpty(Refused):
    """Adopting it would leave kinds without candidates, and that was not confirmed."""

    code = "leaves_kinds_empty"


def adopt(*, version: Rule, confirm: bool, user: User | None, now: datetime) -> Rule:
    """Adopt a version of a rule. Raises LeavesKindsEmpty, unless confirmed, and CannotMove."""
    if not version.is_adopted and not confirm:
        require_kinds(version)
    return rules_workflow.move(version=version, to=RuleState.ADOPTED, user=user, now=now)


def require_kinds(version: Rule) -> None:
    pool = find_pool(version.product)
    lost = [each.kind.text for each in count_kinds(version, pool) if each.is_lost] if pool else []
    if lost:
        sentence = gettext(
            "Without the cases that it hits these kinds could not be filled in %(release)s: "
            "%(kinds)s. Confirm to adopt it all the same."
        )
        raise LeavesKindsEmpty(sentence % {"release": pool, "kinds": "; ".join(lost)})
