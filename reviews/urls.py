from django.urls import path

from reviews.adjudication import views as adjudication_views
from reviews.assignments import views as assignments_views
from reviews.assignments import views_by_hand
from reviews.desk import views as desk_views
from reviews.questions import views as questions_views
from reviews.sample import views as sample_views
from reviews.views import (
    account,
    comparing,
    exports,
    home,
    ledger,
    people,
    releases,
    report,
    status,
    tokens,
)

urlpatterns = [
    path("", home.home, name="home"),
    path("releases/", releases.release_list, name="release-list"),
    path("releases/<release:name>/", releases.release_page, name="release"),
    path("releases/<release:name>/events/", ledger.event_list, name="event-list"),
    path("releases/<release:name>/start/", status.start, name="release-start"),
    path("releases/<release:name>/close/", status.close, name="release-close"),
    path("releases/<release:name>/abandon/", status.abandon, name="release-abandon"),
    path("releases/<release:name>/reopen/", status.reopen, name="release-reopen"),
    path("releases/<release:name>/waive/", status.waive, name="waive"),
    path(
        "releases/<release:name>/waive/take-back/",
        status.take_waiver_back,
        name="waiver-take-back",
    ),
    path("releases/<release:name>/decision/", status.decision, name="decision"),
    path("releases/<release:name>/archive/", status.archive, name="release-archive"),
    path("releases/<release:name>/export.csv", exports.export_csv, name="export-csv"),
    path("releases/<release:name>/export.xlsx", exports.export_xlsx, name="export-xlsx"),
    path("releases/<release:name>/export.json", exports.export_json, name="export-json"),
    path("releases/<release:name>/export.zip", exports.export_zip, name="export-zip"),
    path("releases/<release:name>/draw/", sample_views.draw, name="draw"),
    path("releases/<release:name>/draws/<int:number>/", sample_views.draw_page, name="draw-page"),
    path("releases/<release:name>/sample/add/", sample_views.sample_add, name="sample-add"),
    path(
        "releases/<release:name>/sample/<code:code>/swap/",
        sample_views.sample_swap,
        name="sample-swap",
    ),
    path(
        "releases/<release:name>/sample/<code:code>/remove/",
        sample_views.sample_remove,
        name="sample-remove",
    ),
    path(
        "releases/<release:name>/sample/<code:code>/withdraw/",
        sample_views.sample_withdraw,
        name="sample-withdraw",
    ),
    path("releases/<release:name>/assignments/", assignments_views.assignments, name="assignments"),
    path(
        "releases/<release:name>/assignments/plan/", assignments_views.plan, name="assignments-plan"
    ),
    path(
        "releases/<release:name>/assignments/due-date/",
        assignments_views.due_date,
        name="assignments-due-date",
    ),
    path(
        "releases/<release:name>/assignments/people/<str:username>/hand-on/",
        views_by_hand.hand_on,
        name="assignments-hand-on",
    ),
    path(
        "releases/<release:name>/assignments/<code:code>/again/",
        views_by_hand.again,
        name="assignment-again",
    ),
    path(
        "releases/<release:name>/assignments/<code:code>/give/",
        views_by_hand.give,
        name="assignment-give",
    ),
    path(
        "releases/<release:name>/assignments/<code:code>/<str:username>/move/",
        views_by_hand.move,
        name="assignment-move",
    ),
    path(
        "releases/<release:name>/assignments/<code:code>/<str:username>/withdraw/",
        views_by_hand.withdraw,
        name="assignment-withdraw",
    ),
    path("releases/<release:name>/report/", report.report, name="report"),
    path("releases/<release:name>/report/cases/", report.report_cases, name="report-cases"),
    path("releases/<release:name>/report/brief/", report.report_brief, name="report-brief"),
    path("releases/<release:name>/compare/", comparing.comparison, name="comparison"),
    path("trend/", comparing.product_trend, name="trend"),
    path("take-back/", views_by_hand.take_back, name="take-back"),
    path("cases/<code:code>/", sample_views.case_page, name="case"),
    path(
        "releases/<release:name>/adjudications/",
        adjudication_views.adjudication_list,
        name="adjudication-list",
    ),
    path(
        "releases/<release:name>/adjudications/look/",
        adjudication_views.scores_open,
        name="scores-open",
    ),
    path(
        "releases/<release:name>/adjudications/<code:code>/",
        adjudication_views.adjudication,
        name="adjudication",
    ),
    path("flags/<int:pk>/", adjudication_views.flag, name="flag"),
    path("questions/", questions_views.question_list, name="question-list"),
    path("questions/<int:pk>/", questions_views.question, name="question"),
    path("scoring/", questions_views.scoring, name="scoring"),
    path("mirror/", desk_views.mirror, name="mirror"),
    path("reviews/", desk_views.my_reviews, name="my-reviews"),
    path("reviews/next/", desk_views.next_review, name="review-next"),
    path("reviews/<int:pk>/", desk_views.review, name="review"),
    path("reviews/<int:pk>/draft/", desk_views.draft, name="review-draft"),
    path("reviews/<int:pk>/submit/", desk_views.submit, name="review-submit"),
    path("reviews/<int:pk>/discard/", desk_views.discard, name="review-discard"),
    path("reviews/<int:pk>/decline/", desk_views.decline, name="review-decline"),
    path("reviews/<int:pk>/ask/", desk_views.ask, name="review-ask"),
    path("practice/", desk_views.practice, name="practice"),
    path("account/", account.account, name="account"),
    path("account/absences/", account.absence_add, name="absence-add"),
    path("account/absences/<int:pk>/remove/", account.absence_remove, name="absence-remove"),
    path("account/tokens/new/", tokens.token_new, name="token-new"),
    path("account/tokens/<slug:key>/revoke/", tokens.token_revoke, name="token-revoke"),
    path(
        "people/<str:username>/tokens/<slug:key>/revoke/",
        tokens.person_token_revoke,
        name="person-token-revoke",
    ),
    path("invitation/<uidb64>/<token>/", account.Invitation.as_view(), name="invitation"),
    path("people/", people.people_list, name="people"),
    path("invite/", people.invite, name="person-invite"),
    path("people/<str:username>/", people.person, name="person"),
    path("people/<str:username>/link/", people.new_link, name="person-link"),
    path("people/<str:username>/deactivate/", people.deactivate, name="person-deactivate"),
    path("people/<str:username>/reactivate/", people.reactivate, name="person-reactivate"),
    path(
        "people/<str:username>/reset-second-factor/",
        people.reset_second_factor,
        name="person-reset-second-factor",
    ),
]
