"""Pages about scoring: the rubric with its rulings, and the questions behind them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

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
from reviews.questions.forms import RulingForm, SupersedeForm
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
    rulings = Ruling.objects.of(version).select_related("successor") if version else []
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
    answered = (
        questions.with_answers().exclude(rulings=None).order_by(F("answered_at").desc(), "-pk")
    )
    page = Paginator(answered, PAGE_SIZE).get_page(request.GET.get("page"))
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
    questions = Question.objects.by(request.user).select_related("case", "release").with_answers()
    in_order = questions.order_by(F("answered_at").desc(nulls_last=True), "-asked_at", "-pk")
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
    """Show a question with its rulings; let an admin answer it or supersede the last one."""
    questions = Question.objects.select_related("case", "release", "asked_by")
    asked = get_object_or_404(questions.defer("case__data"), pk=pk)
    form, status = None, 200
    if request.method == "POST":
        form, status = read_ruling_form(request.POST), 422
        if form.is_valid():
            try:
                workflow.answer(
                    question=asked.pk, user=request.user, now=timezone.now(), **form.cleaned_data
                )
            except Refused as refusal:
                form, status = build_refused_form(form, asked.ruling, refusal), 409
            else:
                messages.success(
                    request, _("The answer is published. Every reviewer can read it now.")
                )
                return redirect("question-list")
    given = list(asked.rulings.order_by("number"))
    ruling = given[-1] if given else None
    [row] = add_subjects([asked])
    rulings = Ruling.objects.of(asked.release.rubric).filter(subject=asked.subject)
    context = {
        "row": row,
        "form": form or build_ruling_form(ruling),
        "ruling": ruling,
        "superseded": pairwise(given),
        "elsewhere": rulings.exclude(question=asked).in_force(),
    }
    return render(request, "reviews/questions/question.html", context, status=status)


def read_ruling_form(posted: Mapping[str, Any]) -> RulingForm:
    return (SupersedeForm if "supersedes" in posted else RulingForm)(posted)


def build_ruling_form(ruling: Ruling | None) -> RulingForm:
    """Build the form for the first answer, or for one that supersedes this ruling."""
    if ruling is None:
        return RulingForm()
    return SupersedeForm(initial={"text": ruling.text, "supersedes": ruling.number})


def build_refused_form(form: RulingForm, ruling: Ruling | None, refusal: Refused) -> RulingForm:
    """Build the form again with what was typed; sent once more it supersedes this ruling."""
    posted = {name: form.data[name] for name in form.data}
    if ruling:
        posted["supersedes"] = ruling.number
    again = read_ruling_form(posted)
    for sentence in refusal.sentences:
        again.add_error(None, sentence)
    return again


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
