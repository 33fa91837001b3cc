"""Reviews in the admin site: who has which case, and its status. No scores are shown."""

from dataclasses import dataclass

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from evalsite.http import SignedInRequest
from reviews.admin.base import (
    NOTHING,
    ReleaseRecordAdmin,
    link_to,
    link_to_list,
    name_kind,
    prefetch_releases,
)
from reviews.admin.filters import KindOfReview, LateReviews, ReviewerFilter
from reviews.assignments import workflow as assignments_workflow
from reviews.assignments.candidates import (
    Candidate,
    describe_reasons,
    load_candidates_by_case,
)
from reviews.assignments.forms import TakerForm, WithdrawReviewForm
from reviews.assignments.preview import shorten
from reviews.errors import Refused
from reviews.models import ChecklistAnswer, Review
from reviews.models.reviews import OPEN


@admin.register(Review)
class ReviewAdmin(ReleaseRecordAdmin):
    list_display = [
        *("case", "reviewer_link", "release_link", "kind", "status", "late"),
        "submitted_at",
    ]
    list_select_related = ["case__sampled", "reviewer"]
    deferred = ("case__data", "draft", "comment", "asked")
    list_filter = ["release", "status", LateReviews, ReviewerFilter, KindOfReview]
    linked_by = ("case",)
    search_fields = ["case__case_key", "case__code", "reviewer__username"]
    search_help_text = gettext_lazy("Key or code of the case, or name of the reviewer.")
    date_hierarchy = "assigned_at"
    actions = ["move_to_another", "take_back"]
    fields = [
        *("case_link", "sampled_link", "reviewer_link", "release_link", "status", "version"),
        *("assigned_at", "saved_at", "submitted_at", "declined_for", "decline_reason"),
        "given_back",
        *("answer_list", "assignments"),
    ]
    readonly_fields = [
        *("case_link", "sampled_link", "reviewer_link", "release_link"),
        *("answer_list", "assignments"),
    ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Review]:
        return prefetch_releases(super().get_queryset(request))

    @admin.display(description=gettext_lazy("kind"), ordering="case__sampled__kind")
    def kind(self, review: Review) -> str:
        sampled = getattr(review.case, "sampled", None)
        return name_kind(review.release, sampled.kind) if sampled else ""

    @admin.display(description=gettext_lazy("late"))
    def late(self, review: Review) -> str:
        is_late = review.is_late(timezone.localdate())
        return format_html('<strong class="lacking">{}</strong>', _("late")) if is_late else ""

    @admin.display(description=gettext_lazy("sampled case"))
    def sampled_link(self, review: Review) -> str:
        sampled = getattr(review.case, "sampled", None)
        return link_to(sampled) if sampled else NOTHING

    @admin.display(description=gettext_lazy("answers"))
    def answer_list(self, review: Review) -> str:
        return link_to_list(ChecklistAnswer, _("Show the answers"), review)

    @admin.display(description=gettext_lazy("assignments"))
    def assignments(self, review: Review) -> str:
        address = reverse("assignments", args=[review.release.name])
        return format_html('<a href="{}">{}</a>', address, _("Who reviews what"))

    # --- Move -------------------------------------------------------------------------------------

    @admin.action(description=gettext_lazy("Move to another reviewer"))
    def move_to_another(
        self, request: SignedInRequest, chosen: QuerySet[Review]
    ) -> HttpResponse | None:
        """Move the chosen reviews to one person: all or none, with a reason for each refusal."""
        rows = self.read_rows(request, chosen)
        is_sent = "confirm" in request.POST
        left_out = [] if is_sent else list_closed(rows)
        going = [row for row in rows if is_sent or row.status in OPEN]
        if not going:
            self.warn_that_none_is_open(request, rows)
            return None
        people = load_takers(going)
        form = TakerForm(request.POST if is_sent else None, options=[])
        refused: list[tuple[Review, list[str]]] = []
        status = 200
        if form.is_bound:
            status = 422
            if form.is_valid():
                try:
                    self.move(request, going, form)
                except assignments_workflow.NotMoved as refusal:
                    status = 409
                    why_not = refusal.by_review
                    refused = [
                        (row, why_not[row.pk].sentences) for row in going if row.pk in why_not
                    ]
                    going = [row for row in going if row.pk not in why_not]
                else:
                    return None
        return self.show_action(
            request,
            "move",
            rows=going,
            status=status,
            title=_("Move to another reviewer"),
            form=form,
            people=people,
            left_out=left_out,
            refused=refused,
        )

    def move(self, request: SignedInRequest, going: list[Review], form: TakerForm) -> None:
        taker = form.cleaned_data["taker"]
        moved = assignments_workflow.move_many(
            reviews=[row.pk for row in going], taker=taker, user=request.user, now=timezone.now()
        )
        words = ngettext(
            "%(count)d review is moved to %(person)s.",
            "%(count)d reviews are moved to %(person)s.",
            len(moved),
        )
        sentence = words % {"count": len(moved), "person": taker.get_username()}
        self.message_user(request, sentence, messages.SUCCESS)

    # --- Take back --------------------------------------------------------------------------------

    @admin.action(description=gettext_lazy("Take back"))
    def take_back(self, request: SignedInRequest, chosen: QuerySet[Review]) -> HttpResponse | None:
        """Take the chosen reviews back, with a reason. Submitted reviews stay."""
        rows = self.read_rows(request, chosen)
        going = [row for row in rows if row.status in OPEN]
        if not going:
            self.warn_that_none_is_open(request, rows)
            return None
        form = WithdrawReviewForm(request.POST if "confirm" in request.POST else None)
        status = 200
        if form.is_bound:
            status = 422
            if form.is_valid():
                try:
                    self.withdraw(request, going, form.cleaned_data["reason"])
                except Refused as refusal:
                    status = 409
                    for sentence in refusal.sentences:
                        form.add_error(None, sentence)
                else:
                    return None
        return self.show_action(
            request,
            "take_back",
            rows=going,
            status=status,
            title=_("Take reviews back"),
            form=form,
            left_out=list_closed(rows),
        )

    def withdraw(self, request: SignedInRequest, going: list[Review], reason: str) -> None:
        count = assignments_workflow.take_back(
            reviews=[row.pk for row in going],
            reason=reason,
            user=request.user,
            now=timezone.now(),
        )
        words = ngettext(
            "%(count)d review is taken back.", "%(count)d reviews are taken back.", count
        )
        self.message_user(request, words % {"count": count}, messages.SUCCESS)

    def warn_that_none_is_open(self, request: HttpRequest, rows: list[Review]) -> None:
        if rows:
            words = _("None of the chosen reviews is open. Nothing changed.")
            self.message_user(request, words, messages.WARNING)


