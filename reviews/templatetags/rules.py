"""Words and figures of rules."""

from django import template
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from cases.case.display import render_fact
from cases.rule import Kind
from cases.rules.examples import Example
from cases.rules.words import FACT_NAMES
from reviews.backtest import FEWEST_READS, Advice, Share
from reviews.report.numbers import format_chance, round_percent

register = template.Library()

ADVICE = {
    Advice.ADOPT: _("Reviewers say no where this fact is, more than to other questions. Adopt it."),
    Advice.FEW_READS: _("Too few reads: at least %(fewest)d cases with the fact must be read."),
    Advice.NOTHING_TO_COMPARE: _("Every case that was read has the fact: nothing to compare."),
    Advice.NOT_SHOWN: _("These reads do not show that the fact goes with noes to this question."),
    Advice.BAD_EVERYWHERE: _(
        "Plans with this fact get more noes to any question. It does not stand out in this one."
    ),
    Advice.MOSTLY_FINE: _(
        "The fact goes with noes, but most plans that it would stop are fine to their readers."
    ),
}


@register.filter
def advice_words(advice: Advice) -> str:
    return str(ADVICE[advice]) % {"fewest": FEWEST_READS}


@register.filter
def share_words(share: Share) -> str:
    """Format 8 of 10 with its share and interval."""
    if share.value is None:
        return "–"
    return gettext("%(count)d of %(total)d, %(share)d %% (%(low)d to %(high)d %%)") % {
        "count": share.count,
        "total": share.total,
        "share": round_percent(share.value),
        "low": round_percent(share.interval.low),
        "high": round_percent(share.interval.high),
    }


@register.filter
def percent(share: float | None) -> str:
    if share is None:
        return "–"
    return gettext("%(share)d %%") % {"share": round_percent(share)}


@register.filter
def chance(p_value: float) -> str:
    return format_chance(p_value)


@register.filter
def fact_name(kind: Kind) -> Promise:
    return FACT_NAMES[kind.topic, kind.name]


@register.filter
def example_sentence(example: Example) -> SafeString:
    return render_fact(example.fact, example.locale)
