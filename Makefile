# Moraine's tasks. `make help` lists them.

GO ?= go
PYTHON := .venv/bin/python
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZ_TIME ?= 30s
KILLS ?= 200
HISTORIES_TIME ?= 10m
DATA ?= moraine-data
LISTEN ?= 127.0.0.1:5433
BENCH ?= all
SCALE ?= 0.1

# SlateDB, the engine for object stores, is a Rust library: it is built when there is cargo (CARGO= leaves it out).
CARGO ?= $(or $(shell command -v cargo),$(wildcard $(HOME)/.cargo/bin/cargo))
NATIVE := store/slatedb/native
NATIVE_HEADER := $(NATIVE)/include/moraine_slatedb.h
NATIVE_LIBRARY := $(NATIVE)/target/release/libmoraine_slatedb.a
TAGS := $(if $(CARGO),-tags slatedb)

VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
BUILD_DATE := $(shell date -u +%Y-%m-%dT%H:%M:%SZ)
LINK_FLAGS := -X main.version=$(VERSION) -X main.buildDate=$(BUILD_DATE)

.DEFAULT_GOAL := build
.PHONY: help build build-local native native-test run test unit e2e lint format vet race fuzz record histories kill faults failover bench bench-scale lake-bench conformance original licences clean

help: ## list the tasks
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: native ## build bin/moraine, stamped with version and date; with SlateDB when there is cargo
	$(GO) build $(TAGS) -ldflags '$(LINK_FLAGS)' -o bin/moraine ./cmd/moraine

build-local: ## build bin/moraine without SlateDB: lakes in a directory of this machine
	$(GO) build -ldflags '$(LINK_FLAGS)' -o bin/moraine ./cmd/moraine

native: $(if $(CARGO),$(NATIVE_LIBRARY)) ## build the SlateDB library (five minutes the first time)
ifeq ($(CARGO),)
	@echo "make: there is no cargo (https://rustup.rs), so SlateDB is left out: stores are directories, not s3:// and the like" >&2
endif

# Go does not look into the library and its header; it compiles and links again when a header in the package's folder has changed.
$(NATIVE_LIBRARY): $(NATIVE)/Cargo.toml $(NATIVE)/Cargo.lock $(NATIVE_HEADER) $(shell find $(NATIVE)/src -name '*.rs')
	cd $(NATIVE) && $(CARGO) build --release --locked
	cksum $@ $(NATIVE_HEADER) | sed 's|.*|/* & */|' > store/slatedb/library.h
	touch $@

