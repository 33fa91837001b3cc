"""Each route stands in evalsite/permissions.py; what a token needs, in evalsite/api/access.py."""

from django.urls import path

from evalsite.api.endpoints import endpoint
from reviews.api import adjudications, assignments, results, review_lists, reviews, sample, status

RELEASE = "releases/<release:name>/"
OWN = "reviews/<int:pk>/"

urlpatterns = [
    path(f"{RELEASE}sample/", endpoint(get=sample.sample), name="api-sample"),
    path(f"{RELEASE}sample/draw/", endpoint(post=sample.sample_draw), name="api-sample-draw"),
    path(f"{RELEASE}sample/swap/", endpoint(post=sample.sample_swap), name="api-sample-swap"),
    path(
        f"{RELEASE}sample/withdraw/",
        endpoint(post=sample.sample_withdraw),
        name="api-sample-withdraw",
    ),
    path(f"{RELEASE}start/", endpoint(post=status.release_start), name="api-start"),
    path(f"{RELEASE}close/", endpoint(post=status.release_close), name="api-close"),
    path(f"{RELEASE}reopen/", endpoint(post=status.release_reopen), name="api-reopen"),
    path(f"{RELEASE}waive/", endpoint(post=status.release_waive), name="api-waive"),
    path(f"{RELEASE}decision/", endpoint(post=status.release_decide), name="api-decision"),
    path(
        f"{RELEASE}assignments/",
        endpoint(get=assignments.assignment_list, post=assignments.assignment_plan),
        name="api-assignments",
    ),
    path(
        f"{RELEASE}assignments/move/",
        endpoint(post=assignments.assignment_move),
        name="api-assignment-move",
    ),
    path(
        f"{RELEASE}assignments/withdraw/",
        endpoint(post=assignments.assignment_withdraw),
        name="api-assignment-withdraw",
    ),
    path(
        f"{RELEASE}adjudications/",
        endpoint(get=adjudications.adjudication_list, post=adjudications.adjudicate),
        name="api-adjudications",
    ),
    path(f"{RELEASE}summary/", endpoint(get=results.release_summary), name="api-summary"),
    path(f"{RELEASE}verdict/", endpoint(get=results.verdict), name="api-verdict"),
    path(f"{RELEASE}compare/", endpoint(get=results.compare), name="api-compare"),
    path(f"{RELEASE}export.csv", endpoint(get=results.export_csv), name="api-export-csv"),
    path(f"{RELEASE}export.xlsx", endpoint(get=results.export_xlsx), name="api-export-xlsx"),
    path(f"{RELEASE}export.zip", endpoint(get=results.export_zip), name="api-export-zip"),
    path("reviews/", endpoint(get=review_lists.review_list), name="api-reviews"),
    path("reviews/next/", endpoint(get=reviews.review_next), name="api-review-next"),
    path(OWN, endpoint(get=reviews.review_one, finder=reviews.find_own), name="api-review"),
    path(
        f"{OWN}draft/",
        endpoint(put=reviews.review_draft, finder=reviews.find_own),
        name="api-review-draft",
    ),
    path(
        f"{OWN}submit/",
        endpoint(post=reviews.review_submit, finder=reviews.find_own),
        name="api-review-submit",
    ),
    path(
        f"{OWN}decline/",
        endpoint(post=reviews.review_decline, finder=reviews.find_own),
        name="api-review-decline",
    ),
]
