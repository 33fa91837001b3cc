"""How often releases of known quality earn which word: `python -m tests.bench.verdicts`."""
