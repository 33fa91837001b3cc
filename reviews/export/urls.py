from django.urls import path

from reviews.export import views

urlpatterns = [
    path("releases/<release:name>/export.csv", views.export_csv, name="export-csv"),
    path("releases/<release:name>/export.xlsx", views.export_xlsx, name="export-xlsx"),
    path("releases/<release:name>/export.json", views.export_json, name="export-json"),
    path("releases/<release:name>/export.tool", views.export_tool, name="export-tool"),
    path("releases/<release:name>/export.zip", views.export_zip, name="export-zip"),
]
