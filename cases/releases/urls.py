from django.urls import path

from cases.releases import views

urlpatterns = [
    path("new-release/", views.release_new, name="release-new"),
    path("releases/<release:name>/edit/", views.release_edit, name="release-edit"),
]
