"""Checks that pictures are XML without scripts and references, and that their texts are within their boxes."""

import sys
import xml.etree.ElementTree as ElementTree

NAMESPACE = "{http://www.w3.org/2000/svg}"
# Fonts of constant width have characters of at most this width at 12 pixels.
CHARACTER = 7.25


def is_inside(text, box):
    """Whether a text is within a box."""
    x, y = float(text.get("x")), float(text.get("y"))
    left, top, width, height = (float(box.get(name)) for name in ["x", "y", "width", "height"])
    return left <= x and x + len(text.text) * CHARACTER <= left + width + 0.5 and top <= y <= top + height


for path in sys.argv[1:]:
    root = ElementTree.parse(path).getroot()
    assert root.tag == NAMESPACE + "svg", root.tag
    tags = {element.tag.removeprefix(NAMESPACE) for element in root.iter()}
    assert tags == {"svg", "title", "style", "rect", "g", "text"}, tags
    assert not any("href" in name or name.startswith("on") for element in root.iter() for name in element.attrib)
    groups = list(root.iter(NAMESPACE + "g"))
    assert groups
    for group in groups:
        box = group.find(NAMESPACE + "rect")
        for text in group.findall(NAMESPACE + "text"):
            assert is_inside(text, box), (path, text.text)
