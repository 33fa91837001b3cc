"""What the site costs, measured against the least that Django can do: docs/bench.md."""

# Everybody in a scratch database signs in with what this variable holds; without it nobody does.
PASSWORD_VARIABLE = "SPOTCHECK_BENCH_PASSWORD"
