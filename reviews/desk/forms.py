"""What a browser sends from the desk, as a form or as JSON, made into a judgement."""

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


def version_in(posted: QueryDict) -> int:
    """The version that a form was written on. What is no version is none that could be stored."""
    version = posted.get("version", "")
    return int(version) if version.isdecimal() and len(version) < 10 else -1


def said_in(posted: QueryDict, document: Document) -> Judgement:
    """Whatever a form cannot say by itself is left out: the rest stays as it was typed."""
    scores = {}
    answers = {}
    for metric in document.metrics:
        value = posted.get(f"score:{metric.key}", "")
        scores[metric.key] = {
            "value": int(value) if value.isdecimal() and len(value) < 6 else None,
            "rationale": posted.get(f"why:{metric.key}", ""),
            "evidence": evidence_in(posted.get(f"evidence:scores.{metric.key}", "")),
        }
        for question in metric.checklist:
            answer = posted.get(f"answer:{question.key}", "")
            answers[question.key] = {
                "answer": answer if answer in ("yes", "no", "na") else None,
                "note": posted.get(f"note:{question.key}", ""),
                "evidence": evidence_in(posted.get(f"evidence:answers.{question.key}", "")),
            }
    said: dict[str, Any] = {
        "scores": scores,
        "answers": answers,
        "comment": posted.get("comment", ""),
        "flags": [one for one in judgement.FLAGS if one in posted.getlist("flags")],
    }
    return msgspec.convert(said, Judgement)


def evidence_in(text: str) -> list[dict[str, str]]:
    """Written by a script of ours; what cannot be read is no evidence."""
    try:
        found = msgspec.json.decode(text or "[]", type=list[Evidence])
    except msgspec.DecodeError:
        return []
    return [{"kind": one.kind, "ref": one.ref, "text": one.text} for one in found]


def lines_in(posted: QueryDict, document: Document) -> dict[str, str]:
    """What was answered about scores that contradict their checklist."""
    found = {one.key: posted.get(f"coherence:{one.key}", "") for one in document.metrics}
    return {key: text for key, text in found.items() if text.strip()}


class DeclineForm(forms.Form):
    cause = forms.ChoiceField(
        label=_("Why can you not review it?"),
        choices=DeclinedFor.choices,
        widget=forms.RadioSelect,
        error_messages={"required": _("Say why you cannot review it.")},
    )
    reason = forms.CharField(
        label=_("In your words"),
        max_length=LONGEST_REASON,
        help_text=_("The admin reads it and finds somebody else."),
        widget=forms.Textarea(attrs={"rows": 2, "class": "reason"}),
    )
