"""How often a token may ask, counted in the cache that all processes and machines share."""

import time
from http import HTTPStatus

from django.conf import settings
from django.core.cache import caches
from django.utils.translation import gettext
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from evalsite.api.errors import ApiError
from evalsite.models import ApiToken
from evalsite.shared_cache import SharedCache

MINUTE = 60


class PerToken(BaseThrottle):
    """So many calls in each minute of the clock. A browser's session is not counted."""

    def allow_request(self, request: Request, view: object) -> bool:
        token = request.auth
        if not isinstance(token, ApiToken):
            return True
        now = int(time.time())
        counts = caches["default"]
        assert isinstance(counts, SharedCache)
        if counts.count(f"calls:{token.token_key}:{now // MINUTE}", MINUTE) > settings.API_CALLS:
            raise ApiError(
                HTTPStatus.TOO_MANY_REQUESTS,
                "too_many_calls",
                gettext("A token may make %(most)d calls a minute. Wait, then try again.")
                % {"most": settings.API_CALLS},
                headers={"Retry-After": str(MINUTE - now % MINUTE)},
            )
        return True
