"""Functions on `jax.numpy` arrays: `mdh.jit`."""
