"""The words that detectors look for, one module for each topic: data and patterns, no rules."""
