"""An itinerary case: its format, and how it is laid out for readers. No Django here."""
