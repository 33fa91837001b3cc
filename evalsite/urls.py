"""The URL map. Each route stands in evalsite/permissions.py too; a test compares the two."""

from allauth.account import views as account
from allauth.mfa.base import views as second_factor
from allauth.mfa.recovery_codes import views as recovery_codes
from allauth.mfa.totp import views as totp
from allauth.socialaccount import views as social
from django.conf import settings
from django.contrib import admin
from django.urls import include, path, re_path

from evalsite import views
from evalsite.accounts import second_factor as accounts_second_factor
from evalsite.accounts import single_sign_on

handler400 = views.bad_request
handler403 = views.permission_denied
handler404 = views.page_not_found
handler500 = views.server_error
handler429 = views.too_many_requests

# allauth's own urls would mount sign-up, mail and password reset as well.
signing_in = [
    path("sign-in/", account.login, name="account_login"),
    path("sign-in/second-factor/", second_factor.authenticate, name="mfa_authenticate"),
    path("sign-out/", account.logout, name="account_logout"),
    path("account/password/", account.password_change, name="account_change_password"),
    path("account/password/set/", account.password_set, name="account_set_password"),
    path("account/confirm/", account.reauthenticate, name="account_reauthenticate"),
    path("account/confirm/code/", second_factor.reauthenticate, name="mfa_reauthenticate"),
    path("account/second-factor/", second_factor.index, name="mfa_index"),
    path("account/second-factor/on/", accounts_second_factor.switch_on, name="mfa_activate_totp"),
    path("account/second-factor/off/", totp.deactivate_totp, name="mfa_deactivate_totp"),
    path(
        "account/second-factor/codes/",
        recovery_codes.view_recovery_codes,
        name="mfa_view_recovery_codes",
    ),
    path(
        "account/second-factor/codes/new/",
        recovery_codes.generate_recovery_codes,
        name="mfa_generate_recovery_codes",
    ),
    path(
        "account/second-factor/codes/file/",
        recovery_codes.download_recovery_codes,
        name="mfa_download_recovery_codes",
    ),
]
if settings.OIDC_SERVER_URL:
    signing_in += [
        # allauth wants the provider's name in the route; there is only the one.
        re_path(r"^sso/(?P<provider_id>oidc)/$", single_sign_on.login, name="openid_connect_login"),
        re_path(
            r"^sso/(?P<provider_id>oidc)/callback/$",
            single_sign_on.callback,
            name="openid_connect_callback",
        ),
        path("sso/cancelled/", social.login_cancelled, name="socialaccount_login_cancelled"),
        path("sso/error/", social.login_error, name="socialaccount_login_error"),
    ]

urlpatterns = [
    path("healthz", views.healthz, name="healthz"),
    path("readyz", views.readyz, name="readyz"),
    path("token/", views.token, name="token"),
    *signing_in,
    path("", include("cases.urls")),
    path("", include("reviews.urls")),
    path("api/", include("evalsite.api.urls")),
    path("api/v1/", include("cases.api.urls")),
    path("api/v1/", include("reviews.api.urls")),
    path("admin/", admin.site.urls),
]
