"""Making a token for a script."""

from datetime import timedelta
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from evalsite.models import Scope
from evalsite.permissions import Role

# What a token may be used for is of use only to these.
WHO = {
    Scope.READ: frozenset(Role),
    Scope.PUSH: frozenset({Role.ADMIN}),
    Scope.RUN: frozenset({Role.ADMIN, Role.MANAGER}),
    Scope.REVIEW: frozenset({Role.REVIEWER}),
}
WHAT = {
    Scope.READ: _("read: everything that you may see"),
    Scope.PUSH: _("push cases: open a draft release and fill it, nothing else"),
    Scope.RUN: _("run a release: draw, assign, start, settle, close, decide"),
    Scope.REVIEW: _("review: save and submit your own reviews"),
}
LASTS = [("1", _("a day")), ("30", _("30 days")), ("90", _("90 days")), ("365", _("a year"))]


class TokenForm(forms.Form):
    name = forms.CharField(
        label=pgettext_lazy("of a thing", "Name"),
        max_length=80,
        help_text=_("Where it is used, so that you know it again: nightly build."),
    )
    scopes = forms.MultipleChoiceField(
        label=_("May"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Say what the token may be used for.")},
    )
    lasts = forms.ChoiceField(label=_("Lasts"), choices=LASTS, initial="90")

    def __init__(self, *args: Any, roles: frozenset[Role], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["scopes"].choices = [  # type: ignore[attr-defined]
            (one.value, WHAT[one]) for one in Scope if WHO[one] & roles
        ]

    def clean_scopes(self) -> list[Scope]:
        return [Scope(one) for one in self.cleaned_data["scopes"]]

    def clean_lasts(self) -> timedelta:
        return timedelta(days=int(self.cleaned_data["lasts"]))
