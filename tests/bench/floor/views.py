"""All routes of the floor, and its URL map."""

import json
import secrets
from hashlib import sha512
from uuid import uuid4

from django.contrib.auth import authenticate, login
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import path
from django.utils import timezone
from django.views.decorators.csrf import csrf_exempt

from tests.bench.floor.models import Answer, Item, Token


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
    stored(request.POST["title"], [request.POST[f"answer-{number}"] for number in range(1, 9)])
    return HttpResponseRedirect("/")


def stored(title: str, answers: list[str]) -> Item:
    item = Item.objects.create(
        key=uuid4().hex, title=title, number=1, made_at=timezone.now(), lines=[]
    )
    Answer.objects.bulk_create(
        Answer(item=item, question=f"question.{number}", answer=answer)
        for number, answer in enumerate(answers, 1)
    )
    return item


# --- By token -------------------------------------------------------------------------------------


def digest_of(token: str) -> str:
    return sha512(token.encode()).hexdigest()


def knows(request: HttpRequest) -> bool:
    """Whether the token is somebody's who may sign in."""
    token = request.headers.get("Authorization", "").removeprefix("Token ")
    found = Token.objects.select_related("user").filter(digest=digest_of(token)).first()
    return found is not None and found.user.is_active


@csrf_exempt
def new_token(request: HttpRequest) -> HttpResponse:
    user = authenticate(request, **json.loads(request.body))
    if user is None:
        return HttpResponse(status=401)
    token = secrets.token_hex(32)
    Token.objects.create(digest=digest_of(token), user=user)
    return JsonResponse({"token": token}, status=201)


def item_call(request: HttpRequest, key: str) -> HttpResponse:
    if not knows(request):
        return HttpResponse(status=401)
    item = get_object_or_404(Item, key=key)
    return JsonResponse({"key": item.key, "title": item.title, "lines": item.lines})


@csrf_exempt
@transaction.atomic
def submit_call(request: HttpRequest) -> HttpResponse:
    if not knows(request):
        return HttpResponse(status=401)
    said = json.loads(request.body)
    return JsonResponse({"key": stored(said["title"], said["answers"]).key}, status=201)


urlpatterns = [
    path("healthz", healthz),
    path("sign-in/", sign_in, name="account_login"),
    path("page/<str:key>/", page),
    path("list/<int:size>/", items),
    path("submit/", submit),
    path("api/v1/auth/token/", new_token),
    path("api/v1/items/", submit_call),
    path("api/v1/items/<str:key>/", item_call),
]
