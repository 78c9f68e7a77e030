"""Tuners, and the databases of what they find."""
