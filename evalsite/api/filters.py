"""Filters of lists. Unknown parameters are refused, not ignored."""

from typing import Any

from django.core.validators import MaxLengthValidator
from django.db.models import QuerySet
from django.utils.translation import gettext
from django_filters import rest_framework as filters
from rest_framework.request import Request

from evalsite.api.errors import BadParameter
from evalsite.errors import Problem

LONGEST = 200


class FilterSet(filters.FilterSet):  # type: ignore[misc]
    """Filters by every parameter that is given, even an empty one."""

    def is_valid(self) -> bool:
        for name, field in self.form.fields.items():
            set_messages(field)
            choices = dict(self.filters[name].extra.get("choices", {"": ""}))
            field.required = name in self.data and "" not in choices
        is_valid: bool = super().is_valid()
        return is_valid

    def filter_queryset(self, queryset: QuerySet[Any]) -> QuerySet[Any]:
        given = {
            self.filters[name].field_name: value
            for name, value in self.form.cleaned_data.items()
            if name in self.data
        }
        return queryset.filter(**given)


def set_messages(field: Any) -> None:
    """Replace the messages of a form field by those of our serializers, which have no subject."""
    if hasattr(field, "choices"):
        values = ", ".join(str(value) for value, _label in field.choices if value)
        message = gettext("must be one of {values}.").format(values=values)
        field.error_messages |= {"required": message, "invalid_choice": message}
    for validator in field.validators:
        if isinstance(validator, MaxLengthValidator):
            message = gettext("must have at most {max_length} characters.")
            validator.message = message.format(max_length=validator.limit_value)


class FilterBackend(filters.DjangoFilterBackend):  # type: ignore[misc]
    """django-filter, but a wrong value raises BadParameter."""

    def get_filterset_kwargs(self, request: Request, queryset: Any, view: Any) -> dict[str, Any]:
        return {
            **super().get_filterset_kwargs(request, queryset, view),
            **view.filterset_kwargs(),
        }

    def filter_queryset(self, request: Request, queryset: QuerySet[Any], view: Any) -> Any:
        if view.filterset_class.base_filters.keys().isdisjoint(request.query_params):
            return queryset  # building the form would take as long as the list
        filterset = self.get_filterset(request, queryset, view)
        if not filterset.is_valid():
            raise BadParameter(
                *(
                    Problem(name, str(sentence))
                    for name, sentences in filterset.errors.items()
                    for sentence in sentences
                )
            )
        return filterset.qs


def refuse_unknown(request: Request, known: set[str]) -> None:
    """Raise BadParameter for all parameters that are unknown or given twice."""
    problems = []
    for name, values in request.query_params.lists():
        if name not in known:
            problems.append(Problem(name[:LONGEST], gettext("is not known here.")))
        elif len(values) > 1:
            problems.append(Problem(name, gettext("may be given only once.")))
    if problems:
        raise BadParameter(*problems)
