// RUN: mdh-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{C40: requires the symbol of a function, but there is no @f}}
mdh.lowlevel.schedule @f {
^bb0(%i: !mdh.loop):
}

// -----

mdh.lowlevel.system @f memory [MM: global] cores []
// expected-error @below {{C40: requires the symbol of a func.func, but @f is mdh.lowlevel.system}}
mdh.lowlevel.schedule @f {
^bb0(%i: !mdh.loop):
}

// -----

func.func private @f()
// expected-error @below {{C40: requires the symbol of an mdh.lowlevel.system, but it is func.func}}
mdh.lowlevel.schedule @f on @f {
^bb0(%i: !mdh.loop):
}

// -----

func.func private @f()
// expected-error @below {{C40: requires an argument of type '!mdh.loop' for each dimension, but the block has none}}
mdh.lowlevel.schedule @f {
}

// -----

func.func private @f()
// expected-error @below {{C40: requires arguments of type '!mdh.loop', but one has type 'index'}}
mdh.lowlevel.schedule @f {
^bb0(%i: !mdh.loop, %k: index):
}

// -----

func.func private @f()
// expected-error @below {{C40: requires the number of a computation, counted from 1, but it is 0}}
mdh.lowlevel.schedule @f computation 0 {
^bb0(%i: !mdh.loop):
}

// -----

func.func private @f()
mdh.lowlevel.schedule @f {
^bb0(%i: !mdh.loop):
  // expected-error @below {{C40: requires a command of a schedule}}
  %c = arith.constant 1 : index
}

// -----

// expected-error @below {{expects parent op 'mdh.lowlevel.schedule'}}
mdh.lowlevel.compute_at computation 1 level(1, 1)

// -----

func.func private @f()
mdh.lowlevel.schedule @f {
^bb0(%i: !mdh.loop):
  // expected-note @below {{the loop is tiled here}}
  %i1, %i2 = mdh.lowlevel.tile %i by [8]
  // expected-error @below {{C41: requires loops that are not tiled yet, because tiling replaces a loop}}
  mdh.lowlevel.unroll %i
}

// -----

func.func private @f()
mdh.lowlevel.schedule @f {
^bb0(%i: !mdh.loop, %k: !mdh.loop):
  // expected-error @below {{C41: requires different loops, but loop 3 occurs twice}}
  mdh.lowlevel.interchange %i, %k, %i
}

// -----

func.func private @f()
mdh.lowlevel.schedule @f {
^bb0(%i: !mdh.loop):
  // expected-error @below {{C42: requires at least two loops, but there are 1}}
  mdh.lowlevel.interchange %i
}

// -----

func.func private @f()
mdh.lowlevel.schedule @f {
^bb0(%i: !mdh.loop):
  // expected-error @below {{C42: requires numbers of parts of at least 1 or ?, but one is 0}}
  %i1, %i2, %i3 = mdh.lowlevel.tile %i by [8, 0]
}

// -----

func.func private @f()
mdh.lowlevel.schedule @f {
^bb0(%i: !mdh.loop):
  // expected-error @below {{C42: requires at least one number of parts, but there is none}}
  %i1 = mdh.lowlevel.tile %i by []
}

// -----

func.func private @f()
mdh.lowlevel.schedule @f {
^bb0(%i: !mdh.loop, %k: !mdh.loop):
  // expected-error @below {{C42: requires a phase, one of decompose, scalar, recompose, but it is combine}}
  mdh.lowlevel.interchange %i, %k phase combine
}

// -----

func.func private @f()
mdh.lowlevel.schedule @f {
^bb0(%i: !mdh.loop):
  // expected-error @below {{C42: requires a dimension x, y, z or a number from 4, but it is rows}}
  mdh.lowlevel.parallelize %i along rows
}

// -----

func.func private @f()
mdh.lowlevel.schedule @f {
^bb0(%i: !mdh.loop):
  // expected-error @below {{C42: requires a buffer of at least 1, but it is 0}}
  mdh.lowlevel.cache input 0 in L1 at %i
}

// -----

func.func private @f()
mdh.lowlevel.schedule @f {
^bb0(%i: !mdh.loop):
  // expected-error @below {{C42: requires pad from 1 to 64, but it is 65}}
  mdh.lowlevel.cache input 1 in L1 at %i pad 65
}

// -----

func.func private @f()
mdh.lowlevel.schedule @f {
^bb0(%i: !mdh.loop):
  // expected-error @below {{C42: requires buffers from 1 to 2, but it is 3}}
  mdh.lowlevel.cache input 1 in L1 at %i buffers 3
}

// -----

func.func private @f()
mdh.lowlevel.schedule @f {
^bb0(%i: !mdh.loop):
  // expected-error @below {{C42: requires dimensions of at least 1 in a layout, but one is ?}}
  mdh.lowlevel.layout input 1 [2, ?] at %i
}

// -----

func.func private @f()
mdh.lowlevel.schedule @f {
^bb0(%i: !mdh.loop):
  // expected-error @below {{C42: requires an input or an output, but it is buffer}}
  mdh.lowlevel.layout buffer 1 [2, 1] at %i
}

// -----

func.func private @f()
mdh.lowlevel.schedule @f {
^bb0(%i: !mdh.loop):
  // expected-error @below {{C42: requires a layer of at least 1, but it is 0}}
  mdh.lowlevel.compute_at computation 2 level(0, 1)
}
