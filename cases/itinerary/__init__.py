"""An itinerary case: the format, and the facts that a reader wants. No Django here."""
