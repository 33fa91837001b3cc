from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from cases.commands import find_product
from cases.models import Rule, RuleHit
from cases.rules.counting import count_again


class Command(BaseCommand):
    help = "Find again which cases of a product its rules hit. Safe to repeat."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("product", metavar="PRODUCT")

    def handle(self, *, product: str, **options: Any) -> None:
        rules = list(Rule.objects.of(find_product(product)).counted().in_order())
        count_again(product, rules, now=timezone.now())
        for each in rules:
            count = RuleHit.objects.filter(rule=each).count()
            self.stdout.write(f"{each} ({each.state}): hits {count} cases")
        if not rules:
            self.stdout.write(f"{product} has no rules to count.")
