from django import template
from django.contrib.auth.models import User

from evalsite.permissions import GROUP_OF, ROLE_NAMES

register = template.Library()


@register.filter
def role_names(user: User) -> list[str]:
    """A person's roles in words, in the order of the table. Prefetch `groups`."""
    groups = {group.name for group in user.groups.all()}
    return [str(name) for role, name in ROLE_NAMES.items() if GROUP_OF[role] in groups]
