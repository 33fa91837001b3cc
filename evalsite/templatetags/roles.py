from django import template
from django.contrib.auth.models import User

from evalsite.permissions import GROUP_OF, ROLE_NAMES

register = template.Library()


@register.filter
def role_names(user: User) -> list[str]:
    """Return the names of a person's roles, in the order of ROLE_NAMES. Prefetch `groups`."""
    groups = {group.name for group in user.groups.all()}
    return [str(name) for role, name in ROLE_NAMES.items() if GROUP_OF[role] in groups]
