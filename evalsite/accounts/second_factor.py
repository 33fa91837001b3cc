"""Switching the second step on: allauth's page, and what it means for scripts."""

from typing import Any

from allauth.mfa.totp.views import ActivateTOTPView
from django.http import HttpResponse

from evalsite.accounts import tokens


class SwitchOn(ActivateTOTPView):  # type: ignore[misc]
    def form_valid(self, form: Any) -> HttpResponse:
        """From here on a password alone gets nobody in, so neither does what it got before."""
        response: HttpResponse = super().form_valid(form)
        tokens.revoke_by_password(self.request.user)
        return response


switch_on = SwitchOn.as_view()
