"""Read the forms of the desk: the judgement as a browser posts it, and declining."""

from typing import Any

import msgspec
from django import forms
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from cases.rubric import Document
from reviews.desk import judgement
from reviews.desk.judgement import Evidence, Judgement
from reviews.errors import LONGEST_REASON
from reviews.models.reviews import DeclinedFor


def read_version(posted: QueryDict) -> int:
    """Return the version the form was opened with, or -1, which is never stored, if invalid."""
    version = posted.get("version", "")
    return int(version) if version.isdecimal() and len(version) < 10 else -1


def read_posted_judgement(posted: QueryDict, document: Document) -> Judgement:
    """Read the judgement, leaving out values that the form cannot send by itself."""
    scores = {}
    answers = {}
    for metric in document.metrics:
        value = posted.get(f"score:{metric.key}", "")
        scores[metric.key] = {
            "value": int(value) if value.isdecimal() and len(value) < 6 else None,
            "rationale": posted.get(f"why:{metric.key}", ""),
            "evidence": read_evidence(posted.get(f"evidence:scores.{metric.key}", "")),
        }
        for question in metric.checklist:
            answer = posted.get(f"answer:{question.key}", "")
            answers[question.key] = {
                "answer": answer if answer in ("yes", "no", "na") else None,
                "note": posted.get(f"note:{question.key}", ""),
                "evidence": read_evidence(posted.get(f"evidence:answers.{question.key}", "")),
            }
    data: dict[str, Any] = {
        "scores": scores,
        "answers": answers,
        "comment": posted.get("comment", ""),
        "flags": [flag for flag in judgement.FLAGS if flag in posted.getlist("flags")],
    }
    return msgspec.convert(data, Judgement)


def read_evidence(text: str) -> list[dict[str, str]]:
    """Read the evidence that our script wrote; return none if it cannot be read."""
    try:
        pieces = msgspec.json.decode(text or "[]", type=list[Evidence])
    except msgspec.DecodeError:
        return []
    return [{"kind": piece.kind, "ref": piece.ref, "text": piece.text} for piece in pieces]


def read_posted_coherence(posted: QueryDict, document: Document) -> dict[str, str]:
    """Return by metric how a score fits the checklist that contradicts it."""
    texts = {metric.key: posted.get(f"coherence:{metric.key}", "") for metric in document.metrics}
    return {key: text for key, text in texts.items() if text.strip()}


class KeepForm(forms.Form):
    """`ruling` is the newest one that was shown."""

    ruling = forms.IntegerField(min_value=1, max_value=2**63 - 1)


class DeclineForm(forms.Form):
    cause = forms.ChoiceField(
        label=_("Why can it not be judged?"),
        choices=DeclinedFor.choices,
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose why this case cannot be judged.")},
    )
    reason = forms.CharField(
        label=_("In your words"),
        max_length=LONGEST_REASON,
        help_text=_("An admin reads this."),
        widget=forms.Textarea(attrs={"rows": 2, "class": "reason"}),
    )
