"""Calls that cannot go on are exceptions, and what surrounds a call: forks, interrupts, and limits of memory."""

import subprocess
import sys
import textwrap
import threading

import mdh
import numpy
import pytest

QUOTIENT = """
func.func @quotient(%a: tensor<?xTYPE>, %b: tensor<?xTYPE>) -> tensor<?xTYPE> {
  %in = mdh.view.inp_view %a[affine_map<(i) -> (i)>], %b[affine_map<(i) -> (i)>]
      : (tensor<?xTYPE>, tensor<?xTYPE>) -> !mdh.mda<?, TYPE, TYPE>
  %h = mdh.hom.md_hom %in combine [#mdh.cc] {
  ^bb0(%x: TYPE, %y: TYPE):
    %q = arith.OPERATION %x, %y : TYPE
    mdh.hom.yield %q : TYPE
  } : !mdh.mda<?, TYPE, TYPE> -> !mdh.mda<?, TYPE>
  %r = mdh.view.out_view %h[affine_map<(i) -> (i)>] : !mdh.mda<?, TYPE> -> tensor<?xTYPE>
  return %r : tensor<?xTYPE>
}
"""

PRODUCT = """
func.func @product(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
"""

POINTS = """
func.func @points(%n: index) -> tensor<?x?xi64> {
  %in = mdh.view.inp_view extents(%n, %n) : () -> !mdh.mda<?x?>
  %h = mdh.hom.md_hom %in combine [#mdh.cc, #mdh.cc] {
    %i = mdh.hom.index 0 : index
    %j = arith.index_cast %i : index to i64
    mdh.hom.yield %j : i64
  } : !mdh.mda<?x?> -> !mdh.mda<?x?, i64>
  %w = mdh.view.out_view %h[affine_map<(i, j) -> (i, j)>] : !mdh.mda<?x?, i64> -> tensor<?x?xi64>
  return %w : tensor<?x?xi64>
}
"""


@pytest.mark.parametrize("operation", ["divsi", "remsi", "divui"])
@pytest.mark.parametrize("element, dtype", [("i8", "i1"), ("i16", "i2"), ("i32", "i4"), ("i64", "i8")])
def test_a_division_by_zero_is_an_error(operation, element, dtype):
    quotient = mdh.compile(QUOTIENT.replace("TYPE", element).replace("OPERATION", operation), threads=2)
    a, b = numpy.arange(100_000).astype(dtype), numpy.full(100_000, 3, dtype)
    right = quotient(a, b)
    b[[5, 77_777]] = 0
    for _ in range(3):
        with pytest.raises(mdh.ExecutionError, match=r":\d+:\d+: error: division by zero"):
            quotient(a, b)
    b[:] = 3
    assert (quotient(a, b) == right).all()


def test_the_least_integer_divided_by_minus_one_is_an_error():
    quotient = mdh.compile(QUOTIENT.replace("TYPE", "i32").replace("OPERATION", "divsi"))
    with pytest.raises(mdh.ExecutionError, match="error: signed division of -2147483648 by -1 leaves i32"):
        quotient(numpy.array([-(2**31)], "i4"), numpy.array([-1], "i4"))


def test_sizes_that_do_not_match_are_errors():
    product = mdh.compile(PRODUCT, threads=2)

    def call(a, b, c):
        return product(numpy.ones(a, "f"), numpy.ones(b, "f"), numpy.zeros(c, "f"))

    assert (call((3, 4), (4, 5), (3, 5)) == 4).all()
    for shapes in [((3, 4), (3, 5), (3, 5)), ((3, 4), (4, 5), (3, 6)), ((3, 4), (4, 5), (2, 5))]:
        with pytest.raises(mdh.ExecutionError, match="-:3:8: error: 'linalg.matmul' fails: requires the same size"):
            call(*shapes)
    assert (call((3, 4), (4, 5), (3, 5)) == 4).all()


def test_accesses_outside_of_an_array_are_errors():
    quotient = mdh.compile(QUOTIENT.replace("TYPE", "i32").replace("OPERATION", "divsi"))
    message = "argument 2 of 'quotient' has size 3 in dimension 1, but is accessed at index 3"
    with pytest.raises(mdh.ArgumentValueError, match=message):
        quotient(numpy.ones(4, "i4"), numpy.ones(3, "i4"))


