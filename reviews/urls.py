"""The pages and calls of `reviews`, room by room."""

from django.urls import include, path

from evalsite.api.routers import Router
from reviews.adjudication.api import AdjudicationViewSet
from reviews.assignments.api import AssignmentViewSet
from reviews.desk.api import ReviewViewSet
from reviews.escapes.api import EscapeViewSet
from reviews.pairings.api import PairingViewSet, ReleasePairingViewSet
from reviews.questions.api import QuestionViewSet
from reviews.releases.api import LifecycleViewSet
from reviews.report.api import FileViewSet, ReportViewSet
from reviews.rules.api import RuleViewSet
from reviews.sample.api import SampleViewSet

urlpatterns = [
    path("", include("reviews.home.urls")),
    path("", include("reviews.releases.urls")),
    path("", include("reviews.export.urls")),
    path("", include("reviews.sample.urls")),
    path("", include("reviews.assignments.urls")),
    path("", include("reviews.report.urls")),
    path("", include("reviews.escapes.urls")),
    path("", include("reviews.rules.urls")),
    path("", include("reviews.regressions.urls")),
    path("", include("reviews.adjudication.urls")),
    path("", include("reviews.questions.urls")),
    path("", include("reviews.desk.urls")),
    path("", include("reviews.pairings.urls")),
    path("", include("reviews.people.urls")),
]

# Each route is in evalsite/permissions.py; what a token needs, in evalsite/api/permissions.py.
api = Router()
api.register("releases", SampleViewSet, "api")
api.register("releases", LifecycleViewSet, "api")
api.register("releases", ReportViewSet, "api")
api.register("releases/<release:name>/assignments", AssignmentViewSet, "api-assignment")
api.register("releases/<release:name>/adjudications", AdjudicationViewSet, "api-adjudication")
api.register("questions", QuestionViewSet, "api-question")
api.register("reviews", ReviewViewSet, "api-review")
api.register("pairings", PairingViewSet, "api-pairing")
api.register("releases/<release:name>/pairings", ReleasePairingViewSet, "api-release-pairing")
api.register("escapes", EscapeViewSet, "api-escape")
api.register("products/<product:product>/rules", RuleViewSet, "api-rule")
files = Router(trailing_slash=False)
files.register("releases", FileViewSet, "api")
