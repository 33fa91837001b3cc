from django.urls import path

from reviews.releases import views, views_of_acts

urlpatterns = [
    path("releases/", views.release_list, name="release-list"),
    path("releases/<release:name>/", views.release_page, name="release"),
    path("releases/<release:name>/events/", views.event_list, name="event-list"),
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
]
