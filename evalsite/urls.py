"""The URL map. Each route also has a row in evalsite/permissions.py; a test compares the two."""

from allauth.account import views as account
from allauth.mfa.base import views as second_factor
from allauth.mfa.recovery_codes import views as recovery_codes
from allauth.mfa.totp import views as totp
from allauth.socialaccount import views as social
from django.conf import settings
from django.contrib import admin
from django.urls import include, path, re_path

from cases import urls as cases_urls
from evalsite import views
from evalsite.accounts import views as account_views
from reviews import urls as reviews_urls

handler400 = views.bad_request
handler403 = views.permission_denied
handler404 = views.page_not_found
handler500 = views.server_error
handler429 = views.too_many_requests

# allauth's own URLs would include sign-up, e-mail and password reset as well.
account_urls = [
    path("sign-in/", account.login, name="account_login"),
    path("sign-in/second-factor/", second_factor.authenticate, name="mfa_authenticate"),
    path("sign-out/", account.logout, name="account_logout"),
    path("account/password/", account.password_change, name="account_change_password"),
    path("account/password/set/", account.password_set, name="account_set_password"),
    path("account/confirm/", account.reauthenticate, name="account_reauthenticate"),
    path("account/confirm/code/", second_factor.reauthenticate, name="mfa_reauthenticate"),
    path("account/second-factor/", second_factor.index, name="mfa_index"),
    path(
        "account/second-factor/on/", account_views.activate_second_factor, name="mfa_activate_totp"
    ),
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
    account_urls += [
        # allauth needs the provider's name in the route; we have only one provider.
        re_path(
            r"^sso/(?P<provider_id>oidc)/$", account_views.sso_login, name="openid_connect_login"
        ),
        re_path(
            r"^sso/(?P<provider_id>oidc)/callback/$",
            account_views.sso_callback,
            name="openid_connect_callback",
        ),
        path("sso/cancelled/", social.login_cancelled, name="socialaccount_login_cancelled"),
        path("sso/error/", social.login_error, name="socialaccount_login_error"),
    ]

urlpatterns = [
    path("healthz", views.healthz, name="healthz"),
    path("readyz", views.readyz, name="readyz"),
    path("token/", views.token, name="token"),
    *account_urls,
    path("", include("cases.urls")),
    path("", include("reviews.urls")),
    path("api/", include("evalsite.api.urls")),
    path("api/v1/", include(cases_urls.api.urls)),
    path("api/v1/", include(reviews_urls.api.urls)),
    path("api/v1/", include(reviews_urls.files.urls)),
    path("admin/", admin.site.urls),
]
