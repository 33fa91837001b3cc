"""What every call of the HTTP API shares; the calls themselves are in cases/api and reviews/api.

endpoints       a view of one address from plain functions, with what the schema tells of each
authentication  a token in the header, or the session of a browser
access          the permission table, and what a token may be used for
bodies          what was sent: its size, its type, its shape
queries         what the address asks for, by an allow-list
paging          lists by cursor
rendering       JSON, and nothing else
errors          {detail, code, errors}, the one shape of every refusal
refusals        what the schema tells of them: every code of every call
throttling      how often a token may ask
schema          shapes -> OpenAPI
"""
