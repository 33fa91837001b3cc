"""API calls for releases: admins open and change them, managers read them."""

from http import HTTPStatus
from typing import Any

from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from cases.models import Release, Rubric
from cases.models.releases import MOST_REVIEWS_PER_CASE, RELEASE_NAME, Status
from cases.releases import policy, workflow
from cases.releases.queries import find_release
from cases.releases.serializers import ReleaseSerializer
from evalsite.api.errors import Invalid
from evalsite.api.filters import LONGEST, FilterBackend, FilterSet
from evalsite.api.pagination import CursorPagination
from evalsite.api.schema import refuses
from evalsite.api.serializers import (
    CheckedLaterField,
    ChoiceField,
    DateField,
    DictField,
    ListField,
    NumberField,
    Serializer,
    TextField,
    TimeField,
    TruthField,
    WholeField,
)
from evalsite.api.viewsets import Call, ViewSet


class ReleaseFilterSet(FilterSet):
    status = filters.ChoiceFilter(choices=Status.choices, help_text="Only releases in this status.")
    product = filters.CharFilter(max_length=LONGEST, help_text="Only releases of this product.")


class AcceptField(ListField):
    """The results of the automated checks with which a case can be sampled, in any order."""

    child = ChoiceField(policy.PASSED_OR_WARNED)
    default_error_messages = {"accept": _('must be ["pass"] or ["pass", "warn"].')}

    def to_internal_value(self, data: Any) -> list[policy.Result]:
        try:
            return policy.order_accept(super().to_internal_value(data))
        except ValueError:
            self.fail("accept")


class LooksField(ListField):
    """The sizes of the sample at each planned look at the scores, rising."""

    child = WholeField(min_value=1, max_value=policy.LARGEST_LOOK)
    default_error_messages = {"looks": _("must be rising whole numbers, such as [5, 8, 12].")}

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_empty=False, max_length=policy.MOST_LOOKS, **options)

    def to_internal_value(self, data: Any) -> list[int]:
        looks: list[int] = super().to_internal_value(data)
        try:
            policy.check_looks(looks)
        except ValueError:
            self.fail("looks")
        return looks


class PriorSerializer(Serializer):
    sd = NumberField()
    degrees = WholeField()
    releases = ListField(child=TextField())


class PolicySerializer(Serializer):
    """The limits of the verdict; what is left out has its default.

    `rules` and `prior` are added by the start. They may be sent unchanged, so that an answer can be
    sent back.
    """

    floors = DictField(child=NumberField(), required=False)
    margin = NumberField(min_value=0, max_value=100, required=False)
    within_one = NumberField(min_value=0, max_value=1, required=False)
    accept = AcceptField(required=False)
    looks = LooksField(required=False)
    regression = ChoiceField(policy.REGRESSIONS, required=False)
    regression_by = ChoiceField(policy.REGRESSIONS_BY, required=False)
    reason = TextField(
        max_length=policy.LONGEST_REASON,
        required=False,
        help_text="Required for a floor at the lowest value, a margin from 5 on, or 0 within one.",
    )
    rules = WholeField(required=False)
    prior = PriorSerializer(required=False)


NAME = {"pattern": f"^{RELEASE_NAME}$", "minLength": 1, "maxLength": 80}
PRODUCT = {"maxLength": 200}


class NewReleaseSerializer(Serializer):
    """`rubric` left out: the newest version."""

    name = CheckedLaterField(limits=NAME)
    product = CheckedLaterField(limits=PRODUCT, default="")
    rubric = WholeField(allow_null=True, default=None)
    reviews_per_case = WholeField(min_value=1, max_value=MOST_REVIEWS_PER_CASE, default=2)
    baseline = TextField(allow_null=True, default=None)
    due_date = DateField(allow_null=True, default=None)
    policy = PolicySerializer(allow_null=True, default=None)


class ReleaseChangeSerializer(Serializer):
    """Only fields in the body change. `name`, `status`, `created_at` and `is_archived` may be sent
    unchanged, so that an answer can be sent back."""

    name = TextField(required=False)
    status = TextField(required=False)
    created_at = TimeField(required=False)
    is_archived = TruthField(required=False)
    product = CheckedLaterField(limits=PRODUCT, required=False)
    rubric = WholeField(required=False)
    reviews_per_case = WholeField(min_value=1, max_value=MOST_REVIEWS_PER_CASE, required=False)
    baseline = TextField(allow_null=True, required=False)
    due_date = DateField(allow_null=True, required=False)
    policy = PolicySerializer(required=False)


