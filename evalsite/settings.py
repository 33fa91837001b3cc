"""All settings, from the environment. docs/operations.md explains each variable."""

from pathlib import Path
from urllib.parse import urlsplit

import environ
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = BASE_DIR / "var"

env = environ.Env()

# --- The site -----------------------------------------------------------------------------------

DEBUG = env.bool("DEBUG", default=False)
SECRET_KEY = env.str("SECRET_KEY", default="")
if len(SECRET_KEY) < 50:
    raise ImproperlyConfigured(
        "SECRET_KEY must be set to at least 50 random characters. "
        "`make run` makes one under var/; elsewhere set it in the environment."
    )
SECRET_KEY_FALLBACKS = env.list("SECRET_KEY_FALLBACKS", default=[])
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]"])

ROOT_URLCONF = "evalsite.urls"
WSGI_APPLICATION = "evalsite.wsgi.application"

INSTALLED_APPS = [
    "evalsite",
    "cases",
    "reviews",
    "evalsite.apps.SpotcheckAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "crispy_forms",
    "crispy_bootstrap5",
    "csp",
    "django_htmx",
    "rest_framework",
    "knox",
    "drf_spectacular",
    "drf_spectacular_sidecar",
]

# The first four set headers on every response, so they wrap all middleware that can respond.
MIDDLEWARE = [
    "evalsite.middleware.RequestLogMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "evalsite.middleware.HeadersMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "evalsite.middleware.PermissionMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "evalsite.navigation.navigation",
            ],
        },
    },
]

# --- Data -----------------------------------------------------------------------------------------

WEB_THREADS = env.int("WEB_THREADS", default=4)

DATABASES = {
    "default": env.db("DATABASE_URL", default=f"sqlite:///{VAR_DIR / 'spotcheck.sqlite3'}")
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # With Django's own defaults most saves of 50 busy reviewers fail with "database is locked".
    DATABASES["default"]["OPTIONS"] = {
        "timeout": 20,
        "transaction_mode": "IMMEDIATE",
        # Without recursive triggers, INSERT OR REPLACE would remove rows past their triggers.
        "init_command": (
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA recursive_triggers=ON;"
        ),
    }
else:
    DATABASES["default"]["OPTIONS"] = {
        # One connection per thread and two to spare. Without a database the site answers 503 after
        # `timeout` seconds. `reconnect_timeout` is short, because the pool doubles its waiting time
        # after each attempt: after 90 s without a database it came back 31 s late.
        "pool": {
            "min_size": 1,
            "max_size": WEB_THREADS + 2,
            "timeout": 5,
            "reconnect_timeout": 5,
        },
        "connect_timeout": 5,
    }
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# One in each process; none in development, where a changed template must show at once.
PROCESS_CACHE = (
    "django.core.cache.backends.dummy.DummyCache"
    if DEBUG
    else "django.core.cache.backends.locmem.LocMemCache"
)
# Limits on guessing passwords are counted here: all processes and machines must see one count.
CACHES = {
    "default": {
        "BACKEND": "evalsite.shared_cache.SharedCache",
        "LOCATION": "shared_cache",
        "OPTIONS": {"MAX_ENTRIES": 100_000},
    },
    # Summaries and pages of reports, in each process by itself: reviews/report/summary/cache.py.
    "reports": {
        "BACKEND": PROCESS_CACHE,
        "LOCATION": "reports",
        "TIMEOUT": 24 * 3600,
        "OPTIONS": {"MAX_ENTRIES": 20},
    },
    # Rendered cases: reviews/desk/fragments.py. An entry has some 50 KB.
    "desks": {
        "BACKEND": PROCESS_CACHE,
        "LOCATION": "desks",
        "TIMEOUT": None,
        "OPTIONS": {"MAX_ENTRIES": 600},
    },
}

# --- Signing in -----------------------------------------------------------------------------------

AUTHENTICATION_BACKENDS = ["django.contrib.auth.backends.ModelBackend"]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 15},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
PASSWORD_RESET_TIMEOUT = 7 * 24 * 3600  # lifetime of an invitation link

ACCOUNT_ADAPTER = "evalsite.accounts.adapters.AccountAdapter"
ACCOUNT_FORMS = {"login": "evalsite.accounts.forms.SignInForm"}
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_PRESERVE_USERNAME_CASING = False
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_LOGOUT_REDIRECT_URL = "account_login"
ACCOUNT_RATE_LIMITS = {
    "login": "30/m/ip",
    # One name from one address (evalsite/accounts/adapters.py).
    "login_failed": "5/5m/key",
    # One address with any names. Not in the limit above, which a correct second factor resets.
    "login_failed_address": "20/5m/ip",
    # One name from all addresses together.
    "login_failed_anywhere": "50/5m/key",
}
MFA_FORMS = {
    "authenticate": "evalsite.accounts.forms.SecondStepForm",
    "reauthenticate": "evalsite.accounts.forms.SecondStepAgainForm",
    "activate_totp": "evalsite.accounts.forms.SwitchOnForm",
}
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "Spotcheck"

# The number of our own proxies in front of the site: how much of X-Forwarded-For to trust.
TRUSTED_PROXIES = env.int("TRUSTED_PROXIES", default=0)
ALLAUTH_TRUSTED_PROXY_COUNT = TRUSTED_PROXIES
if TRUSTED_PROXIES:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

