"""Sampled cases in the admin site, with the action that assigns many at once."""

from typing import Any

from django.contrib import admin, messages
from django.db.models import F, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from evalsite.http import SignedInRequest
from reviews.admin.base import (
    ReleaseRecordAdmin,
    link_to,
    link_to_list,
    name_kind,
    prefetch_releases,
)
from reviews.admin.filters import (
    HAVE_IT,
    KindFilter,
    LateCases,
    ReviewerOfCase,
    ReviewersMissingFilter,
    WithdrawnFilter,
)
from reviews.admin.release import count_rows
from reviews.assignments import workflow as assignments_workflow
from reviews.assignments.forms import PlanForm
from reviews.assignments.inputs import active_reviewers
from reviews.assignments.plan import Plan
from reviews.assignments.preview import build_preview, describe_outcome
from reviews.assignments.reasons import join_names
from reviews.errors import Refused, WrongStatus
from reviews.models import Review, SampledCase
from reviews.sample.amendments import build_not_in_sample


@admin.register(SampledCase)
class SampledCaseAdmin(ReleaseRecordAdmin):
    list_display = [
        *("case", "release_link", "kind_text", "origin", "is_outside", "reviewers", "submitted"),
        "withdrawn_at",
    ]
    list_select_related = ["case"]
    deferred = ("case__data",)
    list_filter = [
        *("release", WithdrawnFilter, ReviewersMissingFilter, LateCases, KindFilter),
        *(ReviewerOfCase, "origin", "is_outside"),
    ]
    linked_by = ("case",)
    search_fields = ["case__case_key", "case__code"]
    search_help_text = gettext_lazy("Key or code of the case.")
    date_hierarchy = "added_at"
    ordering = ["-release", F("place").asc(nulls_last=True), "pk"]
    actions = ["assign_to_reviewers"]
    fields = [
        *("case_link", "release_link", "kind_text", "origin", "is_outside", "place", "reason"),
        *("added_at", "withdrawn_at", "cause", "withdrawal_reason", "people"),
    ]
    readonly_fields = ["case_link", "release_link", "kind_text", "people"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[SampledCase]:
        reviews = Review.objects.filter(case=OuterRef("case"))
        rows: QuerySet[SampledCase] = prefetch_releases(super().get_queryset(request))
        return rows.annotate(
            reviewers=count_rows(reviews.filter(status__in=HAVE_IT), "case"),
            submitted=count_rows(reviews.submitted(), "case"),
        )

    @admin.display(description=gettext_lazy("kind"), ordering="kind")
    def kind_text(self, sampled: SampledCase) -> str:
        return name_kind(sampled.release, sampled.kind)

    @admin.display(description=gettext_lazy("reviewers"), ordering="reviewers")
    def reviewers(self, sampled: Any) -> str:
        words = _("%(count)d of %(all)d") % {
            "count": sampled.reviewers,
            "all": sampled.release.reviews_per_case,
        }
        return link_to_list(Review, words, sampled.case)

    @admin.display(description=gettext_lazy("submitted"), ordering="submitted")
    def submitted(self, sampled: Any) -> int:
        count: int = sampled.submitted
        return count

    @admin.display(description=gettext_lazy("reviews"))
    def people(self, sampled: SampledCase) -> str:
        reviews = Review.objects.filter(case=sampled.case_id).select_related("reviewer")
        rows = reviews.defer("draft", "comment", "asked").order_by("reviewer__username")
        for review in rows:
            review.case = sampled.case
        words = ((link_to(review), review.get_status_display()) for review in rows)
        return format_html("<ul>{}</ul>", format_html_join("", "<li>{}: {}</li>", words))

    @admin.action(description=gettext_lazy("Assign to reviewers"))
    def assign_to_reviewers(
        self, request: SignedInRequest, chosen: QuerySet[SampledCase]
    ) -> HttpResponse | None:
        """Show the plan for the chosen cases, or assign the plan that was shown."""
        rows = self.read_rows(request, chosen)
        releases = {row.release_id: row.release for row in rows}
        if len(releases) > 1:
            names = join_names(sorted(release.name for release in releases.values()))
            words = _("The chosen cases belong to %(releases)s. Choose cases of one release.")
            self.message_user(request, words % {"releases": names}, messages.WARNING)
        if len(releases) != 1:
            return None
        [release] = releases.values()
        standing = [row for row in rows if row.withdrawn_at is None]
        is_sent = "look" in request.POST or "confirm" in request.POST
        form = PlanForm(request.POST if is_sent else {})
        wishes: dict[str, Any] = {
            "release": release,
            "usernames": request.POST.getlist("reviewers") if is_sent else names_of_reviewers(),
            "only": [row.case.case_key for row in standing],
            "now": timezone.now(),
        }
        plan: Plan | None = None
        refusal: Refused | None = None
        if form.is_valid():
            wishes["per_case"] = form.cleaned_data["per_case"]
            try:
                if "confirm" in request.POST:
                    self.assign(request, wishes)
                    return None
                plan = assignments_workflow.preview_plan(**wishes)
            except assignments_workflow.PlanChanged as changed:
                refusal, plan = changed, assignments_workflow.preview_plan(**wishes)
                if not plan.assignments:
                    # Sent twice, or another admin was quicker: there is nothing left to assign.
                    self.tell(request, plan)
                    return None
            except Refused as refused:
                refusal = refused
        return self.show_action(
            request,
            "assign",
            rows=[] if isinstance(refusal, WrongStatus) else standing,
            status=409 if refusal else 200 if plan else 422,
            title=_("Assign to reviewers"),
            release=release,
            refusal=refusal,
            left_out=[
                (row.case.case_key, build_not_in_sample(row.case.case_key).sentences)
                for row in rows
                if row.withdrawn_at is not None
            ],
            form=form,
            usernames=wishes["usernames"],
            per_case=form["per_case"].value() or release.reviews_per_case,
            is_planned=plan is not None,
            preview=build_preview(release, plan or Plan((), (), (), ()), now=wishes["now"]),
        )

    def assign(self, request: SignedInRequest, wishes: dict[str, Any]) -> None:
        """What was looked at, and nothing else."""
        seen = request.POST.get("seen", "")
        self.tell(
            request, assignments_workflow.assign_by_plan(seen=seen, user=request.user, **wishes)
        )

    def tell(self, request: HttpRequest, done: Plan) -> None:
        successes, gaps = describe_outcome(done)
        for sentence in successes:
            self.message_user(request, sentence, messages.SUCCESS)
        for sentence in gaps:
            self.message_user(request, sentence, messages.WARNING)


def names_of_reviewers() -> list[str]:
    return list(active_reviewers().values_list("username", flat=True))
