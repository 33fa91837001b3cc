"""Translates reasons of figures and verdicts, with the names that the rubric gives its keys."""

from collections.abc import Iterable, Mapping

from django.utils.translation import get_language, gettext, ngettext, pgettext

from cases.models import Rubric
from cases.rubric import Document
from reviews.agreement import Reason
from reviews.models.outcomes import Word
from reviews.report.summary import Summary

# Params that hold one or more keys of the rubric, which a reader knows by their names.
KEYS = ("metric", "metrics", "kinds")

Names = Mapping[str, str]


def translate_reason(reason: Reason | None, names: Names | None = None) -> str:
    """Return the reason in the reader's language, or nothing without one.

    `names` has the reader's name of each metric and kind.
    """
    if reason is None:
        return ""
    if reason.plural:
        template = ngettext(reason.message, reason.plural, int(reason.params["count"]))
    else:
        template = gettext(reason.message)
    params = {
        key: with_names(str(value), names or {}) if key in KEYS else value
        for key, value in reason.params.items()
    }
    return template % params


def describe_word(
    word: Word | None, conditions: Iterable[Reason], names: Names | None = None
) -> str:
    """Return the word of a verdict with its conditions, or nothing without a word."""
    if word is None:
        return ""
    said = join_conditions(conditions, names)
    if not said:
        return str(word.label)
    return gettext("%(word)s, %(conditions)s") % {"word": word.label, "conditions": said}


def join_conditions(conditions: Iterable[Reason], names: Names | None = None) -> str:
    return gettext("; ").join(translate_reason(condition, names) for condition in conditions)


def with_names(keys: str, names: Names) -> str:
    """Replace keys by names. Keys are slugs, so a comma only separates them."""
    comma = pgettext("between the items of a list", ", ")
    return comma.join(names.get(key, key) for key in keys.split(", "))


def names_for(rubric: Rubric) -> Names:
    """Return the names in the reader's language. Prefetch `translations`."""
    return names_in(rubric.text_for(get_language()).document)


def names_in(document: Document) -> Names:
    """Return the names of the keys; a case without a kind is one of the further cases."""
    return {
        "": gettext("Further cases"),
        **{metric.key: metric.name for metric in document.metrics},
        **{question.key: question.text for question in document.questions},
        **{kind.key: kind.text for kind in document.sampling.kinds},
    }


def own_names(summary: Summary) -> Names:
    """Return the names in the summary, in the rubric's own language."""
    return {
        **{metric.metric: metric.name for metric in summary.metrics},
        **{question.item: question.text for question in summary.checklist},
        **{kind.kind: kind.text for kind in summary.coverage},
    }
