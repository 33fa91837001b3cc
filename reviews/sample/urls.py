from django.urls import path

from reviews.sample import views

urlpatterns = [
    path("releases/<release:name>/draw/", views.draw, name="draw"),
    path("releases/<release:name>/draws/<int:number>/", views.draw_page, name="draw-page"),
    path("releases/<release:name>/sample/add/", views.sample_add, name="sample-add"),
    path(
        "releases/<release:name>/sample/<code:code>/swap/",
        views.sample_swap,
        name="sample-swap",
    ),
    path(
        "releases/<release:name>/sample/<code:code>/remove/",
        views.sample_remove,
        name="sample-remove",
    ),
    path(
        "releases/<release:name>/sample/<code:code>/withdraw/",
        views.sample_withdraw,
        name="sample-withdraw",
    ),
    path("releases/<release:name>/sample/extend/", views.sample_extend, name="sample-extend"),
    path("cases/<code:code>/", views.case_page, name="case"),
]
