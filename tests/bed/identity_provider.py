"""A small OpenID Connect provider on loopback. Whoever `person` describes signs in at once."""

import base64
import hashlib
import json
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from time import time
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT_ID = "spotcheck"
CLIENT_SECRET = "known to both sides of the tests"
KEY_ID = "the-only-key"
KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)


class IdentityProvider:
    """Tests set what it says of a person, and what goes wrong."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.url = f"{origin}/team"  # a provider need not live at the root of its host
        self.person: dict[str, Any] = {}
        self.token_claims: dict[str, Any] = {}  # over those of the id_token
        self.person_declines = False
        self.broken: set[str] = set()  # paths that answer with 500
        self._asked: dict[str, dict[str, str]] = {}  # code -> what the browser asked with
        self._granted: set[str] = set()  # access tokens

    def reset(self) -> None:
        self.__init__(self.origin)  # type: ignore[misc]

    def configuration(self) -> dict[str, Any]:
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "userinfo_endpoint": f"{self.url}/userinfo",
            "jwks_uri": f"{self.url}/keys",
            "token_endpoint_auth_methods_supported": ["client_secret_post"],
        }

    def keys(self) -> dict[str, Any]:
        key = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(KEY.public_key()))
        return {"keys": [key | {"kid": KEY_ID, "use": "sig", "alg": "RS256"}]}

    def authorize(self, asked: dict[str, str]) -> str:
        """Where the browser goes next."""
        assert asked["client_id"] == CLIENT_ID
        assert asked["response_type"] == "code"
        assert {"openid", "email"} <= set(asked["scope"].split())
        assert asked["code_challenge_method"] == "S256"
        if self.person_declines:
            answer = {"error": "access_denied", "state": asked["state"]}
        else:
            code = secrets.token_urlsafe()
            self._asked[code] = asked
            answer = {"code": code, "state": asked["state"]}
        return f"{asked['redirect_uri']}?{urlencode(answer)}"

    def token(self, form: dict[str, str]) -> dict[str, Any]:
        assert (form["client_id"], form["client_secret"]) == (CLIENT_ID, CLIENT_SECRET)
        asked = self._asked.pop(form["code"])
        assert asked["redirect_uri"] == form["redirect_uri"]
        digest = hashlib.sha256(form["code_verifier"].encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        assert asked["code_challenge"] == challenge
        access_token = secrets.token_urlsafe()
        self._granted.add(access_token)
        now = int(time())
        claims = {"iss": self.url, "aud": CLIENT_ID, "iat": now, "exp": now + 300}
        claims |= {"sub": self.person["sub"]} | self.token_claims
        signed = jwt.encode(claims, KEY, algorithm="RS256", headers={"kid": KEY_ID})
        return {"access_token": access_token, "token_type": "Bearer", "id_token": signed}

    def userinfo(self, authorization: str) -> dict[str, Any]:
        assert authorization.removeprefix("Bearer ") in self._granted
        return self.person


@contextmanager
def identity_provider() -> Iterator[IdentityProvider]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        provider = IdentityProvider(f"http://127.0.0.1:{server.server_port}")
        server.provider = provider  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield provider
        finally:
            server.shutdown()
            thread.join()


class Handler(BaseHTTPRequestHandler):
    @property
    def provider(self) -> IdentityProvider:
        found: IdentityProvider = self.server.provider  # type: ignore[attr-defined]
        return found

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        match address.path.removeprefix("/team"):
            case path if path in self.provider.broken:
                self.answer(500, {"error": "server_error"})
            case "/.well-known/openid-configuration":
                self.answer(200, self.provider.configuration())
            case "/authorize":
                target = self.provider.authorize(dict(parse_qsl(address.query)))
                self.answer(302, {}, {"Location": target})
            case "/keys":
                self.answer(200, self.provider.keys())
            case "/userinfo":
                self.answer(200, self.provider.userinfo(self.headers["Authorization"]))
            case _:
                self.answer(404, {})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if "/token" in self.provider.broken:
            self.answer(500, {"error": "server_error"})
        else:
            self.answer(200, self.provider.token(dict(parse_qsl(body))))

    def answer(
        self, status: int, body: dict[str, Any], headers: dict[str, str] | None = None
    ) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""
