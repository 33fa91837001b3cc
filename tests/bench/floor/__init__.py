"""The floor: a small Django project with our middleware, sessions, hasher and server settings.

It signs people in and answers pages by one indexed SELECT and a plain template, or stores a
review by one INSERT with eight answers; and both in JSON for whoever sends a token, which it looks
up by its digest. It has no roles, no navigation, no translated texts and no forms. What it costs is
what Django, the middleware and the database cost; the rest is ours.
"""
