from django.urls import path

from cases.tags import views

urlpatterns = [
    path("releases/<release:name>/cases/tags/", views.tag_cases, name="case-tags"),
    path("releases/<release:name>/cases/exclude/", views.exclude_cases, name="case-exclude"),
]
