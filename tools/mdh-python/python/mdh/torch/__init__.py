"""Modules of PyTorch: `torch.compile(model, backend="mdh")`."""
