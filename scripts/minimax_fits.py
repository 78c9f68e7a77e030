"""The fits of the compiler's math functions, for scripts/minimax.py; `kind` is the type of the coefficients."""

FITS = {
    # exp(x) = 1 + x + x^2 q(x), expm1(x) = x + x^2 q(x), after the multiple of ln 2 nearest to an argument is taken off
    "expm1_f32": dict(text="expm1(x)/x", low="-0.3467", high="0.3467", exponents=range(7), fixed={0: 1}),
    "expm1_f64": dict(text="expm1(x)/x", low="-0.3467", high="0.3467", exponents=range(13), fixed={0: 1, 1: 0.5}, kind="f64"),
}
