"""Pages about scoring: the rubric with its rulings, and the questions behind them."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import F
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from cases.models import Rubric
from cases.models.rubrics import RubricText
from evalsite.http import SignedInRequest
from reviews.errors import Refused
from reviews.models import Question, Review, Ruling
from reviews.questions import workflow
from reviews.questions.forms import RulingForm
from reviews.questions.queries import Subject, find_subject, group_rulings

PAGE_SIZE = 50


def scoring(request: SignedInRequest) -> HttpResponse:
    """Show the newest rubric version, or the one in the query string."""
    versions = Rubric.objects.prefetch_related("translations")
    wanted = request.GET.get("rubric", "")
    if wanted and not (wanted.isdecimal() and wanted.isascii() and len(wanted) < 10):
        raise Http404
    newest = versions.newest()
    version = get_object_or_404(versions, number=int(wanted)) if wanted else newest
    text = version.text_for(get_language()) if version else None
    rulings = Ruling.objects.of(version) if version else []
    context = {
        "version": version,
        "newest": newest,
        "text": text,
        "document": text.document if text else None,
        "metrics": group_rulings(text.document, rulings) if text else [],
        "numbers": list(Rubric.objects.order_by("-number").values_list("number", flat=True)),
    }
    return render(request, "reviews/questions/scoring.html", context)


@dataclass(frozen=True)
class QuestionRow:
    """A question with its subject in the rubric, and the language of that text."""

    question: Question
    subject: Subject
    language: str


def question_list(request: SignedInRequest) -> HttpResponse:
    """List unanswered questions, oldest first, then the answered ones, newest first."""
    questions = Question.objects.select_related("case", "release", "asked_by").defer("case__data")
    answered = questions.filter(ruling__isnull=False).select_related("ruling")
    page = Paginator(answered.order_by("-ruling__given_at", "-pk"), PAGE_SIZE).get_page(
        request.GET.get("page")
    )
    context = {
        "waiting": add_subjects(list(questions.waiting())),
        "page": page,
        "answered": add_subjects(list(page)),
    }
    return render(request, "reviews/questions/questions.html", context)


@dataclass(frozen=True)
class OwnQuestion:
    """A question for who asked it. `review` is the key of their review of the case."""

    row: QuestionRow
    review: int
    is_new: bool


def my_questions(request: SignedInRequest) -> HttpResponse:
    """List the person's own questions: answered ones first, the newest answer first."""
    now = timezone.now()
    questions = Question.objects.by(request.user).select_related("case", "release", "ruling")
    in_order = questions.order_by(F("ruling__given_at").desc(nulls_last=True), "-asked_at", "-pk")
    page = Paginator(in_order.defer("case__data"), PAGE_SIZE).get_page(request.GET.get("page"))
    rows = add_subjects(list(page))
    reviews = Review.objects.by(request.user).filter(case__in=[row.question.case for row in rows])
    keys = dict(reviews.values_list("case", "pk"))
    own = [
        OwnQuestion(row, keys[row.question.case_id], row.question.is_answer_new(now))
        for row in rows
    ]
    new = [one.row.question.pk for one in own if one.is_new]
    if new:
        workflow.note_read(questions=new, user=request.user, now=now)
    return render(request, "reviews/questions/my_questions.html", {"page": page, "own": own})


def question(request: SignedInRequest, pk: int) -> HttpResponse:
    """Show a question and let an admin answer it once."""
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
                messages.success(
                    request, _("The answer is published. Every reviewer can read it now.")
                )
                return redirect("question-list")
    [row] = add_subjects([asked])
    rulings = Ruling.objects.of(asked.release.rubric).filter(subject=asked.subject)
    context = {
        "row": row,
        "form": form,
        "ruling": getattr(asked, "ruling", None),
        "earlier": rulings.exclude(question=asked),
    }
    return render(request, "reviews/questions/question.html", context, status=status)


def add_subjects(questions: Sequence[Question]) -> list[QuestionRow]:
    """Add the subjects to questions, with two queries."""
    keys = {question.release.rubric_id for question in questions}
    versions = Rubric.objects.filter(pk__in=keys).prefetch_related("translations")
    texts: dict[int, RubricText] = {
        version.pk: version.text_for(get_language()) for version in versions
    }
    return [
        QuestionRow(
            question,
            find_subject(texts[question.release.rubric_id].document, question.subject),
            texts[question.release.rubric_id].language,
        )
        for question in questions
    ]
