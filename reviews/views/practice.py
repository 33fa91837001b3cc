"""A practice case at the real desk. Nothing of it is stored."""

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from evalsite.http import SignedInRequest
from reviews import block, desk
from reviews.forms.desk import said_in
from reviews.judgement import Judgement
from reviews.practising import compare, practice_in


def practice(request: SignedInRequest) -> HttpResponse:
    language = get_language() or "en"
    found, document = practice_in(language)
    if request.method == "POST":
        lines = compare(said_in(request.POST, document), found, document)
        return render(request, "reviews/practice_done.html", {"lines": lines})
    shown = block.render(found.case, document, language=language)
    context = {
        "code": _("Practice"),
        "desk": desk.lay(shown, document, Judgement(), language=language),
        "standing": desk.Standing(True, False, False, ""),
        "is_open": True,
        "is_practice": True,
        "saved_words": _("Nothing is stored"),
    }
    return render(request, "reviews/desk.html", context)
