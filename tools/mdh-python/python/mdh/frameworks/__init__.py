"""What the packages for JAX and PyTorch share."""
