"""Read the form of a pairing as a browser posts it without scripts."""

from typing import Any

import msgspec
from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from cases.rubric import Document
from reviews.errors import LONGEST_REASON
from reviews.models.pairings import Newer, Side
from reviews.pairings.judgement import PairJudgement
from reviews.pairings.page import STEPS


def read_posted_judgement(posted: QueryDict, document: Document) -> PairJudgement:
    """Read the judgement, leaving out values that the form cannot send by itself."""
    steps = {str(step): step for step in STEPS}
    sides = {
        question.key: posted.get(f"side:{question.key}", "") for question in document.questions
    }
    newer = posted.get("newer", "")
    data: dict[str, Any] = {
        "steps": {
            metric.key: {
                "step": steps.get(posted.get(f"step:{metric.key}", "")),
                "why": posted.get(f"why:{metric.key}", ""),
            }
            for metric in document.metrics
        },
        "sides": {key: side for key, side in sides.items() if side in Side.values},
        "newer": newer if newer in Newer.values else None,
    }
    return msgspec.convert(data, PairJudgement)


class TakeBackForm(forms.Form):
    """Why open readings are taken back: everyone's, or those of `person`."""

    person = forms.CharField(required=False, max_length=150, widget=forms.HiddenInput)
    reason = forms.CharField(
        label=_("Why"),
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 2, "class": "reason"}),
    )


class DeclinePairForm(forms.Form):
    reason = forms.CharField(
        label=_("In your words"),
        max_length=LONGEST_REASON,
        help_text=_("An admin reads this."),
        widget=forms.Textarea(attrs={"rows": 2, "class": "reason"}),
    )
