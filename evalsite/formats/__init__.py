"""Date formats, where Django's own would be ambiguous."""
