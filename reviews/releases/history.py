"""The ledger as a story: one sentence for each event, in the reader's language."""

from collections.abc import Callable
from typing import Any

from django.db.models import Q
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from cases.models import Event, Release
from evalsite.lists import join_list
from reviews.models.outcomes import DecisionMade, DisagreementCause, Word
from reviews.models.reviews import FlagKind, FlagOutcome
from reviews.models.samples import Cause
from reviews.sample.rule import kind_texts, rule_in_words

MOST_NAMED = 5


def cases_in_words(data: dict[str, Any]) -> str:
    keys = data["cases"]
    named = ", ".join(keys[:MOST_NAMED])
    if len(keys) <= MOST_NAMED:
        return named
    return gettext("%(named)s and %(count)d more") % {
        "named": named,
        "count": len(keys) - MOST_NAMED,
    }


def imported(data: dict[str, Any]) -> str:
    return ngettext(
        "imported %(new)d new case and changed %(changed)d (import %(batch)d)",
        "imported %(new)d new cases and changed %(changed)d (import %(batch)d)",
        data["new"],
    ) % {"new": data["new"], "changed": data["changed"], "batch": data["batch"]}


def drawn(data: dict[str, Any]) -> str:
    return gettext("drew %(size)d of %(pool)d cases (draw %(draw)d)") % {
        "size": data["size"],
        "pool": data["pool_size"],
        "draw": data["draw"],
    }


def withdrawn(data: dict[str, Any]) -> str:
    words = gettext("withdrew %(case)s (%(cause)s)") % {
        "case": data["case"],
        "cause": Cause(data["cause"]).label,
    }
    if data["in"]:
        came = gettext("%(case)s came in, the next in line") % {"case": data["in"]}
        return gettext("%(first)s; %(second)s") % {"first": words, "second": came}
    return gettext("%(first)s; %(second)s") % {
        "first": words,
        "second": gettext("no case was left to come in"),
    }


def with_cases(template: str) -> Callable[[dict[str, Any]], str]:
    return lambda data: str(template) % {**data, "cases": cases_in_words(data)}


def changed(data: dict[str, Any]) -> str:
    fields = {field.name: field.verbose_name for field in Release._meta.fields}
    names = [fields[name] for name in sorted(data["to"])]
    return gettext("changed the release: %(fields)s") % {"fields": join_list(names)}


def adjudicated(data: dict[str, Any]) -> str:
    return gettext("settled the scores of %(case)s (%(cause)s)") % {
        "case": data["case"],
        "cause": DisagreementCause(data["cause"]).label,
    }


def planned(data: dict[str, Any]) -> str:
    count = len(data["assignments"])
    return ngettext(
        "assigned %(count)d review by plan", "assigned %(count)d reviews by plan", count
    ) % {"count": count}


def judged(data: dict[str, Any]) -> str:
    return gettext("judged a flag on %(case)s: %(flag)s, %(outcome)s") % {
        "case": data["case"],
        "flag": FlagKind(data["flag"]).label,
        "outcome": FlagOutcome(data["outcome"]).label,
    }


def signed(data: dict[str, Any]) -> str:
    words = gettext("signed: %(decision)s") % {"decision": DecisionMade(data["decision"]).label}
    if not data.get("is_against"):
        return words
    against = gettext("against the verdict, which is %(verdict)s") % {
        "verdict": Word(data["verdict"]).label
    }
    return gettext("%(first)s; %(second)s") % {"first": words, "second": against}


def seen(data: dict[str, Any]) -> str:
    """With a closing: it was open to this person, and counts as a look since the reopening."""
    if "closing" in data:
        return gettext("could read the scores of others while the release was closed")
    return gettext("looked at the scores of others")


# What follows the name of whoever acted.
STORY: dict[str, Any] = {
    "release-created": _("opened the release"),
    "release-changed": changed,
    "release-archived": _("archived the release"),
    "release-unarchived": _("took the release out of the archive"),
    "cases-imported": imported,
    "import-undone": _("undid import %(batch)d"),
    "tag-given": with_cases(_("gave the tag %(tag)s to %(cases)s")),  # type: ignore[arg-type]
    "tag-taken-away": with_cases(_("took the tag %(tag)s from %(cases)s")),  # type: ignore[arg-type]
    "tag-left-to-detectors": with_cases(
        _("left the tag %(tag)s of %(cases)s to file and detectors")  # type: ignore[arg-type]
    ),
    "sample-drawn": drawn,
    "sample-confirmed": _("looked at the pool again: draw %(draw)d stands"),
    "cases-excluded": with_cases(_("excluded %(cases)s")),  # type: ignore[arg-type]
    "cases-let-in": with_cases(_("let %(cases)s in again")),  # type: ignore[arg-type]
    "case-added": _("added %(case)s by hand"),
    "case-removed": _("removed %(case)s by hand"),
    "case-swapped": _("swapped %(out)s for %(in)s by hand"),
    "case-withdrawn": withdrawn,
    "rule-waived": _("waived the rule “%(rule)s”"),
    "waiver-taken-back": _("took back the waiver of “%(rule)s”"),
    "review-started": _("started the review"),
    "review-assigned": _("assigned %(case)s to %(reviewer)s"),
    "reviews-planned": planned,
    "reviews-taken-back": with_cases(_("took %(cases)s back from %(reviewer)s")),  # type: ignore[arg-type]
    "review-declined": _("declined %(case)s"),
    "question-asked": _("asked about the rubric"),
    "ruling-given": _("answered a question about the rubric"),
    "scores-seen": seen,
    "flag-judged": judged,
    "review-submitted": _("submitted a review of %(case)s"),
    "review-revised": _("revised a review of %(case)s"),
    "case-adjudicated": adjudicated,
    "release-closed": _("closed the release"),
    "release-abandoned": _("abandoned the release"),
    "release-reopened": _("reopened the release"),
    "release-signed": signed,
}


OF_RULES = ("rule-waived", "waiver-taken-back")

# What these tell depends on what reviewers said, so not everybody may be told yet.
OF_SCORES = Q(kind__in=("case-adjudicated", "flag-judged")) | Q(
    kind__in=OF_RULES, data__rule="adjudications"
)


def describe_event(event: Event) -> str:
    """What whoever acted did. A kind that nobody knows any more stays as it was written."""
    told = STORY.get(event.kind, event.kind)
    data = event.data
    if event.kind in OF_RULES:
        data = {**data, "rule": rule_in_words(data["rule"], kind_texts(event.release))}
    if callable(told):
        return str(told(data))
    return str(told) % data if "%" in str(told) else str(told)