class ReleaseViewSet(ViewSet):
    queryset = Release.objects.select_related("rubric", "baseline")
    serializer_class = ReleaseSerializer
    filter_backends = [FilterBackend]
    filterset_class = ReleaseFilterSet
    pagination_class = CursorPagination
    ordering = ("-created_at", "-id")
    lookup_field = "name"
    lookup_value_converter = "release"

    @extend_schema(operation_id="release_list")
    def list(self, request: Call) -> Response:
        """Releases, the newest first."""
        return self.answer_with_page(self.filter_queryset(self.get_queryset()), ReleaseSerializer)

    @extend_schema(
        operation_id="release_open",
        request=NewReleaseSerializer,
        responses={200: ReleaseSerializer, 201: ReleaseSerializer},
    )
    @refuses(Invalid, workflow.NameTaken)
    def create(self, request: Call) -> Response:
        """Open a release as a draft.

        The same body again answers 200 and opens nothing; another body under the same name is a
        conflict.
        """
        body = self.read_body(NewReleaseSerializer)
        limits = body["policy"]
        values = {
            **body,
            "rubric": find_rubric(body["rubric"]),
            "baseline": find_baseline(body["baseline"]),
            "policy": {} if limits is None else policy.to_data(read_policy(limits, {})),
        }
        release, is_new = workflow.create_once(user=request.user, now=timezone.now(), **values)
        status = HTTPStatus.CREATED if is_new else HTTPStatus.OK
        return Response(ReleaseSerializer(release).data, status=status)

    @extend_schema(operation_id="release_one")
    def retrieve(self, request: Call, name: str) -> Response:
        """One release."""
        return Response(ReleaseSerializer(find_release(name)).data)

    @extend_schema(
        operation_id="release_change", request=ReleaseChangeSerializer, responses=ReleaseSerializer
    )
    @refuses(Invalid, workflow.ReleaseFrozen)
    def partial_update(self, request: Call, name: str) -> Response:
        """Change a release.

        In a draft everything but the name can change: the name is part of the ledger and of the
        draw. Later only the due date can change, and in a closed release nothing. A name or a
        status may be sent if it is the present one.
        """
        release = find_release(name)
        body = self.read_body(ReleaseChangeSerializer)
        require_same(release, body)
        changed = workflow.change(
            release=release, user=request.user, now=timezone.now(), **read_changes(release, body)
        )
        return Response(ReleaseSerializer(changed).data)


# In every answer, but no call changes these.
FIXED = ("name", "status", "created_at", "is_archived")


def require_same(release: Release, body: dict[str, Any]) -> None:
    """Refuse changes of fixed fields. Raises ValidationError with every one that would change."""
    present = ReleaseSerializer(release).data
    problems = {
        name: gettext("This cannot be changed here.")
        for name in FIXED
        if name in body and body[name] != present[name]
    }
    if "name" in problems:
        sentence = gettext("The name is part of the ledger and of the draw, so it cannot change.")
        problems["name"] = sentence
    if problems:
        raise ValidationError(problems)


def read_changes(release: Release, body: dict[str, Any]) -> dict[str, Any]:
    values = {name: value for name, value in body.items() if name not in FIXED}
    if "rubric" in values:
        values["rubric"] = find_rubric(values["rubric"])
    if "baseline" in values:
        values["baseline"] = find_baseline(values["baseline"])
    if "policy" in values:
        # A release in review has its policy spelled out, with the same meaning.
        limits = read_policy(values["policy"], release.policy)
        is_same = limits == policy.from_data(release.policy)
        values["policy"] = release.policy if is_same else policy.to_data(limits)
    return values


def read_policy(given: dict[str, Any], present: dict[str, Any]) -> policy.Policy:
    """Read a policy. Raise ValidationError for a change of what only the start sets."""
    for name in policy.FROZEN:
        if name in given and given[name] != present.get(name):
            sentence = gettext("“%(name)s” is set by the start of the review. Leave it out.")
            raise ValidationError({"policy": sentence % {"name": name}})
    return policy.Policy(**{name: given[name] for name in given if name not in policy.FROZEN})


def find_rubric(number: int | None) -> Rubric | None:
    """Find the baseline by name. Raises ValidationError if there is no such release."""
    if number is None:
        return None
    found = Rubric.objects.filter(number=number).first()
    if found is None:
        raise ValidationError({"rubric": gettext("There is no such version.")})
    return found


def find_baseline(name: str | None) -> Release | None:
    if name is None:
        return None
    found = workflow.find(name)
    if found is None:
        raise ValidationError({"baseline": gettext("There is no such release.")})
    return found