# One external identity provider, for invited people only: sign-up stays closed.
SOCIALACCOUNT_ADAPTER = "evalsite.accounts.adapters.SocialAccountAdapter"
SOCIALACCOUNT_OPENID_CONNECT_URL_PREFIX = ""
OIDC_SERVER_URL = env.str("OIDC_SERVER_URL", default="")
OIDC_NAME = env.str("OIDC_NAME", default="OpenID Connect")
SOCIALACCOUNT_PROVIDERS = {
    "openid_connect": {
        "OAUTH_PKCE_ENABLED": True,
        "APPS": [
            {
                "provider_id": "oidc",
                "name": OIDC_NAME,
                "client_id": env.str("OIDC_CLIENT_ID", default=""),
                "secret": env.str("OIDC_CLIENT_SECRET", default=""),
                "settings": {"server_url": OIDC_SERVER_URL},
            }
        ]
        if OIDC_SERVER_URL
        else [],
    }
}

# --- What a browser may do ------------------------------------------------------------------------

HTTPS = env.bool("HTTPS", default=False)
SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
SECURE_HSTS_PRELOAD = HTTPS
SESSION_COOKIE_SECURE = HTTPS
CSRF_COOKIE_SECURE = HTTPS
CSRF_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SECURE = HTTPS
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CSRF_FAILURE_VIEW = "evalsite.views.csrf_failure"

# A browser follows the sign-in form to the provider only if form-action allows it.
_form_targets = [SELF]
if OIDC_SERVER_URL:
    _form_targets.append("{0.scheme}://{0.netloc}".format(urlsplit(OIDC_SERVER_URL)))
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": _form_targets,
        "frame-ancestors": [NONE],
        "base-uri": [NONE],
        "manifest-src": [SELF],
    }
}

DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024
FILE_UPLOAD_TEMP_DIR = None

# --- Scripts --------------------------------------------------------------------------------------

# The defaults apply the permission table to every view.
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "evalsite.api.authentication.TokenAuthentication",
        "evalsite.api.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["evalsite.api.permissions.RoutePermission"],
    "DEFAULT_THROTTLE_CLASSES": ["evalsite.api.throttling.TokenThrottle"],
    "DEFAULT_PARSER_CLASSES": ["evalsite.api.parsers.JSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["evalsite.api.renderers.JSONRenderer"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "evalsite.api.renderers.OneRenderer",
    "DEFAULT_SCHEMA_CLASS": "evalsite.api.schema.ApiSchema",
    "EXCEPTION_HANDLER": "evalsite.api.errors.exception_handler",
    # The renderer writes dates and times.
    "DATE_FORMAT": None,
    "DATETIME_FORMAT": None,
}
KNOX_TOKEN_MODEL = "evalsite.ApiToken"  # noqa: S105
# Calls per minute and token.
API_CALLS = env.int("API_CALLS_PER_MINUTE", default=600)
SPECTACULAR_SETTINGS = {
    "TITLE": "Spotcheck",
    "VERSION": "1",
    "DESCRIPTION": "A team checks the itineraries of a release by hand. A script can do here "
    "what a person can do on the pages, under the same rules. Sentences are in the language of "
    "Accept-Language; scripts should rely on `code`.",
    "OAS_VERSION": "3.1.0",
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_PATCH": False,
    # The default hook, which names enumerations, fails on those of our structs.
    "POSTPROCESSING_HOOKS": ["drf_spectacular.hooks.postprocess_schema_enum_id_removal"],
    "SERVE_PERMISSIONS": ["evalsite.api.permissions.RoutePermission"],
    "SERVE_AUTHENTICATION": [],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}

# --- Pages ----------------------------------------------------------------------------------------

STATIC_URL = "static/"
# Files are served from their folders, so that starting needs no collectstatic; GZipMiddleware
# compresses them. Their names have no hash, so browsers cache them only for ten minutes.
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG
WHITENOISE_MAX_AGE = 0 if DEBUG else 600

CRISPY_ALLOWED_TEMPLATE_PACKS = "bootstrap5"
CRISPY_TEMPLATE_PACK = "bootstrap5"
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
# `make install` compiles locale/ into this folder (evalsite/catalogue.py).
LOCALE_PATHS = [VAR_DIR / "locale"]
USE_I18N = True
FORMAT_MODULE_PATH = ["evalsite.formats"]
USE_TZ = True
TIME_ZONE = env.str("TIME_ZONE", default="UTC")

# Days before and after the first day of Spring Festival that the tag covers.
SPRING_FESTIVAL_WINDOW = (
    env.int("SPRING_FESTIVAL_DAYS_BEFORE", default=7),
    env.int("SPRING_FESTIVAL_DAYS_AFTER", default=15),
)

# Languages of requests and plans, and that a reviewer may read.
CASE_LANGUAGES = [
    ("zh", _("Chinese")),
    ("en", _("English")),
    ("ja", _("Japanese")),
    ("ko", _("Korean")),
    ("fr", _("French")),
    ("de", _("German")),
    ("es", _("Spanish")),
]

# --- Mail -----------------------------------------------------------------------------------------

EMAIL_URL = env.str("EMAIL_URL", default="")
if EMAIL_URL:
    vars().update(env.email("EMAIL_URL"))
else:
    EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
MAIL_IS_CONFIGURED = bool(EMAIL_URL)
# The site's address, for links in mails that are sent without a request.
SITE_URL = env.str("SITE_URL", default=next(iter(CSRF_TRUSTED_ORIGINS), "")).rstrip("/")
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="spotcheck@localhost")

# --- Log: one JSON object per line on standard error ----------------------------------------------

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"json": {"()": "evalsite.logs.JsonFormatter"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "json"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        "django": {"handlers": ["stderr"], "level": "WARNING", "propagate": False},
        # spotcheck.request already logs every request, refused ones included.
        "django.request": {"handlers": ["stderr"], "level": "ERROR", "propagate": False},
        "spotcheck": {
            "handlers": ["stderr"],
            "level": env.str("LOG_LEVEL", default="INFO"),
            "propagate": False,
        },
    },
}
