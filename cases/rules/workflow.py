"""Propose rules and move them between states; each act is an event of the product's ledger."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext

from cases import ledger, rule
from cases.models import Ledger, Release, Rubric
from cases.models.ledgers import PRODUCT
from cases.models.rules import ON_TRIAL, Rule, RuleState
from cases.rules.counting import count_again
from evalsite.errors import Problem, Refusal

EVENTS = {
    RuleState.PROPOSED: "rule-proposed",
    RuleState.SHADOW: "rule-shadow",
    RuleState.ADOPTED: "rule-adopted",
    RuleState.RETIRED: "rule-retired",
}


class BadRule(Refusal):
    """The rule cannot be used; names what is wrong."""

    status = HTTPStatus.BAD_REQUEST
    code = "bad_rule"


class RuleOnTrial(Refusal):
    """Another version of the rule is proposed or in shadow."""

    code = "rule_on_trial"


class CannotMove(Refusal):
    """The rule cannot go into that state from the one it has."""

    code = "cannot_move"


@dataclass(frozen=True)
class Proposed:
    rule: Rule
    is_new: bool


def propose(
    *,
    product: str,
    definition: rule.Definition,
    rubric: Rubric,
    key: str = "",
    reason: str = "",
    user: User | None,
    now: datetime,
) -> Proposed:
    """Propose a rule, or with the `key` of one its next version, and count its hits.

    What a version says already that is not retired is found, not proposed again. Raises BadRule
    and RuleOnTrial.
    """
    definition = check(product, definition, rubric)
    with transaction.atomic():
        chain = Ledger.objects.locked(f"{PRODUCT}{product}")
        own = list(Rule.objects.of(product).in_order())
        digest = rule.digest_definition(definition)
        for known in own:
            if known.digest == digest and known.state != RuleState.RETIRED:
                return Proposed(known, is_new=False)
        versions = [each for each in own if each.key == key]
        if key and not versions:
            raise BadRule(Problem("key", gettext("The product has no rule of this key.")))
        key = key or choose_key(definition, own)
        refuse_second_trial(versions)
        found = Rule.objects.create(
            product=product,
            key=key,
            version=len(versions) + 1,
            definition=rule.to_data(definition),
            digest=digest,
            rubric=rubric,
            reason=" ".join(reason.replace("\0", "").split()),
            proposed_at=now,
            by=user.get_username() if user else "",
        )
        record(chain, found, user=user, now=now)
    count_again(product, [found], now=now)
    found.refresh_from_db()
    return Proposed(found, is_new=True)


def check(product: str, definition: rule.Definition, rubric: Rubric) -> rule.Definition:
    if not Release.objects.filter(product=product).exists() or not product:
        raise BadRule(Problem("product", gettext("There is no release of this product.")))
    known = {question.key for question in rubric.document.questions}
    if definition.question not in known:
        sentence = gettext("The rubric has no question %(key)s.") % {"key": definition.question}
        raise BadRule(Problem("question", sentence))
    try:
        return rule.check_definition(definition)
    except rule.RuleError as error:
        raise BadRule(Problem(error.path, gettext(error.message) % error.params)) from error


def choose_key(definition: rule.Definition, own: Sequence[Rule]) -> str:
    """Name a rule for its fact, with a number if another rule has that name."""
    taken = {each.key for each in own}
    key, number = definition.fact, 1
    while key in taken:
        number += 1
        key = f"{definition.fact}-{number}"
    return key


def refuse_second_trial(versions: Sequence[Rule]) -> None:
    for each in versions:
        if each.state in ON_TRIAL:
            sentence = gettext(
                "Version %(version)d of %(key)s is on trial. Adopt or retire it first."
            )
            raise RuleOnTrial(sentence % {"version": each.version, "key": each.key})


@transaction.atomic
def move(*, version: Rule, to: RuleState, user: User | None, now: datetime) -> Rule:
    """Move a version into a state; moving it there again changes nothing.

    Adopting a version retires the one that was adopted before. Raises CannotMove.
    """
    chain = Ledger.objects.locked(f"{PRODUCT}{version.product}")
    found = Rule.objects.select_for_update().get(pk=version.pk)
    if found.state == to:
        return found
    if to not in found.moves:
        sentence = gettext("%(rule)s is %(state)s, so it cannot become %(to)s.")
        words = {"rule": found, "state": found.get_state_display(), "to": to.label}
        raise CannotMove(sentence % words)
    if to == RuleState.ADOPTED:
        for before in Rule.objects.of(found.product).adopted().filter(key=found.key):
            enter(before, RuleState.RETIRED, chain, user=user, now=now)
    enter(found, to, chain, user=user, now=now)
    return found


def enter(
    version: Rule, state: RuleState, chain: Ledger, *, user: User | None, now: datetime
) -> None:
    version.state = state
    version.save(update_fields=["state"])
    record(chain, version, user=user, now=now)


def record(chain: Ledger, version: Rule, *, user: User | None, now: datetime) -> None:
    data = {"rule": version.key, "version": version.version, "digest": version.digest}
    kind = EVENTS[RuleState(version.state)]
    ledger.record(ledger=chain, kind=kind, data=data, user=user, now=now)
