from django.urls import path

from reviews.adjudication import views

urlpatterns = [
    path(
        "releases/<release:name>/adjudications/",
        views.adjudication_list,
        name="adjudication-list",
    ),
    path(
        "releases/<release:name>/adjudications/look/",
        views.scores_open,
        name="scores-open",
    ),
    path(
        "releases/<release:name>/adjudications/<code:code>/",
        views.adjudication,
        name="adjudication",
    ),
    path("flags/<int:pk>/", views.flag, name="flag"),
]
