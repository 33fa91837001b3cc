import gc

from django.apps import AppConfig
from django.contrib.admin import apps as admin_apps
from django.core import checks

from evalsite import migrated


class EvalsiteConfig(AppConfig):
    name = "evalsite"

    def ready(self) -> None:
        """Collect garbage less often, and never in what is loaded by now.

        A draw makes very many small objects without cycles; a quarter of its time was spent on
        garbage collection.
        """
        checks.register(migrated.check_not_part_way, checks.Tags.database)
        gc.freeze()
        gc.set_threshold(50_000, 20, 50)


class SpotcheckAdminConfig(admin_apps.AdminConfig):
    default = False
    default_site = "evalsite.admin.SpotcheckAdminSite"
