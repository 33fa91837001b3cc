"""How often a token may call, counted in the cache that all processes and machines share."""

import time

from django.conf import settings
from django.core.cache import caches
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from evalsite.models import ApiToken
from evalsite.shared_cache import SharedCache

MINUTE = 60


class TokenThrottle(BaseThrottle):
    """So many calls in each minute of the clock. A browser's session is not counted.

    DRF's own throttles keep their counts in lists that two processes overwrite for each other."""

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
