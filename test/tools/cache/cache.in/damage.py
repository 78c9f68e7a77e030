"""Corrupts every entry of a cache: `damage.py DIR truncate|change|replace`."""

import pathlib
import sys

for entry in pathlib.Path(sys.argv[1]).iterdir():
    content = entry.read_bytes()
    match sys.argv[2]:
        case "truncate":
            entry.write_bytes(content[:100])
        case "change":
            entry.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        case "replace":
            entry.unlink()
            entry.mkdir()
