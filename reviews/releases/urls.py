from django.urls import path

from reviews.releases import views

urlpatterns = [
    path("releases/", views.release_list, name="release-list"),
    path("releases/<release:name>/", views.release_page, name="release"),
    path("releases/<release:name>/events/", views.event_list, name="event-list"),
    path("releases/<release:name>/start/", views.start, name="release-start"),
    path("releases/<release:name>/close/", views.close, name="release-close"),
    path("releases/<release:name>/abandon/", views.abandon, name="release-abandon"),
    path("releases/<release:name>/reopen/", views.reopen, name="release-reopen"),
    path("releases/<release:name>/waive/", views.waive, name="waive"),
    path(
        "releases/<release:name>/waive/take-back/",
        views.take_waiver_back,
        name="waiver-take-back",
    ),
    path("releases/<release:name>/decision/", views.decision, name="decision"),
    path("releases/<release:name>/archive/", views.archive, name="release-archive"),
]
