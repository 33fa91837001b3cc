from django.urls import path

from reviews.adjudication import views as adjudication_views
from reviews.assignments import views as assignments_views
from reviews.assignments import views_by_hand
from reviews.desk import views as desk_views
from reviews.export import views as export_views
from reviews.home import views as home_views
from reviews.people import views as people_views
from reviews.people import views_of_account, views_of_tokens
from reviews.questions import views as questions_views
from reviews.releases import views as releases_views
from reviews.releases import views_of_acts
from reviews.report import views as report_views
from reviews.report import views_of_comparison
from reviews.sample import views as sample_views

urlpatterns = [
    path("", home_views.home, name="home"),
    path("releases/", releases_views.release_list, name="release-list"),
    path("releases/<release:name>/", releases_views.release_page, name="release"),
    path("releases/<release:name>/events/", releases_views.event_list, name="event-list"),
    path("releases/<release:name>/start/", views_of_acts.start, name="release-start"),
    path("releases/<release:name>/close/", views_of_acts.close, name="release-close"),
    path("releases/<release:name>/abandon/", views_of_acts.abandon, name="release-abandon"),
    path("releases/<release:name>/reopen/", views_of_acts.reopen, name="release-reopen"),
    path("releases/<release:name>/waive/", views_of_acts.waive, name="waive"),
    path(
        "releases/<release:name>/waive/take-back/",
        views_of_acts.take_waiver_back,
        name="waiver-take-back",
    ),
    path("releases/<release:name>/decision/", views_of_acts.decision, name="decision"),
    path("releases/<release:name>/archive/", views_of_acts.archive, name="release-archive"),
    path("releases/<release:name>/export.csv", export_views.export_csv, name="export-csv"),
    path("releases/<release:name>/export.xlsx", export_views.export_xlsx, name="export-xlsx"),
    path("releases/<release:name>/export.json", export_views.export_json, name="export-json"),
    path("releases/<release:name>/export.zip", export_views.export_zip, name="export-zip"),
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
    path("releases/<release:name>/report/", report_views.report, name="report"),
    path("releases/<release:name>/report/cases/", report_views.report_cases, name="report-cases"),
    path("releases/<release:name>/report/brief/", report_views.report_brief, name="report-brief"),
    path("releases/<release:name>/compare/", views_of_comparison.comparison, name="comparison"),
    path("trend/", views_of_comparison.product_trend, name="trend"),
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
    path("account/", views_of_account.account, name="account"),
    path("account/absences/", views_of_account.absence_add, name="absence-add"),
    path(
        "account/absences/<int:pk>/remove/", views_of_account.absence_remove, name="absence-remove"
    ),
    path("account/tokens/new/", views_of_tokens.token_new, name="token-new"),
    path("account/tokens/<slug:key>/revoke/", views_of_tokens.token_revoke, name="token-revoke"),
    path(
        "people/<str:username>/tokens/<slug:key>/revoke/",
        views_of_tokens.person_token_revoke,
        name="person-token-revoke",
    ),
    path("invitation/<uidb64>/<token>/", views_of_account.Invitation.as_view(), name="invitation"),
    path("people/", people_views.people_list, name="people"),
    path("invite/", people_views.invite, name="person-invite"),
    path("people/<str:username>/", people_views.person, name="person"),
    path("people/<str:username>/link/", people_views.new_link, name="person-link"),
    path("people/<str:username>/deactivate/", people_views.deactivate, name="person-deactivate"),
    path("people/<str:username>/reactivate/", people_views.reactivate, name="person-reactivate"),
    path(
        "people/<str:username>/reset-second-factor/",
        people_views.reset_second_factor,
        name="person-reset-second-factor",
    ),
]
