"""Limit the calls of a token, counted in the cache that all processes and machines share."""

import time

from django.conf import settings
from django.core.cache import caches
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from evalsite.models import ApiToken
from evalsite.shared_cache import SharedCache

MINUTE = 60


class TokenThrottle(BaseThrottle):
    """Limits the calls of a token in each clock minute. Sessions are not limited.

    DRF's own throttles keep lists in the cache that two processes overwrite for each other."""

    def allow_request(self, request: Request, view: object) -> bool:
        token = request.auth
        if not isinstance(token, ApiToken):
            return True
        self.now = int(time.time())
        counts = caches["default"]
        assert isinstance(counts, SharedCache)
        calls: int = counts.count(f"calls:{token.token_key}:{self.now // MINUTE}", MINUTE)
        return calls <= int(settings.API_CALLS)

    def wait(self) -> float:
        return MINUTE - self.now % MINUTE
