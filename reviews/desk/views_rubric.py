"""The desk as a preview for admins who write a rubric."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from cases.rubric import detect_language
from cases.rubric.merging import read_document
from cases.rubrics.edits import edit, normal_ends, read_posted
from evalsite.http import SignedInRequest
from reviews.desk import page
from reviews.desk.fragments import render_case
from reviews.desk.judgement import Judgement
from reviews.desk.practice import load_practice


def rubric_desk(request: SignedInRequest) -> HttpResponse:
    """Show the desk for a rubric that is still being written, as far as it can be read."""
    edited = edit(read_posted(request.POST, normal_ends(request.POST.get("text", ""))))
    document = read_document(edited.text)
    if not document.metrics:
        return render(request, "reviews/desk/no_desk.html", status=422)
    practice_case, _document = load_practice(get_language() or "en")
    case_html = render_case(practice_case.case, document, language=get_language())
    language = detect_language(edited.text)
    context = {
        "code": _("Preview"),
        "desk": page.build_desk(case_html, document, Judgement(), language=language),
        "state": page.ReviewState(True, False, False, ""),
        "is_open": True,
        "is_preview": True,
        "saved": _("Nothing is stored"),
    }
    return render(request, "reviews/desk/desk.html", context)
