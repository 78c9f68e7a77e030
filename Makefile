# The commands of the project. `make help` lists them.
.DEFAULT_GOAL := help
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
MAKEFLAGS += --no-print-directory

# Where `make install` installs to.
PREFIX ?= /usr/local
# How many random programs `make fuzz` runs, and from which seed.
N ?= 1000
SEED ?=
# Where `make fuzz` runs them: cpu, device (of OpenCL) or cuda.
ON ?= cpu
# The Python of `make gpu`, with NumPy, and PyTorch and Triton to be measured against.
PYTHON ?= python3
# For `make gpu`: kernels that `bench/gpu.py --compile` wrote elsewhere, in place of a build, and how many seconds the benchmark may take.
KERNELS ?=
BUDGET ?=

# Another LLVM 22 than the one in .cargo/config.toml.
LLVM_PREFIX ?=
ifneq ($(LLVM_PREFIX),)
export MLIR_SYS_220_PREFIX := $(LLVM_PREFIX)
export LLVM_SYS_221_PREFIX := $(LLVM_PREFIX)
export TABLEGEN_220_PREFIX := $(LLVM_PREFIX)
export RUSTFLAGS := -C link-arg=-Wl,-rpath,$(LLVM_PREFIX)/lib
export RUSTDOCFLAGS := $(RUSTFLAGS)
endif

.PHONY: help setup build demo test test-all fuzz accuracy bench peers gpu docs install clean

help: ## list the commands
	@grep -hE '^[a-z-]+:.*##' Makefile | sed -E 's/^([a-z-]+):[^#]*## /\1\t/' | expand -t 10
	@echo
	@echo "variables: PREFIX=$(PREFIX) (install)   N=$(N) SEED=… ON=device|cuda (fuzz)   PYTHON=… KERNELS=… BUDGET=… (gpu)   LLVM_PREFIX=… (another LLVM 22)"

setup: ## install what the build needs and is missing (Debian 12, as root), and OpenCL for the tests
	@scripts/setup.sh
	@scripts/opencl.sh --quiet || true

build: setup ## build the tools and the plugin in release mode
	@cargo build --workspace --release
	@ln -sf mdh-opt target/release/mdh-lsp-server

demo: build ## the stages of MatVec as IR, then MatMul 1024x1024x1024 from .npy files, checked
	@scripts/demo.sh

test: setup ## format, lints, documentation, and the tests (at most 20 minutes on 2 cores)
	@scripts/cross.sh
	@scripts/test.sh

test-all: setup ## the same with the long tests, and again in release mode
	@scripts/cross.sh
	@scripts/test.sh --all

fuzz: setup ## N random programs with random schedules against the reference evaluator
	@scripts/fuzz.sh $(N) "$(SEED)" $(ON)

accuracy: setup ## measure the functions of math against exact results, and write the tables of docs/math.md (minutes)
	@cargo run --package mdh-accuracy --release --quiet -- --write docs/math.md

bench: build ## the measures: a clean build, compile times, and each example against plain C loops
	@scripts/bench.sh

peers: build ## install other compilers and libraries, and measure the experiments against them (about an hour)
	@scripts/peers.sh jax torch
	@python3 bench/peers.py

gpu: ## on a machine with an NVIDIA GPU: build, test kernels there, and measure them (without one: exit code 4)
	@scripts/gpu.sh $(PYTHON) "$(KERNELS)" "$(BUDGET)"

docs: setup ## write docs/generated and the output of the commands in the documents anew
	@scripts/docs.sh

install: setup ## install tools, plugin, headers and the CMake package to PREFIX
	@scripts/install.sh "$(DESTDIR)$(PREFIX)" release

clean: ## remove what was built
	@rm -rf target build
