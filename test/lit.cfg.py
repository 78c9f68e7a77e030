"""lit's configuration. `cargo test --test suite` sets the paths of the tools; otherwise lit uses those in target/debug."""

import contextlib
import ctypes.util
import os
import pathlib
import platform
import shutil
import subprocess
import sys

import lit.formats

root = pathlib.Path(__file__).resolve().parent.parent
tools = pathlib.Path(os.environ.get("MDH_TOOLS", root / "target" / "debug"))
llvm = pathlib.Path(os.environ.get("MDH_LLVM", "/usr/lib/llvm-22/bin"))
plugin = tools / "libmdh_plugin.so"

config.name = "mdh"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".c"]
# The folders of trycmd tests have inputs of commands.
config.excludes = ["Inputs"] + [folder.name for folder in (root / "test").glob("**/*.in")]
config.test_source_root = str(root / "test")
config.test_exec_root = os.environ.get("MDH_TEST_OUTPUT", str(root / "target" / "tmp" / "lit"))
config.environment["PATH"] = os.pathsep.join([str(tools), str(llvm), os.environ["PATH"]])

for tool in ["mdh-opt", "mdh"]:
    if not (tools / tool).exists():
        lit_config.fatal(f"{tool} is not in {tools}: build it with cargo build --workspace")
for tool in ["FileCheck", "not", "split-file", "mlir-opt"]:
    if not (llvm / tool).exists():
        lit_config.fatal(f"{tool} is not in {llvm}: install LLVM 22 with make setup")

# The Python of `make frontends`, with JAX and PyTorch, if it is there.
frontends = tools.parent / "frontends" / "bin" / "python"
frontends = str(frontends) if frontends.exists() else sys.executable

# The CUDA driver in software, with the file name of NVIDIA's.
driver = pathlib.Path(config.test_exec_root) / "ptx-driver"
driver.mkdir(parents=True, exist_ok=True)
built = [folder / "libmdh_ptx_driver.so" for folder in [tools, tools / "deps"]]
with contextlib.suppress(FileExistsError):
    (driver / "libcuda.so.1").symlink_to(next(filter(pathlib.Path.exists, built), built[0]).resolve())

config.substitutions += [
    ("%against-numpy", f"{sys.executable} {root / 'test' / 'raise' / 'Inputs' / 'against_numpy.py'}"),
    ("%frontends-python", frontends),
    ("%examples", str(root / "examples")),
    ("%generate", f"{sys.executable} {root / 'examples' / 'generate.py'}"),
    ("%prefix", str(llvm.parent)),
    ("%on-ptx-driver", f"env LD_LIBRARY_PATH={driver}"),
    ("%plugin", str(plugin)),
    ("%python", sys.executable),
    ("%root", str(root)),
    ("%stock-mlir-opt", f"mlir-opt --load-dialect-plugin={plugin} --load-pass-plugin={plugin}"),
]

# The location of OpenCL.
for name in ["LD_LIBRARY_PATH", "MDH_OPENCL_LIBRARY", "OCL_ICD_VENDORS"]:
    if name in os.environ:
        config.environment[name] = os.environ[name]

# The features for REQUIRES.
config.available_features.add(platform.machine())
if plugin.exists():
    config.available_features.add("plugin")
if "MDH_OPENCL_LIBRARY" in os.environ:
    config.available_features.add("opencl")
if ctypes.util.find_library("cuda"):
    config.available_features.add("cuda")
if shutil.which("cc") or shutil.which("clang"):
    config.available_features.add("cc")
if (llvm.parent / "lib" / "libomp.so").exists() or (llvm.parent / "lib" / "libomp.so.5").exists():
    config.available_features.add("omp")
for module in ["jax", "torch_mlir"]:
    found = f"import importlib.util, sys; sys.exit(importlib.util.find_spec('{module}') is None)"
    if subprocess.run([frontends, "-c", found]).returncode == 0:
        config.available_features.add(module)
try:
    flags = pathlib.Path("/proc/cpuinfo").read_text().split()
    config.available_features.update(feature for feature in ["avx2", "avx512f"] if feature in flags)
except OSError:
    pass
