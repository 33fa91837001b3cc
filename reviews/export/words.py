"""What stands in a bundle for whoever opens it without knowing us."""

README = """\
SPOTCHECK BUNDLE

Everything behind the report of one release: the rubric, the pool of every draw, the cases of the
sample, every review with all its versions, what was settled, the ledger, the summary, the verdict.

To check it, with the same code or a later one, without its database:

    manage.py verify_export THIS-FILE.zip

It computes every figure of summary.json from the rows, the verdict from the summary, each draw from
its pool, and every digest. It ends with 0 if all fits; otherwise with 1, naming what does not.

Somebody who rewrites everything, the whole ledger included, can still make it fit. What they cannot
do is give it the digest of the report, or the ledger at closing, that you have on paper or in a
mail: verify_export prints both. Compare them.

Text files are UTF-8. A .jsonl file has one JSON value a line. manifest.json has the SHA-256 of
every other file. docs/exports.md of the code describes every file and column.

While manifest.json says "provisional" the release is not closed. Reviews of a case whose reviews
are not all in are listed without what they say ("is_sealed").
"""
