"""Rubric pages."""

import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from django.conf import settings
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from cases import rubric
from cases.models import Rubric
from cases.rubrics import workflow
from cases.rubrics.editor import build_editor
from cases.rubrics.edits import Edited, edit, normal_ends, read_posted
from cases.rubrics.forms import RubricForm, StartForm
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
        "untranslated": [
            (code, name) for code, name in settings.LANGUAGES if code not in version.texts()
        ],
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


@dataclass
class EditorPage:
    request: SignedInRequest
    form: RubricForm
    edited: Edited

    def show(
        self, *, original: Rubric | None = None, status: int = 200, **more: object
    ) -> HttpResponse:
        """Show the page; to a script that asked for an edit, only what an edit changes."""
        editor = build_editor(self.edited, original.document if original else None)
        language = self.form["language"].value()
        context = {"form": self.form, "editor": editor, "original": original, "language": language}
        if original and language in original.texts():
            context["published"] = workflow.OtherTextExists(original.number, language)
        is_part = self.request.htmx and "act" in self.request.POST
        name = "cases/rubrics/_editor.html" if is_part else "cases/rubrics/rubric_new.html"
        return render(self.request, name, context | more, status=status)


def rubric_new(request: SignedInRequest) -> HttpResponse:
    """Write a document in a form or as Markdown, look at the preview and the diff, then publish.

    Nothing is kept between the steps but what the page itself holds, so nothing can get lost.
    """
    if request.method == "GET":
        return start(request)
    form = RubricForm(request.POST, request.FILES)
    is_valid = form.is_valid()
    original: Rubric | None = form.cleaned_data.get("translates")
    text = form.cleaned_data.get("text") or normal_ends(request.POST.get("text", ""))
    edited = edit(read_posted(request.POST, text), is_translation=original is not None)
    # The form is shown again with the text that was read, also when it came as a file.
    language = request.POST.get("language", "")
    initial = {"text": edited.text, "translates": original and original.number}
    page = EditorPage(request, RubricForm(initial={**initial, "language": language}), edited)
    if "act" in request.POST:
        return page.show(original=original)
    if not is_valid:
        page.form = form
        return page.show(status=422, original=original)
    return preview(page, original=original, language=language)


def start(request: SignedInRequest) -> HttpResponse:
    """Start from the newest text, from that of a version, or from the one to translate."""
    form = StartForm(request.GET)
    form.is_valid()
    version = form.cleaned_data.get("version") or Rubric.objects.newest()
    if version is None:
        return EditorPage(request, RubricForm(), Edited("")).show()
    original = version if form.cleaned_data.get("translate") else None
    language = form.cleaned_data.get("language") or version.language
    text = normal_ends(version.text_for(None if original else language).text)
    initial = {"text": text, "language": language, "translates": original and original.number}
    return EditorPage(request, RubricForm(initial=initial), Edited(text)).show(original=original)


def preview(page: EditorPage, *, original: Rubric | None, language: str) -> HttpResponse:
    """Show the document and its changes; publish it if this preview has been seen already."""
    text, newest = page.edited.text, Rubric.objects.newest()
    try:
        reading = rubric.translated(original.document, text) if original else rubric.read(text)
        digest = rubric.digest(reading.document)
        # If the text changed after the preview, show a new preview first.
        if page.request.POST.get("publish") == digest and page.edited.is_whole:
            return publish(page.request, text=text, language=language, original=original)
    except rubric.RubricError as error:
        return page.show(status=422, original=original, problems=error.problems)
    except workflow.OtherTextExists as error:
        return page.show(status=409, original=original, refusal=error)
    changes = list(diff(newest.document, reading.document)) if newest and not original else None
    return page.show(
        original=original, reading=reading, digest=digest, newest=newest, changes=changes
    )


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
