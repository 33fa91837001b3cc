"""All routes of the floor, and its URL map."""

from uuid import uuid4

from django.contrib.auth import authenticate, login
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import path
from django.utils import timezone

from evalsite.bench.floor.models import Answer, Item


def healthz(_request: HttpRequest) -> HttpResponse:
    return JsonResponse({"status": "ok"})


def sign_in(request: HttpRequest) -> HttpResponse:
    user = authenticate(request, username=request.POST["login"], password=request.POST["password"])
    if user is None:
        return HttpResponse(status=403)
    login(request, user)
    return HttpResponseRedirect("/")


@login_required
def page(request: HttpRequest, key: str) -> HttpResponse:
    return render(request, "floor/page.html", {"item": get_object_or_404(Item, key=key)})


@login_required
def items(request: HttpRequest, size: int) -> HttpResponse:
    return render(request, "floor/list.html", {"items": Item.objects.order_by("key")[:size]})


@login_required
@transaction.atomic
def submit(request: HttpRequest) -> HttpResponse:
    item = Item.objects.create(
        key=uuid4().hex, title=request.POST["title"], number=1, made_at=timezone.now(), lines=[]
    )
    Answer.objects.bulk_create(
        Answer(item=item, question=f"question.{number}", answer=request.POST[f"answer-{number}"])
        for number in range(1, 9)
    )
    return HttpResponseRedirect("/")


urlpatterns = [
    path("healthz", healthz),
    path("sign-in/", sign_in, name="account_login"),
    path("page/<str:key>/", page),
    path("list/<int:size>/", items),
    path("submit/", submit),
]
