"""allauth's forms with our labels."""

import unicodedata
from typing import Any

from allauth.account.forms import LoginForm
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from allauth.mfa.totp.forms import ActivateTOTPForm
from django import forms
from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy as _


class SignInForm(LoginForm):  # type: ignore[misc]
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["login"].label = _("User name")
        self.fields["password"].help_text = ""
        self.fields["login"].widget.attrs |= {
            "autofocus": True,
            "autocapitalize": "none",
            "spellcheck": "false",
        }

    def clean_login(self) -> str:
        """Find the name in any spelling: `createsuperuser` stores names as typed."""
        login = normalize_username(super().clean_login())
        spelled = User.objects.filter(username__iexact=login).values_list("username", flat=True)
        return spelled.first() or login


def normalize_username(typed: str) -> str:
    """Return one spelling for names that look alike: "Ｒｉｔａ" and "rita" are the same person."""
    return unicodedata.normalize("NFKC", typed).lower()


class CodeForm(forms.Form):
    """Base of the three forms that ask for a code."""

    code = forms.CharField(
        label=_("Code"),
        widget=forms.TextInput(attrs={"autocomplete": "one-time-code", "autofocus": True}),
    )


class SecondStepForm(CodeForm, AuthenticateForm):  # type: ignore[misc]
    pass


class SecondStepAgainForm(CodeForm, ReauthenticateForm):  # type: ignore[misc]
    pass


class SwitchOnForm(CodeForm, ActivateTOTPForm):  # type: ignore[misc]
    pass
