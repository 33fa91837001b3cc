"""What every call of the HTTP API shares; the calls themselves are in the `api.py` of each room.

viewsets        the base of every viewset: strict query, strict body
serializers     fields that take exactly what they name
authentication  a token in the header, or the session of a browser
permissions     the permission table, and what a token may be used for
throttling      how often a token may call
parsers         the body: its size, its type, its text
renderers       JSON, and nothing else
filters         filters of lists by django-filter; unknown parameters are refused
pagination      lists by cursor
errors          {detail, code, errors}, the one shape of every refusal
schema          how the OpenAPI document is written, with every status and code
docs            the document, and its page
routers         DRF's router with our names
sign_in         a token for a user name and a password
"""
