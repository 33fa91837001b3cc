"""Serializers and fields without conversion: no unknown keys, no other types.

DRF's own fields would accept "5" for 5 and 5 for "5". Messages have no subject, because the path
precedes them: "days: must be a whole number."."""

from datetime import date, datetime
from typing import Any, cast

from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _
from drf_spectacular.drainage import set_override
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.settings import api_settings


def build_messages(wrong_type: Any, **more: Any) -> Any:
    """Return the messages of a field, the same one for null and for a value of another type."""
    wrong = dict.fromkeys(("null", "invalid"), wrong_type)
    return {"required": _("is required."), **wrong, **more}


class Serializer(serializers.Serializer[Any]):
    """Base class for request bodies. Refuses unknown keys."""

    default_error_messages = build_messages(
        _("must be an object."), unknown=_("is not known here.")
    )

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, dict):
            message = self.error_messages["invalid"]
            raise ValidationError({api_settings.NON_FIELD_ERRORS_KEY: [message]})
        unknown = [name for name in data if name not in self.fields]
        refused: dict[str, Any] = {name: [self.error_messages["unknown"]] for name in unknown}
        try:
            values = super().to_internal_value(data)
        except ValidationError as error:
            refused |= cast(dict[str, Any], error.detail)
        if refused:
            raise ValidationError(refused)
        return values


class TextField(serializers.CharField):
    """A string, kept with its surrounding space. May be empty, unless `allow_blank=False`."""

    default_error_messages = build_messages(
        _("must be a text."),
        blank=_("must not be empty."),
        max_length=_("must have at most {max_length} characters."),
    )

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"allow_blank": True, "trim_whitespace": False, **options})

    def to_internal_value(self, data: Any) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        return data


class CheckedLaterField(TextField):
    """A string that a model, a form or the workflow validates, with its own messages. `limits` are
    for the OpenAPI document."""

    def __init__(self, *, limits: dict[str, Any], **options: Any) -> None:
        super().__init__(**options)
        set_override(self, "field", {"type": "string", **limits})


class WholeField(serializers.IntegerField):
    default_error_messages = build_messages(
        _("must be a whole number."),
        max_value=_("must be at most {max_value}."),
        min_value=_("must be at least {min_value}."),
    )

    def to_internal_value(self, data: Any) -> int:
        if type(data) is not int:
            self.fail("invalid")
        return data


class NumberField(serializers.FloatField):
    default_error_messages = build_messages(
        _("must be a number."),
        max_value=_("must be at most {max_value}."),
        min_value=_("must be at least {min_value}."),
    )

    def to_internal_value(self, data: Any) -> float:
        if type(data) not in (int, float):
            self.fail("invalid")
        try:
            return float(data)
        except OverflowError:
            self.fail("invalid")


class TruthField(serializers.BooleanField):
    default_error_messages = build_messages(_("must be true or false."))

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid")
        return data


class DateField(serializers.DateField):
    default_error_messages = build_messages(_("must be a date such as 2026-02-14."))

    def to_internal_value(self, value: Any) -> date:
        try:
            return date.fromisoformat(value)
        except (TypeError, ValueError):
            self.fail("invalid")


class TimeField(serializers.DateTimeField):
    default_error_messages = build_messages(_("must be a time such as 2026-02-14T09:30:00Z."))

    def to_internal_value(self, value: Any) -> datetime:
        try:
            return datetime.fromisoformat(value)
        except (TypeError, ValueError):
            self.fail("invalid")


class ChoiceField(serializers.ChoiceField):
    default_error_messages = build_messages(
        _("must be one of {values}."), invalid_choice=_("must be one of {values}.")
    )

    def __init__(self, choices: Any, **options: Any) -> None:
        super().__init__(choices, **options)
        values = ", ".join(str(choice) or "''" for choice in self.choices)
        for key in ("null", "invalid_choice"):
            self.error_messages[key] = format_lazy(self.error_messages[key], values=values)

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, str) or data not in self.choices:
            self.fail("invalid_choice")
        return data


class SwitchField(ChoiceField):
    """A query parameter that is on or off."""

    def __init__(self, **options: Any) -> None:
        super().__init__(("1", "true", "0", "false"), **options)

    def to_internal_value(self, data: Any) -> Any:
        return super().to_internal_value(data) in ("1", "true")


class ListField(serializers.ListField):
    default_error_messages = build_messages(
        _("must be a list."),
        not_a_list=_("must be a list."),
        empty=_("must not be empty."),
        max_length=_("must have at most {max_length} entries."),
    )


class DictField(serializers.DictField):
    default_error_messages = build_messages(
        _("must be an object."), not_a_dict=_("must be an object.")
    )


class StructField(serializers.Field[Any, Any, Any, Any]):
    """A part of the response that is a struct or a dataclass, which the renderer encodes."""

    def __init__(self, struct: Any, **options: Any) -> None:
        self.struct = struct
        super().__init__(**{"read_only": True, **options})

    def to_representation(self, value: Any) -> Any:
        return value
