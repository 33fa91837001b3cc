"""Checklist answers in the admin site, as far as the user may see them.

Users with an open review in a release do not see others' answers there. The first look at a release
that is not closed has to be confirmed and is an event, as on the pages.
"""

from typing import Any

from django.contrib import admin
from django.contrib.auth.models import User
from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from cases.models import Release
from cases.models.releases import Status
from reviews.adjudication.queries import select_own_reviews
from reviews.adjudication.visibility import has_opened, require_sight
from reviews.admin.base import BY_RELEASE, NOTHING, ReleaseRecordAdmin, link_to, link_to_person
from reviews.admin.filters import ReviewerOfAnswer
from reviews.errors import Refused
from reviews.models import ChecklistAnswer, Review
from reviews.models.reviews import ChecklistAnswerQuerySet, opened_by

LONGEST_NOTE = 80


@admin.register(ChecklistAnswer)
class ChecklistAnswerAdmin(ReleaseRecordAdmin):
    list_display = [
        *("item", "answer", "case_link", "reviewer_link", "release_link", "short_note"),
        "submitted_at",
    ]
    list_filter = ["release", "answer", ReviewerOfAnswer]
    linked_by = ("review",)
    search_fields = ["item", "review__case__case_key", "review__case__code"]
    search_help_text = gettext_lazy("Question, or key or code of the case.")
    date_hierarchy = "review__submitted_at"
    fields = [
        *("item", "question", "answer", "note", "evidence"),
        *("review_link", "case_link", "reviewer_link", "release_link"),
    ]
    readonly_fields = ["question", "review_link", "case_link", "reviewer_link", "release_link"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[ChecklistAnswer]:
        assert isinstance(request.user, User)
        rows = super().get_queryset(request)
        assert isinstance(rows, ChecklistAnswerQuerySet)
        # Prefetched, not joined: SQLite would sort the whole table to show the last hundred rows.
        reviews = Review.objects.select_related("case", "reviewer")
        reviews = reviews.defer("case__data", "draft", "comment", "asked")
        releases = Release.objects.select_related("rubric").defer("rubric__text", "rubric__data")
        return rows.visible_to(request.user).prefetch_related(
            Prefetch("review", queryset=reviews), Prefetch("release", queryset=releases)
        )

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Show the list, or why the scores of the chosen release are not shown to this user."""
        assert isinstance(request.user, User)
        release = find_filtered_release(request)
        if release is not None and not release.is_draft:
            page = self.check_look(request, request.user, release)
            if page is not None:
                return page
        withheld = Release.objects.filter(status=Status.REVIEWING, archived_at=None)
        withheld = withheld.exclude(pk__in=opened_by(request.user)).newest_first()
        context = {"withheld": withheld.only("name"), "by_release": BY_RELEASE}
        return super().changelist_view(request, context | (extra_context or {}))

    def check_look(self, request: HttpRequest, user: User, release: Release) -> HttpResponse | None:
        """Return None if scores may be shown, else the page that explains or asks to confirm."""
        refusal, status = None, 200
        try:
            require_sight(release, user)
        except Refused as refused:
            refusal, status = refused, 409
        else:
            if has_opened(release, user):
                return None
        context = {
            **self.admin_site.each_context(request),
            "title": _("Answers in %(release)s") % {"release": release.name},
            "opts": self.opts,
            "media": self.media,
            "release": release,
            "refusal": refusal,
            "own": select_own_reviews(user, release).count(),
            "next": request.get_full_path(),
        }
        template = "admin/reviews/checklistanswer/look.html"
        return TemplateResponse(request, template, context, status=status)

    @admin.display(description=gettext_lazy("case"), ordering="review__case__case_key")
    def case_link(self, answer: ChecklistAnswer) -> str:
        return link_to(answer.review.case)

    @admin.display(description=gettext_lazy("reviewer"), ordering="review__reviewer__username")
    def reviewer_link(self, answer: ChecklistAnswer) -> str:
        return link_to_person(answer.review.reviewer)

    @admin.display(description=gettext_lazy("review"))
    def review_link(self, answer: ChecklistAnswer) -> str:
        return link_to(answer.review)

    @admin.display(description=gettext_lazy("submitted at"), ordering="review__submitted_at")
    def submitted_at(self, answer: ChecklistAnswer) -> object:
        return answer.review.submitted_at

    @admin.display(description=gettext_lazy("note"))
    def short_note(self, answer: ChecklistAnswer) -> str:
        note = answer.note
        short = note if len(note) <= LONGEST_NOTE else note[: LONGEST_NOTE - 1] + "…"
        return short or NOTHING

    @admin.display(description=gettext_lazy("text of the question"))
    def question(self, answer: ChecklistAnswer) -> str:
        text = answer.release.rubric.text_for(get_language())
        texts = {question.key: question.text for question in text.document.questions}
        return texts.get(answer.item, NOTHING)


def find_filtered_release(request: HttpRequest) -> Release | None:
    """Find the release that the list is filtered by."""
    key = request.GET.get(BY_RELEASE, "")
    is_key = key.isdecimal() and len(key) <= 18
    return Release.objects.filter(pk=key).first() if is_key else None
