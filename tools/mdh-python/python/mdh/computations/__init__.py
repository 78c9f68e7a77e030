"""Computations: what users write in Python, and the programs that are made of it."""
