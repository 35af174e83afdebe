# The commands of this repository. Building is CMake's: every target here calls
# a preset, and `cmake --preset dev && cmake --build --preset dev` works alone.
#
#   make run     install what is missing, build, hold a lease, say where to look
#   make test    install what is missing, build, run every ring, count
#   make help    the rest

.DEFAULT_GOAL := help
SHELL := /bin/bash
MAKEFLAGS += --no-print-directory

# Whatever is slow to make and worth keeping lies outside the tree.
export TENURE_CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/tenure
export CCACHE_DIR ?= $(TENURE_CACHE)/ccache
# One cache serves every clone and every build folder.
export CCACHE_BASEDIR := $(CURDIR)
export CCACHE_NOHASHDIR := 1
export CCACHE_MAXSIZE ?= 3G

# Debian's, which has Debian's pytest.
PYTHON ?= /usr/bin/python3
RUN := $(PYTHON) tests/run.py
# The rings that need the Kubernetes binaries come last: a first build of those
# may still be going on.
# The contract after the ring that builds kube-apiserver: it runs on that, too.
RINGS ?= unit golden exhaustive sim canaries model checks integration examples fences apiserver contract
ASAN_RINGS ?= unit golden exhaustive sim contract integration
TSAN_RINGS ?= unit sim integration
comma := ,
space := $(subst x, ,x)
FORMAT = git ls-files -co --exclude-standard '*.h' '*.cc' | \
  xargs -r clang-format-19

.PHONY: help
help:  ## this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | \
	  expand -t 22
	@echo "  one ring of tests: make $(subst $(space),$(comma)$(space),$(RINGS))"

# make run ARGS='--status-port 7500'
.PHONY: run
run:  ## install what is missing, build, hold a lease, say where to look
	@tools/install_packages.sh build
	@TENURE_TARGET=tenure tools/build.sh dev
	@build/dev/sidecar/cli/tenure run --embedded --log-format text $(ARGS)

.PHONY: build
build:  ## the development build
	@tools/install_packages.sh build
	@tools/build.sh dev

# There is a folder of this name, and "nothing to be done" would look like success.
.PHONY: tests
tests: test

.PHONY: test
test: build  ## every ring of tests, counted in one closing line
	@tools/install_packages.sh test stores
	@$(RUN) $(RINGS)

# make sim SEEDS=100000 runs long.
ifdef SEEDS
export TENURE_SIM_SEEDS := $(SEEDS)
endif

.PHONY: unit golden exhaustive sim canaries model contract checks integration examples apiserver
unit golden exhaustive sim canaries contract checks integration examples apiserver: build
	@tools/install_packages.sh test
	@$(RUN) $@

# TENURE_STORES=all for those that CI leaves out.
.PHONY: fences
fences: build  ## every fence of examples/fences against its real server
	@tools/install_packages.sh test stores $(if $(TENURE_STORES),more-stores)
	@$(RUN) $@

model:  ## Spin visits every state of a model of the protocol
	@tools/install_packages.sh test
	@$(RUN) $@

.PHONY: asan
asan: export TENURE_SIM_SEEDS ?= 20
asan: export TENURE_EXHAUSTIVE_DEPTH ?= 7
asan: export TENURE_EXEC_TRIALS ?= 3
asan: export TENURE_CONTRACT_SERVERS ?= embedded
asan: export LSAN_OPTIONS ?= suppressions=$(CURDIR)/tests/lsan.supp:print_suppressions=0
asan:  ## the rings again under AddressSanitizer and UBSan
	@tools/install_packages.sh build test
	@tools/build.sh asan
	@$(RUN) --build build/asan $(ASAN_RINGS)

.PHONY: tsan
tsan: export TENURE_SIM_SEEDS ?= 5
tsan: export TENURE_EXEC_TRIALS ?= 3
tsan: export TSAN_OPTIONS ?= suppressions=$(CURDIR)/tests/tsan.supp:print_suppressions=0
tsan:  ## the rings with threads again under ThreadSanitizer
	@tools/install_packages.sh build release test
	@prefix=$$(TENURE_DEPS_SANITIZE=thread cmake/build_static_dependencies.sh) && \
	  tools/build.sh tsan -DTENURE_DEPS_PREFIX="$$prefix"
	@$(RUN) --build build/tsan $(TSAN_RINGS)

# COUNT=10 for ten of them, drawn by SEED (default: the commit).
.PHONY: mutants
mutants:  ## change the core, driver and loop in small ways; do the tests notice?
	@tools/install_packages.sh build test
	@$(PYTHON) tests/mutants/mutate.py $(if $(COUNT),--count $(COUNT)) \
	  $(if $(SEED),--seed $(SEED))

.PHONY: digests
digests: build  ## the simulation again, built by clang: the same histories?
	@tools/install_packages.sh build clang
	@tools/build_digests.sh

.PHONY: fuzz-smoke fuzz
fuzz: export TENURE_FUZZ_RUNS ?= 1000000
fuzz:  ## a million inputs for each fuzz target, under ASan and UBSan
fuzz-smoke:  ## ten seconds for each fuzz target
fuzz fuzz-smoke:
	@tools/install_packages.sh build test clang
	@tools/build.sh fuzz
	@$(RUN) --build build/fuzz fuzz

.PHONY: coverage
coverage:  ## do unit and exhaustive reach every branch of the core?
	@tools/install_packages.sh build test clang
	@tools/build.sh coverage
	@$(PYTHON) tools/coverage.py build/coverage

# The full counts: hours of simulated time, every fault twenty times, every
# mutant, a million inputs for each fuzz target.
.PHONY: soak
soak: export TENURE_SIM_SEEDS ?= 5000
soak: export TENURE_EXHAUSTIVE_DEPTH ?= 11
soak: export TENURE_TRIALS ?= 20
soak: export TENURE_EXEC_TRIALS ?= 200
soak: export TENURE_MODEL_MORE ?= 1
soak: export TENURE_STORES ?= all
soak: export TENURE_STORE_TRIALS ?= 20
soak: build  ## the rings that grow with their counts, at full counts
	@tools/install_packages.sh test stores more-stores
	@tests/fences/install_servers.sh consul moto dynamodb || true
	@$(RUN) exhaustive sim model integration fences apiserver
	@$(MAKE) mutants
	@$(MAKE) fuzz

.PHONY: bench
bench: release  ## figures beside a client-go sidecar, on a kube-apiserver
	@tools/install_packages.sh test
	@cmake --build --preset release --target http_load
	@$(PYTHON) tests/bench/run.py

.PHONY: deps
deps:  ## once: the static libraries that Debian does not ship, into the cache
	@tools/install_packages.sh build release
	@cmake/build_static_dependencies.sh

.PHONY: release
release:  ## one hardened binary that needs no library but libc
	@tools/install_packages.sh build release
	@prefix=$$(cmake/build_static_dependencies.sh) && \
	  tools/build.sh release -DTENURE_DEPS_PREFIX="$$prefix"
	@tools/check_release.sh build/release/sidecar/cli/tenure

.PHONY: lint
lint: build  ## clang-tidy over sidecar/; only what changed is read again
	@tools/install_packages.sh lint
	@$(PYTHON) tools/tidy.py build/dev

.PHONY: format
format:  ## rewrite the C++ sources in the project's format
	@tools/install_packages.sh lint
	@$(FORMAT) -i

.PHONY: format-check
format-check:  ## fail if `make format` would change anything
	@tools/install_packages.sh lint
	@$(FORMAT) --dry-run -Werror

.PHONY: clean
clean:  ## remove the build folders; the cache outside the tree stays
	@rm -rf build
