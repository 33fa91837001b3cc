"""Open escapes at a closing, void them at its reopening, and move them, each by an event."""

from collections.abc import Sequence
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext, ngettext

from cases import ledger
from cases.models import Case, Ledger, LedgerEvent, Release
from cases.models.ledgers import PRODUCT
from reviews.errors import Missing, Refused, require_reason
from reviews.escapes.findings import Finding, Subject, digest_findings, list_findings
from reviews.models import Closing, Escape, Sighting
from reviews.models.escapes import EscapeState
from reviews.report import summary
from reviews.report.summary import Summary

OPENED = "escapes-opened"
VOIDED = "escapes-voided"
MOVED = "escapes-moved"
MOST_AT_ONCE = 1000


class NoSuchEscape(Refused):
    code = "no_such_escape"
    status = 400


class BadState(Refused):
    code = "bad_state"
    status = 400


# --- Closing and reopening ------------------------------------------------------------------------


def open_escapes(
    *, closing: Closing, report: Summary, user: User | None, now: datetime
) -> list[Finding]:
    """Record the findings of a closing: each opens an escape, or joins the one it came back to.

    The release is locked, in the transaction of its closing. A dozen statements, and one more for
    each hundred findings or so.
    """
    release = closing.release
    found = list_findings(report)
    owner = lock_product(release.product)
    escapes = store_escapes(release, found)
    cases = dict(
        Case.objects.of(release).filter(sampled__isnull=False).values_list("case_key", "pk")
    )
    before = dict(
        Sighting.objects.filter(closing__release=release)
        .order_by("-since")
        .values_list("escape", "since")
    )
    Sighting.objects.bulk_create(
        Sighting(
            escape_id=escapes[finding.subject, finding.case_key],
            closing=closing,
            case_id=cases[finding.case_key],
            since=before.get(escapes[finding.subject, finding.case_key], closing.closed_at),
            is_counted=finding.is_counted,
        )
        for finding in found
    )
    data = {
        "release": release.name,
        "closing": closing.number,
        "findings": digest_findings(found),
    }
    ledger.record(ledger=owner, kind=OPENED, data=data, user=user, now=now)
    return found


def lock_product(product: str) -> Ledger:
    return Ledger.objects.locked(PRODUCT + product)


def store_escapes(release: Release, found: Sequence[Finding]) -> dict[tuple[Subject, str], int]:
    """Return the key of the escape of each finding, after adding those that are new."""
    known = load_escapes(release)
    new = [
        Escape(product=release.product, case_key=finding.case_key, **finding.subject._asdict())
        for finding in found
        if (finding.subject, finding.case_key) not in known
    ]
    for escape in Escape.objects.bulk_create(new):
        known[Subject(escape.about, escape.key, escape.wording), escape.case_key] = escape.pk
    return known


def load_escapes(release: Release) -> dict[tuple[Subject, str], int]:
    """Load the escapes of the product on the cases that were sampled in this release."""
    sampled = Case.objects.of(release).filter(sampled__isnull=False).values("case_key")
    rows = Escape.objects.of(release.product).filter(case_key__in=sampled)
    return {
        (Subject(about, key, wording), case_key): pk
        for about, key, wording, case_key, pk in rows.values_list(
            "about", "key", "wording", "case_key", "pk"
        )
    }


def void_escapes(*, closing: Closing, user: User | None, now: datetime) -> None:
    """Record that the findings of a closing are void. They are, because it is reopened."""
    release = closing.release
    owner = lock_product(release.product)
    data = {"release": release.name, "closing": closing.number}
    ledger.record(ledger=owner, kind=VOIDED, data=data, user=user, now=now)


@transaction.atomic
def open_for(*, release: Release, user: User | None, now: datetime) -> list[Finding] | None:
    """Open the escapes of a release that was closed before there were any; None: it has them."""
    release = Release.objects.locked(release)
    closing = release.closings.standing().filter(is_abandoned=False).first()
    owner = lock_product(release.product)
    if closing is None or (release.name, closing.number) in list_opened(owner):
        return None
    closing.release = release
    return open_escapes(closing=closing, report=summary.load(release), user=user, now=now)


def list_opened(owner: Ledger) -> set[tuple[str, int]]:
    """Return the closings whose findings are recorded, each as release and number."""
    events = LedgerEvent.objects.filter(ledger=owner, kind=OPENED)
    return {(data["release"], data["closing"]) for data in events.values_list("data", flat=True)}


# --- Moving ---------------------------------------------------------------------------------------


@transaction.atomic
def move(
    *,
    product: str,
    escapes: Sequence[int],
    state: str,
    reason: str,
    rule: str = "",
    user: User | None,
    now: datetime,
) -> list[Escape]:
    """Move escapes of a product to a state, with one reason and one event for all of them."""
    reason = require_reason(reason)
    if state not in EscapeState.values:
        raise BadState(Missing("state", gettext("Choose open, rule, fixed or accepted.")))
    if rule and state != EscapeState.RULE:
        sentence = gettext("Only an escape that became a rule names one.")
        raise BadState(Missing("rule", sentence))
    keys = sorted(set(escapes))
    require_some(keys)
    owner = lock_product(product)
    rows = Escape.objects.of(product).in_force().filter(pk__in=keys).order_by("pk")
    found = list(rows)
    if len(found) < len(keys):
        raise NoSuchEscape(
            Missing("escapes", gettext("Some of these escapes are not there. Reload the page."))
        )
    data = {"escapes": keys, "state": state, "rule": rule, "reason": reason}
    event = ledger.record(ledger=owner, kind=MOVED, data=data, user=user, now=now)
    for escape in found:
        escape.state, escape.rule, escape.event = state, rule, event
    Escape.objects.filter(pk__in=keys).update(state=state, rule=rule, event=event)
    return found


def require_some(keys: Sequence[int]) -> None:
    if not keys:
        raise NoSuchEscape(Missing("escapes", gettext("Choose at least one.")))
    if len(keys) > MOST_AT_ONCE:
        sentence = ngettext(
            "At most %(most)d can be moved at once.",
            "At most %(most)d can be moved at once.",
            MOST_AT_ONCE,
        )
        raise NoSuchEscape(Missing("escapes", sentence % {"most": MOST_AT_ONCE}))