run: $(if $(findstring ://,$(DATA)),build,build-local) ## serve the lakes of ./moraine-data (DATA=folder, LISTEN=address); prints the ATTACH line
	bin/moraine serve --listen $(LISTEN) --store $(DATA)

# The stamp holds the installed requirements, so that a changed list installs again.
.venv/requirements.txt: scripts/requirements.txt
	scripts/install_packages.sh python3-venv
	python3 -m venv .venv
	.venv/bin/pip install --quiet --requirement scripts/requirements.txt
	cp scripts/requirements.txt $@

test: native lint .venv/requirements.txt ## lint, then every test, with the real DuckDB and psql as clients
	scripts/install_packages.sh postgresql-client
	$(GO) test $(TAGS) ./...

unit: native ## the tests that need no client
	$(GO) test $(TAGS) $$($(GO) list ./... | grep -v /e2e)

e2e: native .venv/requirements.txt ## the tests with real clients only
	$(GO) test $(TAGS) -count=1 ./e2e

lint: format vet ## gofmt, go vet, staticcheck, and the limits in docs
	scripts/check_limits.sh
	$(GO) run $(STATICCHECK) $(TAGS) ./...

format: ## fail when a file is not gofmt's
	@unformatted=$$(gofmt -l $$(git ls-files --cached --others --exclude-standard '*.go' | grep -v '\.pb\.go$$')); \
	if [ -n "$$unformatted" ]; then echo "not formatted by gofmt:"; echo "$$unformatted"; exit 1; fi

vet: ## go vet, of the build with SlateDB and of the one without
	$(GO) vet ./...
	$(if $(CARGO),$(GO) vet $(TAGS) ./...)

race: native .venv/requirements.txt ## every test under the race detector
	$(GO) test $(TAGS) -race ./...

native-test: ## the tests of the SlateDB library itself: readers beside a writer that compacts and collects at once
	cd $(NATIVE) && $(CARGO) test --release --locked

fuzz: ## each fuzz target for FUZZ_TIME (30s)
	GO=$(GO) scripts/fuzz.sh $(FUZZ_TIME)

record: .venv/requirements.txt ## record the expectations of e2e anew, from a PostgreSQL 15 that it starts
	scripts/install_packages.sh postgresql-15
	scripts/with_postgres.sh $(PYTHON) e2e/tour.py --record e2e/testdata/tour e2e/testdata/versions

histories: ## random histories of transactions against a model, under the race detector, for HISTORIES_TIME (10m)
	$(GO) test -race -count=1 -timeout 0 -v -run TestHistories ./server/history -duration $(HISTORIES_TIME)

kill: build .venv/requirements.txt ## kill the server under load KILLS times (200); SEED=n repeats a run
	$(GO) test -count=1 -timeout 0 -v -run 'TestKill' ./e2e -kills $(KILLS) -seed $(or $(SEED),0)

faults: native ## deaths of writers and failures of object stores, at length, then on another S3 server (moto)
	$(GO) test $(TAGS) -count=1 -timeout 0 ./server/faults -long
	$(GO) test $(TAGS) -count=1 -timeout 0 -run TestDeaths ./server/faults -heartbeats
	scripts/with_moto.sh $(GO) test $(TAGS) -count=1 -run 'TestOneOfManyWritesWins|TestTakeoverOnAnyStore' ./server/faults

failover: native build .venv/requirements.txt ## kill the serving one of two servers on one store FAILOVERS times (20); SEED=n repeats a run
	$(GO) test $(TAGS) -count=1 -timeout 0 -v -run 'TestFailover' ./e2e -failovers $(or $(FAILOVERS),20) -seed $(or $(SEED),0)

bench: build ## DuckLake's statements, side by side with PostgreSQL 15 (BENCH=replay|copy|all), or commits on each engine (BENCH=commit)
	scripts/install_packages.sh postgresql-15
	scripts/with_postgres.sh scripts/with_moraine.sh $(GO) run $(TAGS) ./bench -only $(BENCH)

bench-scale: build ## how the cost of a commit, an attach and a query grows with the lake (SCALE=1: 1 million files)
	scripts/install_packages.sh postgresql-15
	scripts/with_postgres.sh scripts/with_moraine.sh $(GO) run ./bench -only scale -scale $(SCALE)

lake-bench: build .venv/requirements.txt ## whole-client workloads, side by side with PostgreSQL 15
	scripts/install_packages.sh postgresql-15
	scripts/with_postgres.sh scripts/with_moraine.sh $(PYTHON) bench/lake.py $(ARGUMENTS)

conformance: build .venv/requirements.txt ## DuckLake's own tests: SUITE=checkout of DuckLake (FILTER=glob)
	scripts/conformance.sh $(SUITE) $(FILTER)

original: $(NATIVE_LIBRARY) .venv/requirements.txt ## compare with the original implementation, whose crate it builds (it takes minutes, and downloads crates)
	$(CARGO) build --locked --manifest-path e2e/original/Cargo.toml
	MORAINE_ORIGINAL_READER=$(CURDIR)/e2e/original/target/debug/original-reader $(GO) test -tags slatedb,original -count=1 -run TestTheOriginalReads -v ./e2e

licences: ## write docs/licences.md from the modules that the binary links
	scripts/licences.sh > docs/licences.md

clean: ## remove what was built
	rm -rf bin .venv $(NATIVE)/target
