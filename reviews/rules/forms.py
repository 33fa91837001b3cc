"""The form that proposes a rule about one kind of fact."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from django import forms
from django.utils.functional import Promise
from django.utils.text import format_lazy
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from cases import rubric
from cases import rule as pure
from cases.facts.topics import topics_for
from cases.rule.rule import LARGEST
from cases.rules.examples import Example
from cases.rules.words import PARAM_NAMES
from reviews.errors import LONGEST_REASON


class Limit(NamedTuple):
    """The two fields of a parameter, and the numbers found in the product's plans."""

    param: str
    name: Promise
    at_least: forms.BoundField
    at_most: forms.BoundField
    span: pure.Span | None


class RuleForm(forms.Form):
    """Limits on the numbers of a fact, the tags it applies to, and the question it serves."""

    question = forms.ChoiceField(
        label=_("The question it serves"),
        help_text=_("Only reviews of this question are compared with the rule."),
    )
    tags = forms.CharField(
        label=_("Only cases with these tags"),
        required=False,
        help_text=_("Separated by commas. Empty: all cases."),
    )
    reason = forms.CharField(
        label=_("Why"),
        required=False,
        max_length=LONGEST_REASON,
        widget=forms.Textarea(attrs={"rows": 2, "class": "reason"}),
        help_text=_("What reviewers found, for those who read the rule later."),
    )

    def __init__(
        self,
        *args: Any,
        kind: pure.Kind,
        document: rubric.Document,
        example: Example | None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.kind, self.example = kind, example
        questions = [(question.key, question.text) for question in document.questions]
        choices: Any = self.fields["question"]
        choices.choices = [
            (metric.name, [(question.key, question.text) for question in metric.checklist])
            for metric in document.metrics
        ]
        self.initial.setdefault("question", topics_for(questions).get(kind.topic, ""))
        for param in kind.params:
            name = PARAM_NAMES[param]
            for end, words in (("least", _("At least")), ("most", _("At most"))):
                label = format_lazy("{} – {}", name, words)
                field = build_limit(label, f"limit-{param} at-{end}")
                self.fields[f"{end}-{param}"] = field

    @property
    def limits(self) -> Iterator[Limit]:
        spans = self.example.spans if self.example else {}
        for param in self.kind.params:
            least, most = self[f"least-{param}"], self[f"most-{param}"]
            yield Limit(param, PARAM_NAMES[param], least, most, spans.get(param))

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        for param in self.kind.params:
            low, high = cleaned.get(f"least-{param}"), cleaned.get(f"most-{param}")
            if low is not None and high is not None and low > high:
                self.add_error(f"most-{param}", gettext("This is less than “at least”."))
        return cleaned

    def build_definition(self) -> pure.Definition:
        given = self.cleaned_data
        limits = (
            pure.Threshold(param, given[f"least-{param}"], given[f"most-{param}"])
            for param in self.kind.params
        )
        tags = given["tags"].replace("，", ",").replace("、", ",").split(",")
        return pure.Definition(
            topic=self.kind.topic,
            fact=self.kind.name,
            question=given["question"],
            thresholds=tuple(x for x in limits if (x.at_least, x.at_most) != (None, None)),
            tags=tuple(tag.strip() for tag in tags if tag.strip()),
        )


def build_limit(label: Any, labelled_by: str) -> forms.FloatField:
    return forms.FloatField(
        label=label,
        required=False,
        min_value=-LARGEST,
        max_value=LARGEST,
        widget=forms.NumberInput(
            attrs={"step": "any", "class": "form-control", "aria-labelledby": labelled_by}
        ),
    )


def read_initial(definition: pure.Definition) -> dict[str, Any]:
    """Return what the form shows for the next version of a rule."""
    limits = {
        f"{end}-{limit.param}": f"{value:g}"
        for limit in definition.thresholds
        for end, value in (("least", limit.at_least), ("most", limit.at_most))
        if value is not None
    }
    return {
        **limits,
        "question": definition.question,
        "tags": ", ".join(definition.tags),
    }
