"""Rubric pages."""

import difflib
from collections.abc import Iterator
from typing import NamedTuple

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from cases import rubric
from cases.models import Rubric
from cases.rubrics import workflow
from cases.rubrics.forms import RubricForm
from cases.rubrics.queries import find_version
from evalsite.http import SignedInRequest


def rubric_list(request: SignedInRequest) -> HttpResponse:
    versions = Rubric.objects.select_related("published_by").prefetch_related("translations")
    return render(request, "cases/rubrics/rubric_list.html", {"versions": versions})


def rubric_page(request: SignedInRequest, number: int) -> HttpResponse:
    version = find_version(number)
    text = version.text_for(request.GET.get("language") or get_language())
    context = {
        "version": version,
        "newest": Rubric.objects.newest(),
        "text": text,
        "document": text.document,
    }
    return render(request, "cases/rubrics/rubric.html", context)


def rubric_text(request: SignedInRequest, number: int) -> HttpResponse:
    """Download the document as it was written, to start the next version from it."""
    text = find_version(number).text_for(request.GET.get("language"))
    name = f"rubric-{number}-{text.language}.md"
    return HttpResponse(
        text.text,
        content_type="text/markdown; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def rubric_new(request: SignedInRequest) -> HttpResponse:
    """Paste or upload, look at the preview and the diff, then publish.

    Nothing is kept between the steps but the text in the form itself, so nothing can get lost.
    """
    newest = Rubric.objects.newest()
    if request.method == "GET":
        initial = {"text": newest.text, "language": newest.language} if newest else {}
        return form_page(request, RubricForm(initial=initial))
    form = RubricForm(request.POST, request.FILES)
    if not form.is_valid():
        return form_page(request, form, status=422)
    text, language = form.cleaned_data["text"], form.cleaned_data["language"]
    original: Rubric | None = form.cleaned_data["translates"]
    # The form is shown again with the text that was read, also when it came as a file.
    shown = RubricForm(initial=form.cleaned_data)
    try:
        reading = rubric.translated(original.document, text) if original else rubric.read(text)
        digest = rubric.digest(reading.document)
        # If the text changed after the preview, show a new preview first.
        if request.POST.get("publish") == digest:
            return publish(request, text=text, language=language, original=original)
    except rubric.RubricError as error:
        return form_page(request, shown, status=422, problems=error.problems)
    except workflow.OtherTextExists as error:
        return form_page(request, shown, status=409, refusal=error)
    changes = list(diff(newest.document, reading.document)) if newest and not original else None
    return form_page(
        request,
        shown,
        reading=reading,
        digest=digest,
        original=original,
        newest=newest,
        changes=changes,
    )


def form_page(
    request: SignedInRequest, form: RubricForm, *, status: int = 200, **more: object
) -> HttpResponse:
    return render(request, "cases/rubrics/rubric_new.html", {"form": form, **more}, status=status)


def publish(
    request: SignedInRequest, *, text: str, language: str, original: Rubric | None
) -> HttpResponse:
    now = timezone.now()
    if original:
        published = workflow.translate(
            original=original, text=text, language=language, user=request.user, now=now
        )
    else:
        published = workflow.publish(text=text, language=language, user=request.user, now=now)
    number = {"number": published.version.number}
    if published.is_new:
        messages.success(request, _("Version %(number)d is published.") % number)
    else:
        messages.info(
            request,
            _("Version %(number)d already has exactly this content; nothing changed.") % number,
        )
    return redirect(f"{published.version.get_absolute_url()}?language={published.language}")


class DiffLine(NamedTuple):
    sign: str
    text: str


def diff(before: rubric.Document, after: rubric.Document) -> Iterator[DiffLine]:
    """Compare the canonical texts line by line, with unchanged lines only around a change."""
    lines = difflib.unified_diff(
        rubric.write(before).splitlines(), rubric.write(after).splitlines(), lineterm="", n=2
    )
    for line in list(lines)[2:]:
        yield DiffLine("@" if line.startswith("@@") else line[:1], line[1:])
