"""The admin site: releases, cases, the sample, reviews, pairings and answers, one module for each.

Nothing is added, changed or deleted here. The actions call the workflow, as pages and API do.
"""

from reviews.admin import answer, case, pairing, record, release, review, sampled_case

__all__ = ["answer", "case", "pairing", "record", "release", "review", "sampled_case"]
