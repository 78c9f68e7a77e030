"""An image filter with boundaries: a relief of an image, by weighted sums of windows of 5 x 5 pixels.

Outside of the image, the filter reads the nearest pixel. An index function is linear, so it cannot clamp an index.
There are two ways around that, and both are measured:

- the filter runs on a padded copy of the image;
- it runs on the image as it is, which gives all pixels but those near the border, and on padded copies of four narrow
  strips, which give the others. Each call writes its part of the result.
"""

import numpy
from measure import options
from mdh import *
from mdh import compiler as mdhc
from pictures import grey, write

RADIUS = 2
WIDTH = 2 * RADIUS + 1


def windows(rows: int, columns: int) -> Computation:
    """The weighted sum of the window around each pixel; the image is larger than the result by RADIUS on each side."""

    @mdh()
    def windows():
        @scalar_function()
        def weigh(out, inp):
            out["result"] = inp["image"] * inp["weights"]

        return (
            out_view[fp32](result=[lambda i, j, r, s: (i, j)]),
            md_hom[rows, columns, WIDTH, WIDTH](weigh, (cc, cc, pw(add), pw(add))),
            inp_view[fp32, fp32](image=[lambda i, j, r, s: (i + r, j + s)], weights=[lambda i, j, r, s: (r, s)]),
        )

    return windows


def relief() -> numpy.ndarray:
    """Weights of the change of light along the diagonal, from the upper left, in which near pixels count more."""
    y, x = numpy.mgrid[-RADIUS : RADIUS + 1, -RADIUS : RADIUS + 1]
    return ((x + y) * numpy.exp(-(x**2 + y**2) / 2) / 2).astype("float32")


def picture(rows: int, columns: int) -> numpy.ndarray:
    """Discs with soft edges on a background of waves; values are from 0, black, to 1, white."""
    random = numpy.random.default_rng(1)
    y, x = numpy.mgrid[:rows, :columns]
    image = 0.3 + 0.1 * numpy.sin(x * y / (20 * columns) + y / 20)
    for _ in range(24):
        cy, cx, radius, light = random.random(4) * (rows, columns, rows / 6, 0.6) + (0, 0, 5, 0.2)
        inside = 0.5 - 0.5 * numpy.tanh((numpy.hypot(y - cy, x - cx) - radius) / 2)
        image += inside * (light - image)
    return image.astype("float32")


def padded(image: numpy.ndarray, top: int, bottom: int, left: int, right: int) -> numpy.ndarray:
    """The image with copies of its border around it."""
    return numpy.pad(image, ((top, bottom), (left, right)), mode="edge")


def with_numpy(image: numpy.ndarray, weights: numpy.ndarray) -> numpy.ndarray:
    """The sum of shifted parts of a padded copy, one for each weight."""
    rows, columns = image.shape
    larger = padded(image, RADIUS, RADIUS, RADIUS, RADIUS)
    result = numpy.zeros_like(image)
    for r in range(WIDTH):
        for s in range(WIDTH):
            result += weights[r, s] * larger[r : r + rows, s : s + columns]
    return result


def main() -> None:
    chosen = options(__doc__)
    rows, columns = chosen.size((1200, 1600), (60, 80))
    image, weights = picture(rows, columns), relief()
    expected = with_numpy(image, weights)

    # The first way: a padded copy.
    everything = mdhc.compile(windows(rows, columns))
    result = numpy.empty_like(image)

    def with_copy():
        everything.run(result, padded(image, RADIUS, RADIUS, RADIUS, RADIUS), weights)

    with_copy()
    numpy.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-5)

    # The second way: the border is computed apart; a row of the result reads 2 * RADIUS + 1 rows of the image.
    inside = slice(RADIUS, -RADIUS)
    interior = mdhc.compile(windows(rows - 2 * RADIUS, columns - 2 * RADIUS))
    strip_of_rows = mdhc.compile(windows(RADIUS, columns))
    strip_of_columns = mdhc.compile(windows(rows - 2 * RADIUS, RADIUS))
    parts = numpy.empty_like(image)

    def with_strips():
        near = 2 * RADIUS
        interior.run(parts[inside, inside], image, weights)
        strip_of_rows.run(parts[:RADIUS], padded(image[:near], RADIUS, 0, RADIUS, RADIUS), weights)
        strip_of_rows.run(parts[-RADIUS:], padded(image[-near:], 0, RADIUS, RADIUS, RADIUS), weights)
        strip_of_columns.run(parts[inside, :RADIUS], padded(image[:, :near], 0, 0, RADIUS, 0), weights)
        strip_of_columns.run(parts[inside, -RADIUS:], padded(image[:, -near:], 0, 0, 0, RADIUS), weights)

    with_strips()
    numpy.testing.assert_allclose(parts, expected, rtol=1e-5, atol=1e-5)

    size = f"filter of {rows} x {columns} pixels"
    chosen.compare(f"{size}, a padded copy", with_copy, lambda: with_numpy(image, weights))
    chosen.compare(f"{size}, padded strips", with_strips, lambda: with_numpy(image, weights))
    if chosen.output:
        write(chosen.output / "image_filter_before.png", grey(image))
        write(chosen.output / "image_filter_after.png", grey(0.5 + result))


if __name__ == "__main__":
    main()
