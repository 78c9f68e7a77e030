"""Prints the first code block of a document that contains a text: FILE LANGUAGE TEXT."""

import pathlib
import re
import sys

document, language, text = sys.argv[1:]
blocks = re.findall(rf"```{language}\n(.*?)```", pathlib.Path(document).read_text(), re.DOTALL)
print(next(block for block in blocks if text in block), end="")
