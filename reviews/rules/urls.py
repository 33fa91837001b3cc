from django.urls import path

from reviews.rules import views

urlpatterns = [
    path("rules/", views.rules, name="rules"),
    path("products/<product:product>/rules/", views.rule_list, name="rule-list"),
    path("products/<product:product>/rules/new/", views.rule_new, name="rule-new"),
    path("products/<product:product>/rules/rules.json", views.rule_export, name="rule-export"),
    path("products/<product:product>/rules/<rule:key>/", views.rule_page, name="rule"),
    path("products/<product:product>/rules/<rule:key>/move/", views.rule_move, name="rule-move"),
]
