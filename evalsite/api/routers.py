"""DRF's router with our route names: `api-releases` (list), `api-release` (one), `api-release-x`
(action). Paths use Django's converters."""

from rest_framework.routers import DynamicRoute, Route, SimpleRouter


class Router(SimpleRouter):
    routes = [
        Route(
            url="{prefix}{trailing_slash}",
            mapping={"get": "list", "post": "create"},
            name="{basename}s",
            detail=False,
            initkwargs={},
        ),
        DynamicRoute(
            url="{prefix}/{url_path}{trailing_slash}",
            name="{basename}-{url_name}",
            detail=False,
            initkwargs={},
        ),
        Route(
            url="{prefix}/{lookup}{trailing_slash}",
            mapping={"get": "retrieve", "patch": "partial_update"},
            name="{basename}",
            detail=True,
            initkwargs={},
        ),
        DynamicRoute(
            url="{prefix}/{lookup}/{url_path}{trailing_slash}",
            name="{basename}-{url_name}",
            detail=True,
            initkwargs={},
        ),
    ]

    def __init__(self, *, trailing_slash: bool = True) -> None:
        super().__init__(trailing_slash=trailing_slash, use_regex_path=False)

    def is_already_registered(self, new_basename: str) -> bool:
        """Return False: viewsets of several rooms share the basename `api`, with different actions.
        A test compares all names with the permission table."""
        return False
