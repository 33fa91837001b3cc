from django.urls import path

from reviews.assignments import views
from reviews.assignments.many.views import many

urlpatterns = [
    path("releases/<release:name>/assignments/", views.assignments, name="assignments"),
    path("releases/<release:name>/assignments/plan/", views.plan, name="assignments-plan"),
    path("releases/<release:name>/assignments/many/", many, name="assignments-many"),
    path(
        "releases/<release:name>/assignments/due-date/",
        views.due_date,
        name="assignments-due-date",
    ),
    path(
        "releases/<release:name>/assignments/people/<str:username>/hand-on/",
        views.reassign,
        name="assignments-hand-on",
    ),
    path(
        "releases/<release:name>/assignments/people/<str:username>/remind/",
        views.remind,
        name="assignments-remind",
    ),
    path(
        "releases/<release:name>/assignments/<code:code>/again/",
        views.replan_case,
        name="assignment-again",
    ),
    path(
        "releases/<release:name>/assignments/<code:code>/give/",
        views.give,
        name="assignment-give",
    ),
    path(
        "releases/<release:name>/assignments/<code:code>/<str:username>/move/",
        views.move,
        name="assignment-move",
    ),
    path(
        "releases/<release:name>/assignments/<code:code>/<str:username>/give-back/",
        views.give_back,
        name="assignment-give-back",
    ),
    path(
        "releases/<release:name>/assignments/<code:code>/<str:username>/withdraw/",
        views.withdraw,
        name="assignment-withdraw",
    ),
]
