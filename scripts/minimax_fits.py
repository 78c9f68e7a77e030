"""The fits of the compiler's math functions, for scripts/minimax.py; `kind` is the type of the coefficients."""

FITS = {
    # exp(x) = 1 + x + x^2 q(x), expm1(x) = x + x^2 q(x), after the multiple of ln 2 nearest to an argument is taken off
    "expm1_f32": dict(text="expm1(x)/x", low="-0.3467", high="0.3467", exponents=range(7), fixed={0: 1}),
    "expm1_f64": dict(text="expm1(x)/x", low="-0.3467", high="0.3467", exponents=range(13), fixed={0: 1, 1: 0.5}, kind="f64"),
    # exp(r) = 1 + r + r^2 q(r), for at most half of ln 2
    "exp_f32": dict(text="(exp(x)-1-x)/x**2", low="-0.3468", high="0.3468", exponents=range(5), weight="x**2/exp(x)"),
    "exp_f64": dict(text="(exp(x)-1-x)/x**2", low="-0.3468", high="0.3468", exponents=range(11), weight="x**2/exp(x)", kind="f64"),
    # tanh(x) = x + x^3 q(x^2) near 0
    "tanh_f32": dict(text="(tanh(x)-x)/x**3", low="0.001", high="0.351", exponents=range(0, 8, 2), weight="x**3/tanh(x)"),
    "tanh_f64": dict(text="(tanh(x)-x)/x**3", low="0.0005", high="0.351", exponents=range(0, 20, 2), weight="x**3/tanh(x)", kind="f64"),
    # log(1+f) = f - f^2/2 + f^3 q(f), and log((1+s)/(1-s)) = 2s + s^3 q(s^2), for 1+f from sqrt(1/2) to sqrt(2)
    "log_f32": dict(text="(log1p(x)-x+x**2/2)/x**3", low="-0.2932", high="0.4143", exponents=range(8), weight="x**3/log1p(x)"),
    "log_f64": dict(text="(log((1+x)/(1-x))-2*x)/x**3", low="0.00001", high="0.1717", exponents=range(0, 14, 2), weight="x**3/log((1+x)/(1-x))", kind="f64"),
    # sin(r) = r + r^3 q(r^2) and cos(r) = 1 - r^2/2 + r^4 q(r^2), for at most pi/4
    "sin_f32": dict(text="(sin(x)-x)/x**3", low="0.001", high="0.7855", exponents=range(0, 6, 2), weight="x**3/sin(x)"),
    "sin_f64": dict(text="(sin(x)-x)/x**3", low="0.001", high="0.7855", exponents=range(0, 12, 2), weight="x**3/sin(x)", kind="f64"),
    "cos_f32": dict(text="(cos(x)-1+x**2/2)/x**4", low="0.001", high="0.7855", exponents=range(0, 6, 2), weight="x**4"),
    "cos_f64": dict(text="(cos(x)-1+x**2/2)/x**4", low="0.0001", high="0.7855", exponents=range(0, 12, 2), weight="x**4", kind="f64"),
    # erf(x) = x + x q(x^2) up to 1.2, and erfc(x) = q(x)^8 beyond
    "erf_f32": dict(text="erf(x)/x-1", low="0", high="1.25", exponents=range(0, 16, 2), weight="x/erf(x)"),
    "erfc_root_f32": dict(text="erfc(x)**(mpf(1)/8)", low="1.2", high="4", exponents=range(8), weight="8*erfc(x)**(mpf(7)/8)/erf(x)"),
}
