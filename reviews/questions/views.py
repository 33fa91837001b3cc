"""How we score: the rubric with its rulings, and the questions from which they come."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from cases.models import Rubric
from cases.models.rubrics import RubricText
from evalsite.http import SignedInRequest
from reviews.models import Question, Ruling
from reviews.questions import workflow
from reviews.questions.forms import RulingForm
from reviews.questions.queries import Subject, ruled, subject_in
from reviews.workflow.refusals import Refused

PAGE_SIZE = 50


def scoring(request: SignedInRequest) -> HttpResponse:
    """The newest version, or the one that the address asks for."""
    versions = Rubric.objects.prefetch_related("translations")
    asked = request.GET.get("rubric", "")
    if asked and not (asked.isdecimal() and asked.isascii() and len(asked) < 10):
        raise Http404
    newest = versions.newest()
    version = get_object_or_404(versions, number=int(asked)) if asked else newest
    text = version.text_for(get_language()) if version else None
    context = {
        "version": version,
        "newest": newest,
        "text": text,
        "document": text.document if text else None,
        "metrics": ruled(text.document, Ruling.objects.of(version)) if text and version else [],
        "numbers": list(Rubric.objects.order_by("-number").values_list("number", flat=True)),
    }
    return render(request, "reviews/questions/scoring.html", context)


@dataclass(frozen=True)
class AskedQuestion:
    """A question with what it is about, in the words of the rubric."""

    question: Question
    subject: Subject
    language: str


def question_list(request: SignedInRequest) -> HttpResponse:
    """Those that wait first, the oldest on top; then the answered ones, the newest on top."""
    questions = Question.objects.select_related("case", "release", "asked_by").defer("case__data")
    answered = questions.filter(ruling__isnull=False).select_related("ruling")
    page = Paginator(answered.order_by("-ruling__given_at", "-pk"), PAGE_SIZE).get_page(
        request.GET.get("page")
    )
    context = {
        "waiting": with_subjects(list(questions.waiting())),
        "page": page,
        "answered": with_subjects(list(page)),
    }
    return render(request, "reviews/questions/questions.html", context)


def question(request: SignedInRequest, pk: int) -> HttpResponse:
    """Answered once, for everybody."""
    questions = Question.objects.select_related("case", "release", "asked_by", "ruling")
    asked = get_object_or_404(questions.defer("case__data"), pk=pk)
    form = RulingForm(request.POST if request.method == "POST" else None)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                workflow.answer(
                    question=asked.pk,
                    text=form.cleaned_data["text"],
                    user=request.user,
                    now=timezone.now(),
                )
            except Refused as refusal:
                status = 409
                for sentence in refusal.sentences:
                    form.add_error(None, sentence)
            else:
                messages.success(request, _("Answered. Every reviewer can read it now."))
                return redirect("question-list")
    [one] = with_subjects([asked])
    rulings = Ruling.objects.of(asked.release.rubric).filter(subject=asked.subject)
    context = {
        "asked": one,
        "form": form,
        "ruling": getattr(asked, "ruling", None),
        "earlier": rulings.exclude(question=asked),
    }
    return render(request, "reviews/questions/question.html", context, status=status)


def with_subjects(questions: Sequence[Question]) -> list[AskedQuestion]:
    """Two queries, however many questions there are."""
    keys = {one.release.rubric_id for one in questions}
    versions = Rubric.objects.filter(pk__in=keys).prefetch_related("translations")
    texts: dict[int, RubricText] = {one.pk: one.text_for(get_language()) for one in versions}
    return [
        AskedQuestion(
            one,
            subject_in(texts[one.release.rubric_id].document, one.subject),
            texts[one.release.rubric_id].language,
        )
        for one in questions
    ]
