from django.urls import path, register_converter

from cases.case import views as case_views
from cases.imports import views as imports_views
from cases.models.cases import CODE_LENGTH, CODE_LETTERS
from cases.models.releases import RELEASE_NAME
from cases.releases import views as releases_views
from cases.rubrics import views as rubrics_views
from cases.tags import views as tags_views


class ReleaseNameConverter:
    regex = RELEASE_NAME
    to_python = to_url = staticmethod(str)


class CodeConverter:
    regex = f"[{CODE_LETTERS}]{{{CODE_LENGTH}}}"
    to_python = to_url = staticmethod(str)


register_converter(ReleaseNameConverter, "release")
register_converter(CodeConverter, "code")

urlpatterns = [
    path("rubrics/", rubrics_views.rubric_list, name="rubric-list"),
    path("rubrics/new/", rubrics_views.rubric_new, name="rubric-new"),
    path("rubrics/<int:number>/", rubrics_views.rubric_page, name="rubric"),
    path("rubrics/<int:number>/text/", rubrics_views.rubric_text, name="rubric-text"),
    path("new-release/", releases_views.release_new, name="release-new"),
    path("releases/<release:name>/edit/", releases_views.release_edit, name="release-edit"),
    path("releases/<release:name>/import/", imports_views.import_form, name="import"),
    path("releases/<release:name>/import/<int:pk>/", imports_views.preview, name="import-preview"),
    path(
        "releases/<release:name>/imports/<int:number>/undo/", imports_views.undo, name="import-undo"
    ),
    path("releases/<release:name>/cases/", case_views.case_list, name="case-list"),
    path("releases/<release:name>/cases/tags/", tags_views.tag_cases, name="case-tags"),
    path("releases/<release:name>/cases/exclude/", tags_views.exclude_cases, name="case-exclude"),
    path(
        "cases/<code:code>/against/<code:earlier>/", case_views.comparison, name="case-comparison"
    ),
]
