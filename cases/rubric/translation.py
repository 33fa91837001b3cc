"""Read the text of a rubric in a second language: other words, the same keys and numbers."""

from __future__ import annotations

from dataclasses import replace

from .document import Document, Metric, _
from .lines import Page
from .parser import Draft, Reading


def translated(original: Document, translation_text: str) -> Reading:
    """Read a translation and give it the keys and tags of the original, position by position."""
    draft = Draft(Page(translation_text))
    document = draft.finish().document
    _check_metrics(draft, original.metrics, document.metrics)
    _check_sampling(draft, original, document)
    reading = draft.finish()
    metrics = zip(document.metrics, original.metrics, strict=True)
    kinds = zip(document.sampling.kinds, original.sampling.kinds, strict=True)
    document = replace(
        document,
        metrics=tuple(_with_keys(metric, source) for metric, source in metrics),
        sampling=replace(
            document.sampling,
            kinds=tuple(replace(kind, key=source.key, tags=source.tags) for kind, source in kinds),
        ),
    )
    return replace(reading, document=document)


def _with_keys(metric: Metric, original: Metric) -> Metric:
    questions = zip(metric.checklist, original.checklist, strict=True)
    return replace(
        metric,
        key=original.key,
        checklist=tuple(replace(question, key=source.key) for question, source in questions),
    )


def _check_metrics(
    draft: Draft, originals: tuple[Metric, ...], metrics: tuple[Metric, ...]
) -> None:
    if len(originals) != len(metrics):
        row = draft.metric_rows[min(len(originals), len(metrics) - 1)]
        message = _("The original has %(expected)d metrics, the translation has %(found)d.")
        draft.page.refuse(row, message, expected=len(originals), found=len(metrics))
        return
    for original, metric, row in zip(originals, metrics, draft.metric_rows, strict=True):
        if (original.low, original.high) != (metric.low, metric.high):
            message = _("%(name)s has the scale %(expected)s, the translation has %(found)s.")
            draft.page.refuse(
                row,
                message,
                name=original.name,
                expected=f"{original.low}-{original.high}",
                found=f"{metric.low}-{metric.high}",
            )
        if len(original.checklist) != len(metric.checklist):
            message = _("%(name)s has %(expected)d questions, the translation has %(found)d.")
            draft.page.refuse(
                row,
                message,
                name=original.name,
                expected=len(original.checklist),
                found=len(metric.checklist),
            )


def _check_sampling(draft: Draft, original: Document, document: Document) -> None:
    assert draft.placed, "a finished draft has its sampling section"
    expected, found = original.sampling, document.sampling
    if expected.minimum != found.minimum:
        message = _("The original asks for %(expected)d cases, the translation for %(found)d.")
        params = {"expected": expected.minimum, "found": found.minimum}
        draft.page.refuse(draft.placed.rule_row, message, **params)
    if len(expected.kinds) != len(found.kinds):
        row = draft.placed.kind_rows[min(len(expected.kinds), len(found.kinds) - 1)]
        message = _("The original has %(expected)d kinds, the translation has %(found)d.")
        params = {"expected": len(expected.kinds), "found": len(found.kinds)}
        draft.page.refuse(row, message, **params)
        return
    for source, kind, row in zip(expected.kinds, found.kinds, draft.placed.kind_rows, strict=True):
        if kind.tags and set(kind.tags) != set(source.required_tags):
            message = _('Kind "%(name)s" keeps the tags %(expected)s; %(found)s is not used.')
            tags = {"expected": ", ".join(source.required_tags), "found": ", ".join(kind.tags)}
            draft.page.warn(row, message, name=source.text, **tags)
