from django.urls import path

from reviews.assignments import views, views_by_hand

urlpatterns = [
    path("releases/<release:name>/assignments/", views.assignments, name="assignments"),
    path("releases/<release:name>/assignments/plan/", views.plan, name="assignments-plan"),
    path(
        "releases/<release:name>/assignments/due-date/",
        views.due_date,
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
]
