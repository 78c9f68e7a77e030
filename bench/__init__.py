"""The benchmarks. Each is a module that is run from the root of the repository, such as `python3 -m bench.peers --help`."""
