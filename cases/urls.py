from django.urls import path, register_converter

from cases.models.cases import CODE_LENGTH, CODE_LETTERS
from cases.models.releases import RELEASE_NAME
from cases.views import cases, imports, releases, rubrics, tags


class ReleaseNameConverter:
    regex = RELEASE_NAME
    to_python = to_url = staticmethod(str)


class CodeConverter:
    regex = f"[{CODE_LETTERS}]{{{CODE_LENGTH}}}"
    to_python = to_url = staticmethod(str)


register_converter(ReleaseNameConverter, "release")
register_converter(CodeConverter, "code")

urlpatterns = [
    path("rubrics/", rubrics.rubric_list, name="rubric-list"),
    path("rubrics/new/", rubrics.rubric_new, name="rubric-new"),
    path("rubrics/<int:number>/", rubrics.rubric_page, name="rubric"),
    path("rubrics/<int:number>/text/", rubrics.rubric_text, name="rubric-text"),
    path("new-release/", releases.release_new, name="release-new"),
    path("releases/<release:name>/edit/", releases.release_edit, name="release-edit"),
    path("releases/<release:name>/import/", imports.import_form, name="import"),
    path("releases/<release:name>/import/<int:pk>/", imports.preview, name="import-preview"),
    path("releases/<release:name>/imports/<int:number>/undo/", imports.undo, name="import-undo"),
    path("releases/<release:name>/cases/", cases.case_list, name="case-list"),
    path("releases/<release:name>/cases/tags/", tags.tag_cases, name="case-tags"),
    path("releases/<release:name>/cases/exclude/", tags.exclude_cases, name="case-exclude"),
    path("cases/<code:code>/against/<code:earlier>/", cases.comparison, name="case-comparison"),
]
