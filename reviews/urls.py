from django.urls import path

from reviews.views import account, home, people

urlpatterns = [
    path("", home.home, name="home"),
    path("account/", account.account, name="account"),
    path("account/absences/", account.absence_add, name="absence-add"),
    path("account/absences/<int:pk>/remove/", account.absence_remove, name="absence-remove"),
    path("invitation/<uidb64>/<token>/", account.Invitation.as_view(), name="invitation"),
    path("people/", people.people_list, name="people"),
    path("invite/", people.invite, name="person-invite"),
    path("people/<str:username>/", people.person, name="person"),
    path("people/<str:username>/link/", people.new_link, name="person-link"),
    path("people/<str:username>/deactivate/", people.deactivate, name="person-deactivate"),
    path("people/<str:username>/reactivate/", people.reactivate, name="person-reactivate"),
    path(
        "people/<str:username>/reset-second-factor/",
        people.reset_second_factor,
        name="person-reset-second-factor",
    ),
]
