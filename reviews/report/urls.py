from django.urls import path

from reviews.report import views

urlpatterns = [
    path("releases/<release:name>/report/", views.report, name="report"),
    path("releases/<release:name>/report/cases/", views.report_cases, name="report-cases"),
    path("releases/<release:name>/report/brief/", views.report_brief, name="report-brief"),
    path("releases/<release:name>/compare/", views.compare, name="comparison"),
    path("trend/", views.product_trend, name="trend"),
]
