from django.urls import path

from reviews.views import account, cases, home, ledger, people, releases, sample, status

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
    path("releases/<release:name>/decision/", status.decision, name="decision"),
    path("releases/<release:name>/archive/", status.archive, name="release-archive"),
    path("releases/<release:name>/draw/", sample.draw, name="draw"),
    path("releases/<release:name>/draws/<int:number>/", sample.draw_page, name="draw-page"),
    path("releases/<release:name>/sample/add/", sample.sample_add, name="sample-add"),
    path(
        "releases/<release:name>/sample/<code:code>/swap/", sample.sample_swap, name="sample-swap"
    ),
    path(
        "releases/<release:name>/sample/<code:code>/remove/",
        sample.sample_remove,
        name="sample-remove",
    ),
    path(
        "releases/<release:name>/sample/<code:code>/withdraw/",
        sample.sample_withdraw,
        name="sample-withdraw",
    ),
    path("cases/<code:code>/", cases.case_page, name="case"),
    path("account/", account.account, name="account"),
    path("account/absences/", account.absence_add, name="absence-add"),
    path("account/absences/<int:pk>/remove/", account.absence_remove, name="absence-remove"),
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
