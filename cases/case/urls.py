from django.urls import path

from cases.case import views

urlpatterns = [
    path("releases/<release:name>/cases/", views.case_list, name="case-list"),
    path("cases/<code:code>/against/<code:earlier>/", views.comparison, name="case-comparison"),
]
