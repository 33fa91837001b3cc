"""Describe ledger events in sentences, in the reader's language."""

from collections.abc import Callable
from typing import Any

from django.db.models import Q
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from cases.models import Event, LedgerEvent, Release
from evalsite.lists import join_list
from reviews.models.escapes import EscapeState
from reviews.models.outcomes import DecisionMade, DisagreementCause, Word
from reviews.models.reviews import FlagKind, FlagOutcome
from reviews.models.samples import Cause
from reviews.sample.replay import EXTENDED
from reviews.sample.rule import describe_rule, kind_texts

MOST_NAMED = 5


def list_cases(data: dict[str, Any]) -> str:
    keys = data["cases"]
    named = ", ".join(keys[:MOST_NAMED])
    if len(keys) <= MOST_NAMED:
        return named
    return gettext("%(named)s and %(count)d more") % {
        "named": named,
        "count": len(keys) - MOST_NAMED,
    }


def describe_import(data: dict[str, Any]) -> str:
    return ngettext(
        "imported %(new)d new case and changed %(changed)d (import %(batch)d)",
        "imported %(new)d new cases and changed %(changed)d (import %(batch)d)",
        data["new"],
    ) % {"new": data["new"], "changed": data["changed"], "batch": data["batch"]}


def describe_draw(data: dict[str, Any]) -> str:
    return gettext("drew %(size)d of %(pool)d cases (draw %(draw)d)") % {
        "size": data["size"],
        "pool": data["pool_size"],
        "draw": data["draw"],
    }


def describe_addition(data: dict[str, Any]) -> str:
    words = gettext("added %(case)s by hand") % {"case": data["case"]}
    if not data.get("outside"):
        return words
    return gettext("%(first)s; %(second)s") % {
        "first": words,
        "second": gettext("it is outside the plan"),
    }


def describe_extension(data: dict[str, Any]) -> str:
    count = len(data["cases"])
    return ngettext(
        "went on to look %(look)d with %(count)d more case of the draw: %(size)d in all",
        "went on to look %(look)d with %(count)d more cases of the draw: %(size)d in all",
        count,
    ) % {"look": data["look"], "count": count, "size": data["size"]}


def describe_withdrawal(data: dict[str, Any]) -> str:
    words = gettext("withdrew %(case)s (%(cause)s)") % {
        "case": data["case"],
        "cause": Cause(data["cause"]).label,
    }
    if data["in"]:
        came = gettext("replaced it by %(case)s, the next in line") % {"case": data["in"]}
        return gettext("%(first)s; %(second)s") % {"first": words, "second": came}
    if data.get("outside"):
        left = gettext("it was outside the plan")
    else:
        left = gettext("no case was left to replace it")
    return gettext("%(first)s; %(second)s") % {"first": words, "second": left}


def describe_with_cases(template: str) -> Callable[[dict[str, Any]], str]:
    return lambda data: str(template) % {**data, "cases": list_cases(data)}


def describe_change(data: dict[str, Any]) -> str:
    fields = {field.name: field.verbose_name for field in Release._meta.fields}
    names = [fields[name] for name in sorted(data["to"])]
    return gettext("changed the release: %(fields)s") % {"fields": join_list(names)}


def describe_adjudication(data: dict[str, Any]) -> str:
    values = {"case": data["case"], "cause": DisagreementCause(data["cause"]).label}
    together = data.get("together")
    if together:
        return gettext(
            "recorded the scores of %(case)s, settled together by its own reviewers: %(people)s "
            "(%(cause)s)"
        ) % {**values, "people": join_list(together)}
    return gettext("settled the scores of %(case)s (%(cause)s)") % values


def describe_plan(data: dict[str, Any]) -> str:
    count = len(data["assignments"])
    return ngettext(
        "assigned %(count)d review by plan", "assigned %(count)d reviews by plan", count
    ) % {"count": count}


def describe_pairings(data: dict[str, Any]) -> str:
    count = len(data["pairings"])
    return ngettext(
        "assigned %(count)d reading of two plans", "assigned %(count)d readings of two plans", count
    ) % {"count": count}


def describe_pairings_taken_back(data: dict[str, Any]) -> str:
    count = len(data["pairings"])
    return ngettext(
        "took back %(count)d reading of two plans",
        "took back %(count)d readings of two plans",
        count,
    ) % {"count": count}


def describe_judged_flag(data: dict[str, Any]) -> str:
    return gettext("judged a flag on %(case)s: %(flag)s, %(outcome)s") % {
        "case": data["case"],
        "flag": FlagKind(data["flag"]).label,
        "outcome": FlagOutcome(data["outcome"]).label,
    }


def describe_signature(data: dict[str, Any]) -> str:
    words = gettext("signed: %(decision)s") % {"decision": DecisionMade(data["decision"]).label}
    if not data.get("is_against"):
        return words
    against = gettext("against the verdict, which is %(verdict)s") % {
        "verdict": Word(data["verdict"]).label
    }
    return gettext("%(first)s; %(second)s") % {"first": words, "second": against}


