"""What leaves the site: tables, workbook, summary and bundle of a release. docs/exports.md

Before one is sent to somebody, `reviews.adjudication.visibility` is asked. Of a release that is not
closed they hold only the reviews of cases whose reviews are all in.
"""
