"""The sampling rule: coverage, and the draw."""
