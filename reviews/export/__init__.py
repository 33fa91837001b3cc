"""Files of a release: tables, workbook, summary and bundle. See docs/exports.md."""
