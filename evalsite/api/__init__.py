"""The parts that all API calls share. The calls themselves are in the `api.py` of each room.

viewsets        base class of the viewsets; checks query and body strictly
serializers     base class and fields that accept exactly their type
authentication  by token or by session
permissions     the permission table and the scopes of tokens
throttling      limit on calls per token and minute
parsers         read the body; limits on size and type
renderers       JSON only
filters         filters of lists with django-filter; unknown parameters are refused
pagination      cursor pagination
errors          every error as {detail, code, errors}
schema          the OpenAPI document with every status and code
docs            the pages of that document
routers         DRF's router with our route names
sign_in         a token for user name and password
"""
