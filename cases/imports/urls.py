from django.urls import path

from cases.imports import views

urlpatterns = [
    path("releases/<release:name>/import/", views.import_form, name="import"),
    path("releases/<release:name>/import/<int:pk>/", views.preview, name="import-preview"),
    path("releases/<release:name>/imports/<int:number>/undo/", views.undo, name="import-undo"),
]
