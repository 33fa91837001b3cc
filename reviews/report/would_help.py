"""What would help most, in words: the acts that are possible now, and the outlook of a draw."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from django.contrib.auth.models import User
from django.utils.translation import gettext, ngettext, pgettext

from cases.models import Release
from cases.releases import policy
from reviews.adjudication.visibility import has_opened, is_blind
from reviews.comparison import Prior
from reviews.models import Draw, SampledCase
from reviews.report import summary, verdict
from reviews.report.summary import Summary
from reviews.report.summary.cache import get_or_make
from reviews.report.verdict import Verdict, Word
from reviews.report.verdict.acts import Act, Outlook, forecast, weigh_acts

# A smaller chance is not worth an act.
LEAST_CHANCE = 0.05
# More case keys in a sentence are no help.
MOST_NAMED = 1


@dataclass(frozen=True)
class WouldHelp:
    """`first` is the sentence of the most helpful act, `rest` those of all others."""

    first: str
    rest: list[str]


# --- The acts -------------------------------------------------------------------------------------


def load_acts(
    release: Release,
    found: Summary | None = None,
    judged: Verdict | None = None,
    version: Sequence[str] | None = None,
) -> list[Act]:
    """Return the acts that are possible now, the most helpful first; none once it is closed.

    They depend on scores: the caller checks that the reader has seen them.
    """
    if not release.is_reviewing:
        return []

    def make() -> bytes:
        known = found or summary.load(release, version)
        acts = weigh_acts(known, judged or verdict.decide(known), release.ledger_head)
        return msgspec.json.encode(acts)

    return msgspec.json.decode(get_or_make(release, "acts", make, version), type=list[Act])


def load_for_page(release: Release, viewer: User) -> WouldHelp | None:
    """Load the sentences for a viewer who has seen the scores; nothing for anybody else."""
    if is_blind(release, viewer) or not has_opened(release, viewer):
        return None
    return describe_acts(load_acts(release))


def describe_acts(acts: Sequence[Act]) -> WouldHelp | None:
    if not acts:
        return None
    sentences = [describe_act(act) for act in acts]
    if acts[0].change < LEAST_CHANCE:
        sentence = gettext("What would help most: no single act is likely to change the word.")
        return WouldHelp(sentence, sentences)
    sentence = gettext("What would help most: %(act)s.") % {"act": sentences[0]}
    return WouldHelp(sentence, sentences[1:])


def describe_act(act: Act) -> str:
    return gettext("%(act)s: %(chances)s") % {"act": name_act(act), "chances": list_chances(act)}


def name_act(act: Act) -> str:
    if act.act == "next-look":
        sentence = ngettext(
            "the next look, of %(count)d case", "the next look, of %(count)d cases", act.size
        )
        return sentence % {"count": act.size}
    if act.act == "review-again":
        sentence = ngettext(
            "one more review of every case, %(count)d in all",
            "one more review of every case, %(count)d each",
            act.size,
        )
        return sentence % {"count": act.size}
    if len(act.cases) > MOST_NAMED:
        sentence = ngettext(
            "adjudicating all %(count)d case that waits",
            "adjudicating all %(count)d cases that wait",
            len(act.cases),
        )
        return sentence % {"count": len(act.cases)}
    comma = pgettext("between the items of a list", ", ")
    return gettext("adjudicating %(cases)s") % {"cases": comma.join(act.cases)}


def list_chances(act: Act) -> str:
    """List the words that the act can lead to, the likeliest first."""
    likely = [(word, chance) for word, chance in act.others if chance >= LEAST_CHANCE]
    if not likely:
        return gettext("hardly any chance of another word")
    first, *more = [
        {"chance": format_tenths(chance), "word": word.label} for word, chance in likely
    ]
    parts = [gettext("%(chance)s that it becomes %(word)s") % first]
    parts += [gettext("%(chance)s %(word)s") % following for following in more]
    return pgettext("between the items of a list", ", ").join(parts)


def format_tenths(chance: float) -> str:
    """Format a chance as tenths: the simulation and the model say no more."""
    tenths = round(10 * chance)
    if tenths == 0:
        return gettext("less than 1 in 10")
    if tenths == 10 and chance < 1:
        return gettext("more than 9 in 10")
    return gettext("%(count)d in 10") % {"count": tenths}


def build_document(acts: Sequence[Act]) -> list[dict[str, Any]]:
    """Build `would_help` of the verdict document."""
    return [
        {
            "act": act.act,
            "cases": list(act.cases),
            "size": act.size or None,
            "text": describe_act(act),
            "chances": {str(word): round(act.chances.get(word, 0.0), 4) for word in Word},
        }
        for act in acts
    ]


# --- Before the start -----------------------------------------------------------------------------


def describe_outlook(release: Release, draw: Draw | None) -> str:
    """Describe what the looks of a draft can show with this draw; nothing without one."""
    if not release.is_draft or draw is None or not draw.size:
        return ""
    limits, keys = policy.from_data(release.policy), draw.order.keys
    sizes = policy.plan_looks(limits.looks, drawn=draw.size, available=len(keys))
    before = find_baseline_cases(release)
    shared = [sum(key in before for key in keys[:size]) for size in sizes] if before else []
    metrics = release.rubric.document.metrics
    return format_outlook(
        forecast(
            sizes=sizes,
            reviews_per_case=release.reviews_per_case,
            floors=[limits.floor(metric.key) for metric in metrics],
            scales=[(metric.low, metric.high) for metric in metrics],
            margin=limits.margin,
            # The start may estimate another from closed releases; it hardly changes a tenth.
            prior=Prior(),
            shared=shared,
        )
    )


def find_baseline_cases(release: Release) -> Collection[str]:
    if release.baseline is None:
        return ()
    rows = SampledCase.objects.of(release.baseline).standing().planned()
    return set(rows.values_list("case__case_key", flat=True))


def format_outlook(outlook: Outlook) -> str:
    (size, earned), *more = outlook.earned
    first = ngettext(
        "With %(count)d case a release of true mean %(mean).1f earns GO in %(times)s",
        "With %(count)d cases a release of true mean %(mean).1f earns GO in %(times)s",
        size,
    ) % {"count": size, "mean": outlook.mean, "times": format_times(earned)}
    parts = [
        first,
        *(
            gettext("with %(count)d: %(times)s") % {"count": size, "times": format_times(earned)}
            for size, earned in more
        ),
    ]
    if outlook.found is not None:
        parts.append(
            ngettext(
                "a drop of %(drop).1f in a metric is found in %(times)s (%(count)d shared case)",
                "a drop of %(drop).1f in a metric is found in %(times)s (%(count)d shared cases)",
                outlook.shared,
            )
            % {
                "drop": outlook.drop,
                "times": format_times(outlook.found),
                "count": outlook.shared,
            }
        )
    semicolon = pgettext("between the parts of a sentence", "; ")
    return gettext("%(parts)s.") % {"parts": semicolon.join(parts)}


def format_times(share: float) -> str:
    """Format a share of releases as tenths."""
    return gettext("%(count)d of 10") % {"count": round(10 * share)}
