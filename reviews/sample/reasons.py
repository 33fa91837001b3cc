"""Explain why a case is or is not in the sample."""

from dataclasses import dataclass

from django.utils.translation import gettext, ngettext

from cases.models import Case
from cases.models.cases import CheckStatus
from reviews.models import Draw, SampledCase
from reviews.models.samples import Cause, Origin
from reviews.sample.order import Entry
from reviews.sample.replay import retrace
from reviews.sample.rule import kind_texts


def explain_draw(entry: Entry, texts: dict[str, str]) -> str:
    """Explain why a case has its place in the order of a draw."""
    kind = texts.get(entry.kind, entry.kind)
    if not entry.is_extra:
        return gettext(
            "Best by the shared rank of the cases that fit “%(kind)s” and leave one for each "
            "other kind."
        ) % {"kind": kind}
    if entry.kind and entry.rank == "shared":
        return gettext("Next for “%(kind)s”, by the shared rank.") % {"kind": kind}
    if entry.kind:
        return gettext("Next for “%(kind)s”, by this release's own rank.") % {"kind": kind}
    if entry.rank == "shared":
        return gettext("No kind had a case left; best of the rest by the shared rank.")
    return gettext("No kind had a case left; best of the rest by this release's own rank.")


@dataclass(frozen=True)
class PlaceInSample:
    """Whether and why a case is in the sample. `draw` is the number of the last draw, if any."""

    sentence: str
    sampled: SampledCase | None
    is_excluded: bool
    can_be_added: bool
    draw: int | None


def explain_place(case: Case) -> PlaceInSample:
    """Explain whether a case is in the sample, without reading the order of a draw."""
    sampled: SampledCase | None = getattr(case, "sampled", None)
    release = case.release
    draw = Draw.objects.of(release).last()
    why_not = explain_not_eligible(case)
    is_in = bool(sampled and sampled.withdrawn_at is None)
    return PlaceInSample(
        sentence=describe_place(case, sampled, draw, why_not),
        sampled=sampled,
        is_excluded=hasattr(case, "exclusion"),
        can_be_added=not is_in
        and not (sampled and sampled.cause != Cause.SWAPPED)
        and not why_not
        and not release.is_closed
        and draw is not None,
        draw=draw.number if draw else None,
    )


def describe_place(case: Case, sampled: SampledCase | None, draw: Draw | None, why_not: str) -> str:
    if sampled and sampled.withdrawn_at:
        return gettext("Withdrawn (%(cause)s): %(reason)s") % {
            "cause": sampled.get_cause_display(),
            "reason": sampled.withdrawal_reason,
        }
    if sampled and sampled.is_outside:
        return gettext("Read outside the plan, chosen by hand after the start: %(reason)s") % {
            "reason": sampled.reason
        }
    if sampled and sampled.origin == Origin.HAND:
        return gettext("In the sample, chosen by hand: %(reason)s") % {"reason": sampled.reason}
    if sampled and sampled.origin == Origin.NEXT:
        return gettext("In the sample: it came in as the next in line.")
    if sampled:
        texts = kind_texts(case.release)
        if not sampled.kind:
            return gettext("In the sample, drawn when no kind had a case left.")
        return gettext("In the sample, drawn for “%(kind)s”.") % {
            "kind": texts.get(sampled.kind, sampled.kind)
        }
    if why_not:
        return why_not
    if draw is None:
        return gettext("It can be sampled. Nothing is drawn yet.")
    retraced = retrace(case.release)
    if retraced and case.case_key in retraced.taken_out:
        return gettext("Taken out of the sample by hand: %(reason)s") % {
            "reason": retraced.taken_out[case.case_key]
        }
    later = case.release.events.filter(kind="cases-imported", number__gt=draw.event)
    if case.batch.number in [data["batch"] for data in later.values_list("data", flat=True)]:
        return gettext("Not in the sample: it came in after the draw.")
    return ngettext(
        "Not in the sample: the draw took the first case in its order.",
        "Not in the sample: the draw took the first %(size)d in its order.",
        draw.size,
    ) % {"size": draw.size}


def explain_not_in_pool(case: Case) -> str:
    """Explain why a case was not in the pool of a draw."""
    return explain_not_eligible(case) or gettext(
        "%(case)s was not in the pool: it came in, or could be sampled, only after this draw."
    ) % {"case": case.case_key}


def describe_obstacle(case: Case) -> str:
    """As `explain_not_eligible`, in a few words to show next to the key of the case."""
    exclusion = case.standing_exclusion
    if exclusion:
        return gettext("excluded: %(reason)s") % {"reason": exclusion.reason}
    if not case.has_plan:
        return gettext("no plan to read")
    if not case.is_accepted:
        return gettext("checks: %(status)s") % {"status": case.get_check_status_display()}
    return ""


def explain_not_eligible(case: Case) -> str:
    """Explain why the case cannot be sampled; empty if it can. One query."""
    exclusion = getattr(case, "exclusion", None)
    if exclusion:
        return gettext("%(case)s is excluded: %(reason)s") % {
            "case": case.case_key,
            "reason": exclusion.reason,
        }
    if not case.has_plan:
        return gettext("%(case)s cannot be sampled: it has no plan to read.") % {
            "case": case.case_key
        }
    if not case.is_accepted and case.check_status == CheckStatus.WARN:
        return gettext(
            "%(case)s cannot be sampled: it passed with a warning, and this release takes only "
            "passed cases."
        ) % {"case": case.case_key}
    if not case.is_accepted:
        return gettext(
            "%(case)s cannot be sampled: its automated checks say “%(status)s”, not “passed”."
        ) % {"case": case.case_key, "status": case.get_check_status_display()}
    return ""
