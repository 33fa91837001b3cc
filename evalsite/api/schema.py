"""Shapes -> OpenAPI: what is decoded and encoded is what is described."""

from typing import Any

import msgspec
from drf_spectacular.authentication import SessionScheme
from drf_spectacular.drainage import set_override
from drf_spectacular.extensions import OpenApiAuthenticationExtension, OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import ResolvedComponent

from evalsite.api.refusals import REF


class Shapes(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    target_class: Any = "msgspec.Struct"
    match_subclasses = True
    # Before the names of parts, where those of two documents would meet.
    prefix = ""

    def get_name(self, auto_schema: AutoSchema, direction: str) -> str:
        # A part of one shape may be the whole of another; both are made from the same class.
        set_override(self.target, "suppress_collision_warning", True)
        return name_of(self.target)

    def map_serializer(self, auto_schema: AutoSchema, direction: str) -> dict[str, Any]:
        ref = REF.replace("{name}", self.prefix + "{name}")
        [whole], parts = msgspec.json.schema_components([self.target], ref_template=ref)
        own = whole["$ref"].rpartition("/")[2].removeprefix(self.prefix)
        for name, schema in parts.items():
            if name != own:
                name = self.prefix + name
                component = ResolvedComponent(  # type: ignore[no-untyped-call]
                    name=name, type=ResolvedComponent.SCHEMA, object=name, schema=schema
                )
                auto_schema.registry.register_on_missing(component)
        found: dict[str, Any] = parts[own]
        return found


class SummaryShape(Shapes):  # type: ignore[no-untyped-call]
    target_class = "reviews.report.summary.document.Summary"
    prefix = "Summary"


class ComparisonShape(Shapes):  # type: ignore[no-untyped-call]
    target_class = "reviews.report.summary.changes.Comparison"
    prefix = "Comparison"


def name_of(shape: Any) -> str:
    """As msgspec names it where others refer to it."""
    [whole], _parts = msgspec.json.schema_components([shape], ref_template=REF)
    name: str = whole["$ref"].rpartition("/")[2]
    return name


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "evalsite.api.authentication.ByToken"
    name = "token"
    priority = 1

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, str]:
        return {
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": "`Token ` and a token that was made on the account page.",
        }


class BrowserScheme(SessionScheme):  # type: ignore[no-untyped-call]
    target_class = "evalsite.api.authentication.BySession"
    name = "session"
    priority = 1
