"""A share of yes or no answers, as a bar with its interval."""

from __future__ import annotations

from .marks import ACCENT, GROUND, INK, SOFT, Scale, Span, Svg, drawing, rect, whisker

WIDE = 220.0


def rate(span: Span, *, label: str, applies: Span | None = None) -> Svg:
    """From 0 to 1. The thin bar below is the share of answers to which the question applies."""
    scale = Scale(0.0, 1.0, 4, WIDE - 4)
    marks = [rect(4, 4, WIDE - 8, 14, GROUND)]
    if span.middle is not None:
        marks.append(rect(4, 4, scale.at(span.middle) - 4, 14, ACCENT, span.title))
    marks += whisker(span, scale, 11, reach=9, look=INK)
    if applies is None or applies.middle is None:
        return drawing(marks, height=22, width=WIDE, label=label, is_small=True)
    marks.append(rect(4, 23, WIDE - 8, 3, GROUND))
    marks.append(rect(4, 23, scale.at(applies.middle) - 4, 3, SOFT, applies.title))
    return drawing(marks, height=28, width=WIDE, label=label, is_small=True)
