# The commands of the project. `make help` lists them.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS += --no-print-directory

# The prefix of `make install`.
PREFIX ?= /usr/local
# The number of random programs of `make fuzz`, and the first seed.
N ?= 1000
SEED ?=
# Where `make fuzz` runs programs: cpu, device (an OpenCL device) or cuda.
ON ?= cpu
# The Python of `make gpu`, with NumPy, and with PyTorch and Triton as peers.
PYTHON ?= python3
# For `make gpu`: a folder of kernels that `make gpu-kernels` wrote on another machine, which replaces the build, and the
# time limit of checks and benchmark in seconds. For `make gpu-kernels`: that folder, and the architecture.
KERNELS ?=
BUDGET ?=
ARCH ?=

# For `make frontends`: a folder with the levels of KernelBench (level1, level2).
KERNELBENCH ?=

# An LLVM 22 other than the one in .cargo/config.toml.
LLVM_PREFIX ?=
ifneq ($(LLVM_PREFIX),)
export MLIR_SYS_220_PREFIX := $(LLVM_PREFIX)
export LLVM_SYS_221_PREFIX := $(LLVM_PREFIX)
export TABLEGEN_220_PREFIX := $(LLVM_PREFIX)
export RUSTFLAGS := -C link-arg=-Wl,-rpath,$(LLVM_PREFIX)/lib
export RUSTDOCFLAGS := $(RUSTFLAGS)
endif

# For `make dist`: 1 makes a release of a version without a tag, for trials.
UNTAGGED ?=
# For `make test-wheel`: Pythons, as commands, versions or paths, instead of 3.11 and the newest one to be found.
PYTHONS ?=

.PHONY: help setup build demo test test-all fuzz accuracy bench peers frontends bench-python sanitize-python wheel sdist deb dist test-wheel gpu gpu-kernels docs install clean

help: ## list the commands
	@grep -hE '^[a-z-]+:.*##' Makefile | sed -E 's/^([a-z-]+):[^#]*## /\1\t/' | expand -t 16
	@echo
	@echo "variables: PREFIX=$(PREFIX) (install)   N=$(N) SEED=… ON=device|cuda (fuzz)   PYTHON=… KERNELS=… BUDGET=… (gpu)   KERNELS=… ARCH=… (gpu-kernels)   PYTHONS=… (test-wheel)   UNTAGGED=1 (dist)   LLVM_PREFIX=… (another LLVM 22)"

setup: ## install missing build dependencies (Debian 12, as root), and OpenCL for the tests
	@scripts/setup/setup.sh
	@scripts/setup/opencl.sh --quiet || true

build: setup ## build the tools and the plugin in release mode
	@cargo build --workspace --release
	@ln -sf mdh-opt target/release/mdh-lsp-server
	@ln -sf mdh target/release/mdh-cc

demo: build ## print the IR of MatVec after each stage, then run and check MatMul 1024x1024x1024 on .npy files
	@scripts/docs/demo.sh

test: setup ## format, lints, documentation, and the tests (at most 20 minutes on 2 cores)
	@scripts/setup/cross.sh
	@scripts/setup/browser.sh
	@scripts/check/test.sh

test-all: setup ## as test, with the long tests, and again in release mode
	@scripts/setup/cross.sh
	@scripts/setup/browser.sh
	@scripts/check/test.sh --all

fuzz: setup ## compare N random programs with random schedules with the reference evaluator
	@scripts/check/fuzz.sh $(N) "$(SEED)" $(ON)

accuracy: setup ## measure the errors of math functions against exact results, and write the tables of docs/math.md (minutes)
	@cargo run --package mdh-accuracy --release --quiet -- --write docs/math.md

bench: build ## benchmark a clean build, compile times, and each example against plain C loops
	@python3 -m bench.run --build

peers: build ## install other compilers and libraries, and benchmark the experiments against them (about an hour)
	@scripts/setup/peers.sh jax torch
	@python3 -m bench.peers

frontends: build wheel ## test the Python package with JAX and PyTorch, and run their programs, with KERNELBENCH=DIR its modules, against XLA and PyTorch (hours)
	@scripts/measure/frontends.sh "$(KERNELBENCH)"

bench-python: build wheel ## measure calls, start-up and size of the Python package beside Numba, JAX and PyTorch, and test it with them
	@scripts/measure/frontends.sh --package

sanitize-python: build ## run the tests of the Python package with the address sanitizer and with Valgrind
	@scripts/check/sanitize-python.sh

wheel: setup ## build the wheel of the Python package in target/wheels
	@scripts/release/wheel.sh

test-wheel: ## test the wheel in fresh environments of Python 3.11 and the newest one, without the machine's LLVM
	@scripts/check/fresh.sh $(PYTHONS)

sdist: setup ## make the source distribution of the Python package in target/dist
	@scripts/release/sdist.sh

deb: setup ## build the Debian package of tools, plugin, headers and CMake files in target/dist
	@scripts/release/deb.sh target/dist

dist: setup ## make a release of a tagged version in target/dist: wheel, source distribution, Debian package, checksums
	@UNTAGGED=$(UNTAGGED) scripts/release/dist.sh

gpu: ## on a machine with an NVIDIA GPU: build, test, calibrate and benchmark kernels (without a GPU: exit code 4)
	@scripts/measure/gpu.sh $(PYTHON) "$(KERNELS)" "$(BUDGET)"

gpu-kernels: build ## compile the kernels of benchmark, calibration and 200 random schedules to the folder KERNELS, for a machine with a GPU alone
	@scripts/measure/gpu_kernels.sh "$(KERNELS)" $(ARCH)

docs: setup ## regenerate docs/generated and the command output in the documents
	@scripts/docs/docs.sh

install: setup ## install tools, plugin, headers and the CMake package to PREFIX
	@scripts/release/install.sh "$(DESTDIR)$(PREFIX)" release

clean: ## remove build products
	@rm -rf target build
