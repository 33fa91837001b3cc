from django.urls import path

from cases.rubrics import views

urlpatterns = [
    path("rubrics/", views.rubric_list, name="rubric-list"),
    path("rubrics/new/", views.rubric_new, name="rubric-new"),
    path("rubrics/<int:number>/", views.rubric_page, name="rubric"),
    path("rubrics/<int:number>/text/", views.rubric_text, name="rubric-text"),
]