def describe_look(data: dict[str, Any]) -> str:
    """Describe a look at scores.

    An event with a closing was written at reopening, for people who could read the closed release;
    one with `recorded_by` for a reviewer who took part in settling a case.
    """
    if "recorded_by" in data:
        return gettext(
            "saw the scores of others when a case was settled together, as recorded by %(person)s"
        ) % {"person": data["recorded_by"]}
    if "closing" in data:
        return gettext("could read the scores of others while the release was closed")
    return gettext("looked at the scores of others")


def describe_move(data: dict[str, Any]) -> str:
    count = len(data["escapes"])
    return ngettext(
        "moved %(count)d finding that got through: %(state)s",
        "moved %(count)d findings that got through: %(state)s",
        count,
    ) % {"count": count, "state": EscapeState(data["state"]).label}


# The sentence after the name of the person who acted.
SENTENCES: dict[str, Any] = {
    "release-created": _("opened the release"),
    "release-changed": describe_change,
    "release-archived": _("archived the release"),
    "release-unarchived": _("took the release out of the archive"),
    "cases-imported": describe_import,
    "import-undone": _("undid import %(batch)d"),
    "tag-given": describe_with_cases(_("gave the tag %(tag)s to %(cases)s")),  # type: ignore[arg-type]
    "tag-taken-away": describe_with_cases(_("took the tag %(tag)s from %(cases)s")),  # type: ignore[arg-type]
    "tag-left-to-detectors": describe_with_cases(
        _("left the tag %(tag)s of %(cases)s to file and detectors")  # type: ignore[arg-type]
    ),
    "sample-drawn": describe_draw,
    "sample-confirmed": _("checked the pool again: draw %(draw)d is still valid"),
    "cases-excluded": describe_with_cases(_("excluded %(cases)s")),  # type: ignore[arg-type]
    "cases-let-in": describe_with_cases(_("let %(cases)s in again")),  # type: ignore[arg-type]
    "case-added": describe_addition,
    "case-removed": _("removed %(case)s by hand"),
    "case-swapped": _("swapped %(out)s for %(in)s by hand"),
    "case-withdrawn": describe_withdrawal,
    EXTENDED: describe_extension,
    "rule-waived": _("waived the rule “%(rule)s”"),
    "waiver-taken-back": _("took back the waiver of “%(rule)s”"),
    "review-started": _("started the review"),
    "review-assigned": _("assigned %(case)s to %(reviewer)s"),
    "reviews-planned": describe_plan,
    "reviews-taken-back": describe_with_cases(_("took %(cases)s back from %(reviewer)s")),  # type: ignore[arg-type]
    "review-declined": _("declined %(case)s"),
    "review-given-back": _("gave %(case)s back to %(reviewer)s"),
    "reviewer-reminded": _("reminded %(reviewer)s"),
    "question-asked": _("asked about the rubric"),
    "ruling-given": _("answered a question about the rubric"),
    "ruling-superseded": _("superseded a ruling on the rubric"),
    "review-kept": _("looked at the review of %(case)s again and kept it"),
    "scores-seen": describe_look,
    "flag-judged": describe_judged_flag,
    "review-submitted": _("submitted a review of %(case)s"),
    "review-revised": _("revised a review of %(case)s"),
    "pairings-planned": describe_pairings,
    "pairings-taken-back": describe_pairings_taken_back,
    "pairing-submitted": _("compared the plans of %(case)s"),
    "pairing-revised": _("compared the plans of %(case)s again"),
    "pairing-declined": _("declined to compare the plans of %(case)s"),
    "case-adjudicated": describe_adjudication,
    "release-closed": _("closed the release"),
    "release-abandoned": _("abandoned the release"),
    "release-reopened": _("reopened the release"),
    "release-signed": describe_signature,
    # In the ledger of a product
    "escapes-opened": _("recorded the findings of %(release)s, report %(closing)d"),
    "escapes-voided": _("voided the findings of %(release)s, report %(closing)d, by reopening it"),
    "escapes-moved": describe_move,
}


OF_RULES = ("rule-waived", "waiver-taken-back")

# These depend on scores, so they are hidden from people who may not see scores yet.
OF_SCORES = Q(kind__in=("case-adjudicated", "flag-judged")) | Q(
    kind__in=OF_RULES, data__rule="adjudications"
)


def describe_event(event: Event | LedgerEvent) -> str:
    """Describe an event. An unknown kind is shown as it is stored."""
    template = SENTENCES.get(event.kind, event.kind)
    data = event.data
    if isinstance(event, Event) and event.kind in OF_RULES:
        data = {**data, "rule": describe_rule(data["rule"], kind_texts(event.release))}
    if callable(template):
        return str(template(data))
    return str(template) % data if "%" in str(template) else str(template)
