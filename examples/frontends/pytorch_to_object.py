"""A PyTorch module as an object file with a C interface. The parameters are constants in the object.

usage: python pytorch_to_object.py OUTPUT     such as block.o; the header, block.h, is written beside it
"""

import sys

import torch
from torch_mlir import fx

from objects import compare, compile_object, load_function


class Block(torch.nn.Module):
    def __init__(self, features):
        super().__init__()
        self.norm = torch.nn.LayerNorm(features)
        self.linear = torch.nn.Linear(features, features)

    def forward(self, x):
        return x + torch.nn.functional.gelu(self.linear(self.norm(x)))


def to_linalg(module, *arguments):
    """The program of a module for arguments of these shapes and types. The generic form needs no dialect of torch-mlir to be read."""
    module = module.eval().requires_grad_(False)
    program = fx.export_and_import(module, *arguments, output_type="linalg-on-tensors", func_name="block")
    return program.operation.get_asm(large_elements_limit=None, print_generic_op_form=True)


def main(output):
    torch.manual_seed(0)
    block, argument = Block(64), torch.randn(128, 64)
    compile_object(to_linalg(block, argument), output, prefix="torch_")
    compare(load_function(output, "torch_block"), [argument.numpy()], block(argument).numpy())


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
