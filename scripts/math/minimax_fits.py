"""The fits of the compiler's math functions, for scripts/math/minimax.py; `kind` is the type of the coefficients."""

FITS = {
    # exp(r) = 1 + r + r^2 q(r), for |r| up to ln 2 / 2
    "exp_f32": dict(text="(exp(x)-1-x)/x**2", low="-0.3468", high="0.3468", exponents=range(5), weight="x**2/exp(x)"),
    "exp_f64": dict(text="(exp(x)-1-x)/x**2", low="-0.3468", high="0.3468", exponents=range(11), weight="x**2/exp(x)", kind="f64"),
    # tanh(x) = x + x^3 q(x^2) near 0
    "tanh_f32": dict(text="(tanh(x)-x)/x**3", low="0.001", high="0.351", exponents=range(0, 8, 2), weight="x**3/tanh(x)"),
    "tanh_f64": dict(text="(tanh(x)-x)/x**3", low="0.0005", high="0.351", exponents=range(0, 20, 2), weight="x**3/tanh(x)", kind="f64"),
    # log(1+f) = f - f^2/2 + f^3 q(f), and log((1+s)/(1-s)) = 2s + s^3 q(s^2), for 1+f from sqrt(1/2) to sqrt(2)
    "log_f32": dict(text="(log1p(x)-x+x**2/2)/x**3", low="-0.2932", high="0.4143", exponents=range(8), weight="x**3/log1p(x)"),
    "log_f64": dict(text="(log((1+x)/(1-x))-2*x)/x**3", low="0.00001", high="0.1717", exponents=range(0, 14, 2), weight="x**3/log((1+x)/(1-x))", kind="f64"),
    # sin(r) = r + r^3 q(r^2) and cos(r) = 1 - r^2/2 + r^4 q(r^2), for |r| up to pi/4
    "sin_f32": dict(text="(sin(x)-x)/x**3", low="0.001", high="0.7855", exponents=range(0, 6, 2), weight="x**3/sin(x)"),
    "sin_f64": dict(text="(sin(x)-x)/x**3", low="0.001", high="0.7855", exponents=range(0, 12, 2), weight="x**3/sin(x)", kind="f64"),
    "cos_f32": dict(text="(cos(x)-1+x**2/2)/x**4", low="0.001", high="0.7855", exponents=range(0, 6, 2), weight="x**4"),
    "cos_f64": dict(text="(cos(x)-1+x**2/2)/x**4", low="0.0001", high="0.7855", exponents=range(0, 12, 2), weight="x**4", kind="f64"),
    # erf(x) = x + x q(x^2) up to 1.2, and erfc(x) = q(x)^8 beyond
    "erf_f32": dict(text="erf(x)/x-1", low="0", high="1.25", exponents=range(0, 16, 2), weight="x/erf(x)"),
    "erfc_root_f32": dict(text="erfc(x)**(mpf(1)/8)", low="1.2", high="4", exponents=range(8), weight="8*erfc(x)**(mpf(7)/8)/erf(x)"),
    # sinh(r) = r + r^3 p(r^2) and cosh(r) = 1 + r^2 q(r^2), for |r| up to ln 2 / 2
    "sinh_f32": dict(text="(sinh(x)-x)/x**3", low="0.001", high="0.3467", exponents=range(0, 6, 2), weight="x**3/sinh(x)"),
    "sinh_f64": dict(text="(sinh(x)-x)/x**3", low="0.001", high="0.3467", exponents=range(0, 12, 2), weight="x**3/sinh(x)", kind="f64"),
    "cosh_f32": dict(text="(cosh(x)-1)/x**2", low="0", high="0.3467", exponents=range(0, 6, 2), weight="x**2"),
    "cosh_f64": dict(text="(cosh(x)-1)/x**2", low="0", high="0.3467", exponents=range(0, 12, 2), weight="x**2", kind="f64"),
    # asin(x) = x + x^3 q(x^2) up to 1/2; x in the formula is the square
    "asin_f32": dict(text="(asin(sqrt(x))/sqrt(x)-1)/x", low="0", high="0.25", exponents=range(5), weight="x*sqrt(x)/asin(sqrt(x))"),
    "asin_f64": dict(text="(asin(sqrt(x))/sqrt(x)-1)/x", low="0", high="0.25", exponents=range(12), weight="x*sqrt(x)/asin(sqrt(x))", kind="f64"),
    # atan(x) = x + x^3 q(x^2) up to 1/2; x in the formula is the square
    "atan_f32": dict(text="(atan(sqrt(x))/sqrt(x)-1)/x", low="0", high="0.25", exponents=range(6), weight="x*sqrt(x)/atan(sqrt(x))"),
    "atan_f64": dict(text="(atan(sqrt(x))/sqrt(x)-1)/x", low="0", high="0.25", exponents=range(12), weight="x*sqrt(x)/atan(sqrt(x))", kind="f64"),
    # erf(x) = x + x q(x^2) up to 0.85; (1+2x) exp(x^2) erfc(x) = q((x-k)/(x+k)) with k = 2 (f32) or 3 (f64), up to
    # where erfc underflows to zero
    "erf_f64": dict(text="erf(x)/x-1", low="0", high="0.86", exponents=range(0, 24, 2), weight="x/erf(x)", kind="f64"),
    "erfc_f32": dict(text="(1+2*2*(1+x)/(1-x))*exp((2*(1+x)/(1-x))**2)*erfc(2*(1+x)/(1-x))", low="-1", high="8.3/12.3", exponents=range(10)),
    "erfc_f64": dict(text="(1+2*3*(1+x)/(1-x))*exp((3*(1+x)/(1-x))**2)*erfc(3*(1+x)/(1-x))", low="-1", high="24.3/30.3", exponents=range(23), kind="f64"),
    # log2(m) = s q(s^2), and log2(m) = 2 s / (3 ln 2) (3 + s^2 + s^4 q(s^2)), for s = (m-1)/(m+1); 2^r for |r| up to
    # 1/2
    "pow_log2_f32": dict(text="2*atanh(x)/x/log(2)", low="0", high="0.1717", exponents=range(0, 10, 2), kind="f64"),
    "pow_exp2_f32": dict(text="2**x", low="-0.5", high="0.5", exponents=range(7), fixed={0: 1}, kind="f64"),
    "pow_log2_f64": dict(text="(3*atanh(x)/x-3-x**2)/x**4", low="0.001", high="0.1717", exponents=range(0, 14, 2), weight="x**5/atanh(x)/3", kind="f64"),
}
