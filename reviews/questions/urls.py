from django.urls import path

from reviews.questions import views

urlpatterns = [
    path("reviews/questions/", views.my_questions, name="my-questions"),
    path("questions/", views.question_list, name="question-list"),
    path("questions/<int:pk>/", views.question, name="question"),
    path("scoring/", views.scoring, name="scoring"),
]
