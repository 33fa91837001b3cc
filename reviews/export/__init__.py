"""What leaves the site: tables, workbook, summary and bundle of a release. docs/exports.md

Whoever hands one to somebody asks `reviews.workflow.opening` first. Of a release that is not closed
they hold only the reviews of cases whose reviews are all in.
"""