def list_closed(rows: list[Review]) -> list[tuple[str, list[str]]]:
    """List the rows that are no longer open, with the sentences the workflow would refuse with."""
    return [
        (
            row.case.case_key,
            assignments_workflow.build_nothing_open(row.reviewer.get_username()).sentences,
        )
        for row in rows
        if row.status not in OPEN
    ]


@dataclass(frozen=True)
class Taker:
    """A person who could get the reviews. `barred` are reasons why they cannot take some cases,
    `advice` reasons why they should not."""

    username: str
    open_reviews: int
    capacity: int | None
    barred: list[str]
    advice: list[str]


def load_takers(rows: list[Review]) -> list[Taker]:
    """List every active reviewer by name, with a fixed number of queries for each release."""
    now = timezone.now()
    releases = {row.release_id: row.release for row in rows}
    by_person: dict[str, list[tuple[str, Candidate, str]]] = {}
    for release in releases.values():
        keys = [row.case.case_key for row in rows if row.release_id == release.pk]
        for case_key, candidates in load_candidates_by_case(release, keys, now=now).items():
            for candidate in candidates:
                reasons = describe_reasons(release, candidate)
                cases = by_person.setdefault(candidate.person.username, [])
                cases.append((case_key, candidate, reasons))
    return [
        Taker(
            username,
            cases[0][1].person.open_reviews,
            cases[0][1].person.capacity,
            barred=list_reasons(cases, is_barred=True),
            advice=list_reasons(cases, is_barred=False),
        )
        for username, cases in sorted(by_person.items())
    ]


def list_reasons(cases: list[tuple[str, Candidate, str]], *, is_barred: bool) -> list[str]:
    """List each reason once, with the cases it concerns."""
    found: dict[str, list[str]] = {}
    for case_key, candidate, reasons in cases:
        if reasons and candidate.is_barred == is_barred:
            found.setdefault(reasons, []).append(case_key)
    return [
        _("%(cases)s: %(reasons)s") % {"cases": shorten(keys), "reasons": reasons}
        for reasons, keys in found.items()
    ]