def run(program, timeout=120):
    """Runs a program in a process of its own, and returns what it prints."""
    names = "QUOTIENT", "PRODUCT", "POINTS"
    head = "import mdh, numpy, sys\n" + "".join(f"{name} = {globals()[name]!r}\n" for name in names)
    command = [sys.executable, "-X", "dev", "-W", "ignore::DeprecationWarning", "-c", head + textwrap.dedent(program)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, (done.returncode, done.stdout, done.stderr)
    return done.stdout


def test_no_memory_is_an_error_and_nothing_is_lost():
    printed = run("""
        import resource
        points, product = mdh.compile(POINTS), mdh.compile(PRODUCT)
        points(3)

        def size():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[0]) * 4096

        resource.setrlimit(resource.RLIMIT_AS, (size() + (1 << 30), resource.RLIM_INFINITY))
        x, sizes = numpy.ones((4000, 4000), "f"), []
        for _ in range(20):
            try:
                points(100_000)
            except mdh.ExecutionError as error:
                assert str(error).startswith("no memory for the 8000"), error
                sizes.append(size())
        assert len(sizes) == 20 and sizes[0] == sizes[-1], sizes
        assert (points(3)[2] == 2).all()
        print("done")
    """)
    assert printed == "done\n"


def test_functions_may_be_called_after_a_fork():
    printed = run("""
        import os
        product = mdh.compile(PRODUCT, threads=2)
        x = numpy.ones((300, 300), "f")

        def is_right():
            return bool((product(x, x, numpy.zeros_like(x)) == 300).all())

        assert is_right()
        for _ in range(3):
            child = os.fork()
            if child == 0:
                os._exit(0 if is_right() and mdh.compile(POINTS)(3)[2, 1] == 2 else 1)
            assert is_right() and os.waitpid(child, 0)[1] == 0
        import multiprocessing
        with multiprocessing.get_context("fork").Pool(2) as pool:
            assert pool.apply(is_right)
        print("done")
    """)
    assert printed == "done\n"


def test_functions_may_be_compiled_after_a_fork_while_other_threads_compile():
    printed = run("""
        import os, signal, threading
        def compile(number):
            return mdh.compile(POINTS.replace("%i :", f"%i{number} :").replace("%i =", f"%i{number} ="))
        is_over = False
        def work(number):
            while not is_over:
                compile(number)
                number += 2
        os.environ["MDH_CACHE_DIR"] = ""
        threads = [threading.Thread(target=work, args=[number]) for number in (1, 2)]
        for thread in threads:
            thread.start()
        for _ in range(5):
            child = os.fork()
            if child == 0:
                signal.alarm(60)
                os._exit(0 if compile(0)(3)[2, 1] == 2 else 1)
            assert os.waitpid(child, 0)[1] == 0
        is_over = True
        for thread in threads:
            thread.join()
        print("done")
    """)
    assert printed == "done\n"


def test_a_division_by_zero_is_an_error_of_its_own_call():
    quotients = [mdh.compile(QUOTIENT.replace("TYPE", "i32").replace("OPERATION", "divsi"), threads=n) for n in (1, 2)]
    a, ones, zeros = numpy.full(20_000, 7, "i"), numpy.ones(20_000, "i"), numpy.ones(20_000, "i")
    zeros[[5, 19_999]] = 0
    failed = []

    def fail():
        for _ in range(200):
            for quotient in quotients:
                with pytest.raises(mdh.ExecutionError):
                    quotient(a, zeros)
        failed.append(True)

    thread = threading.Thread(target=fail)
    thread.start()
    while thread.is_alive():
        for quotient in quotients:
            assert (quotient(a, ones) == a).all()
    thread.join()
    assert failed


def test_an_interrupt_takes_effect_when_the_call_returns():
    printed = run("""
        import signal, threading
        # A shell starts background jobs with interrupts ignored, and Python keeps this.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        product = mdh.compile(PRODUCT, threads=1)
        x, result = numpy.ones((1500, 1500), "f"), numpy.zeros((1500, 1500), "f")
        product(x[:8], x, result[:8])
        threading.Timer(0.02, signal.raise_signal, [signal.SIGINT]).start()
        try:
            for _ in range(1000):
                product(x, x, result, out=result)
            print("no interrupt")
        except KeyboardInterrupt:
            assert result[0, 0] != 0
            print("interrupted")
    """)
    assert printed == "interrupted\n"


def test_other_divisions_are_those_of_the_process():
    """The handler of this process stays that of signals that compiled code does not cause."""
    command = "import faulthandler, mdh, os, signal; mdh.compile('func.func @f(%x: i32) -> i32 { return %x : i32 }'); "
    done = subprocess.run([sys.executable, "-c", command + "os.kill(os.getpid(), signal.SIGFPE)"], capture_output=True, timeout=60)
    assert done.returncode == -8
