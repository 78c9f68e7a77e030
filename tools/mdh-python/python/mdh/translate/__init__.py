"""Translation of Python functions, from their syntax trees to operations and MLIR text."""
