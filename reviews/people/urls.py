from django.urls import path

from reviews.people import views

urlpatterns = [
    path("language/", views.set_language, name="set-language"),
    path("account/", views.account, name="account"),
    path("account/absences/", views.absence_add, name="absence-add"),
    path("account/absences/<int:pk>/remove/", views.absence_remove, name="absence-remove"),
    path("account/tokens/new/", views.token_new, name="token-new"),
    path("account/tokens/<slug:key>/revoke/", views.token_revoke, name="token-revoke"),
    path(
        "people/<str:username>/tokens/<slug:key>/revoke/",
        views.person_token_revoke,
        name="person-token-revoke",
    ),
    path("invitation/<uidb64>/<token>/", views.Invitation.as_view(), name="invitation"),
    path("people/", views.people_list, name="people"),
    path("invite/", views.invite, name="person-invite"),
    path("people/<str:username>/", views.person, name="person"),
    path("people/<str:username>/link/", views.new_link, name="person-link"),
    path("people/<str:username>/deactivate/", views.deactivate, name="person-deactivate"),
    path("people/<str:username>/reactivate/", views.reactivate, name="person-reactivate"),
    path(
        "people/<str:username>/reset-second-factor/",
        views.reset_second_factor,
        name="person-reset-second-factor",
    ),
]
