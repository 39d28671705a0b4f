# The commands of this project; CONTRIBUTING.md describes them. Checks are steps of
# .ci/run, so that what passes here passes there. Everything but Go itself comes
# from the versions pinned in tools/: nothing is installed.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.ONESHELL:
.DEFAULT_GOAL := help

GO       ?= go
FUZZTIME ?= 10s
COVERAGE ?= coverage.out
PACKAGES ?= ./...

# Of simulate.
SEEDS ?= 2000

# Faults of chaos, in each of its tests, and the board of puzzles/rushhour that is
# explored meanwhile: a small one, such as medium-8x8, for many faults in little time.
CHAOS ?= 50
CHAOSBOARD ?= huge-8x8

# Of upgrade: a commit, empty for the same sources with another version.
FROM ?=

# Minutes of soak.
SOAK ?= 30

# What bench-micro times, and how often.
BENCH      ?= .
BENCHCOUNT ?= 1

# Of bench.
BENCHFLAGS ?=

# Of literature.
LITERATUREFLAGS ?=

# Of bench-peers.
PEERSFLAGS ?=

BUF       := $(GO) tool -modfile=tools/buf/go.mod buf
BENCHSTAT := $(GO) tool -modfile=tools/dev/go.mod benchstat

# What an image and a release are stamped with, and where systemd's units go.
VERSION   ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
COMMIT    ?= $(shell git rev-parse HEAD 2>/dev/null)
IMAGE     ?= everystate:dev
CA_BUNDLE ?= /etc/ssl/certs/ca-certificates.crt
DESTDIR   ?=
PREFIX    ?= /usr/local

# Of release.
RELEASEFLAGS ?=

# Go files that are written by hand, committed or about to be.
SOURCES = $$(git ls-files --cached --others --exclude-standard -- '*.go' ':!proto/gen')

.PHONY: help
help: ## List the commands.
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: ## Build everything; the program is bin/everystate.
	$(GO) build ./...
	if [ -d cmd/everystate ]; then $(GO) build -o bin/everystate ./cmd/everystate; fi

.PHONY: test
test: ## Run the tests.
	$(GO) test $(PACKAGES)

.PHONY: test-short
test-short: ## Run the tests that take moments.
	$(GO) test -short $(PACKAGES)

.PHONY: race
race: ## Run the short tests of concurrent packages under the race detector (needs a C compiler).
	.ci/run race

.PHONY: thorough
thorough: ## Fail every file operation of a small run in both ways, and explore every known board in process and on clusters (an hour).
	EVERYSTATE_THOROUGH=1 $(GO) test -count=1 -timeout 120m ./internal/engine ./internal/test/conformance ./internal/test/puzzletest ./internal/sweep/rushhour ./internal/test/clustertest ./internal/wasm ./puzzle/permutation ./worker
	EVERYSTATE_THOROUGH=1 $(GO) test -count=1 -timeout 120m -run Twin ./puzzle/blocks ./puzzle/peg ./puzzle/rushhour ./puzzle/tiles
	EVERYSTATE_THOROUGH=1 $(GO) test -count=1 -timeout 120m -run '^TestCoverage$$' -v ./internal/estimate
	EVERYSTATE_THOROUGH=1 $(GO) test -count=1 -timeout 120m -run "^(TestTruth|TestEveryFamily)\$$" ./cmd/everystate
	EVERYSTATE_THOROUGH=1 $(GO) test -count=1 -timeout 120m -run '^TestTruth$$' ./internal/solve

.PHONY: faults
faults: ## Kill, stop and starve the program itself; as root, fill its disk as well (minutes).
	EVERYSTATE_FAULTS=1 $(GO) test -count=1 -v ./internal/test/faults

.PHONY: chaos
chaos: ## Kill, pause, wipe and add real workers and coordinators, CHAOS times, and as root cut the network between them (half an hour).
	EVERYSTATE_CHAOS=1 EVERYSTATE_CHAOS_FAULTS=$(CHAOS) EVERYSTATE_CHAOS_BOARD=$(CHAOSBOARD) $(GO) test -count=1 -timeout 120m -v ./internal/test/chaos -run 'Processes|Network'

.PHONY: soak
soak: ## Explore one run after another for SOAK minutes (30) while workers come, go and stop, and check that memory and open files do not grow.
	EVERYSTATE_CHAOS=1 EVERYSTATE_SOAK=$(SOAK) $(GO) test -count=1 -timeout $$(($(SOAK) + 20))m -v ./internal/test/chaos -run 'TestSoak$$'

.PHONY: upgrade
upgrade: ## Replace the program of a cluster in the middle of a run, a process at a time; FROM=COMMIT for that commit's program (minutes).
	EVERYSTATE_CHAOS=1 EVERYSTATE_UPGRADE_FROM=$(FROM) $(GO) test -count=1 -timeout 40m -v ./internal/test/chaos -run 'TestUpgrade$$'

.PHONY: s3
s3: ## Run the tests that need an S3 server, which is built from tools/s3 (the first time a minute).
	EVERYSTATE_S3=1 $(GO) test -count=1 -timeout 15m -run S3 ./store/bucket ./internal/test/clustertest
	EVERYSTATE_S3=1 $(GO) test -count=1 -timeout 10m -run '(Bucket|Garbage|Checkpoint)/s3' ./internal/engine ./cmd/everystate

.PHONY: play-tmux
play-tmux: ## Play in a terminal (needs tmux).
	EVERYSTATE_TMUX=1 $(GO) test -count=1 -run '^TestPlayTerminal$$' -v ./cmd/everystate

.PHONY: web
web: ## Build the page from internal/web/src into internal/web/dist, which is committed (esbuild comes from tools/web).
	internal/web/build.sh

.PHONY: web-check
web-check: ## Fail if internal/web/dist is not what internal/web/src gives, or, where Node is, if its types are wrong.
	.ci/run web

.PHONY: browser
browser: ## Drive the page in Chromium; screenshots are in bin/shots (needs Node and Chromium).
	.ci/run browser

.PHONY: pictures
pictures: ## Draw each kind of picture of each family on docs/images/pictures.png, for a look (a minute or two).
	$(GO) run ./tools/pictures

.PHONY: duckdb
duckdb: ## Read with DuckDB what export writes (needs Node).
	.ci/run duckdb

.PHONY: graphs
graphs: ## Measure the graphs of larger spaces in Chromium (needs Node and Chromium; minutes).
	cd internal/web && npm ci --no-audit --no-fund --ignore-scripts
	EVERYSTATE_BROWSER=1 EVERYSTATE_GRAPHS=1 EVERYSTATE_SHOTS=$$PWD/../../bin/shots $(GO) test -count=1 -timeout 60m -v -run BrowserGraphs .

.PHONY: simulate
simulate: ## Simulate clusters whose network, disks and bucket fail, with SEEDS seeds (2,000: some ten minutes).
	$(GO) test -count=1 -timeout 0 -run 'Simulation$$' -v ./internal/test/world -seeds $(SEEDS)

.PHONY: cover
cover: ## Run all tests and write coverage.out and coverage.html.
	$(GO) test -coverpkg=./... -coverprofile=$(COVERAGE) $(PACKAGES)
	$(GO) tool cover -func=$(COVERAGE) | tail -n 1
	$(GO) tool cover -html=$(COVERAGE) -o $(COVERAGE:.out=.html)

.PHONY: fuzz
fuzz: ## Run each fuzz target for FUZZTIME (10s).
	@for file in $$(git grep --untracked -lE '^func Fuzz[A-Z]' -- '*_test.go'); do
		for target in $$(sed -nE 's/^func (Fuzz[A-Za-z0-9_]+)\(.*/\1/p' "$$file"); do
			echo "== $$target in $$(dirname "$$file")"
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "./$$(dirname "$$file")"
		done
	done

.PHONY: lint
lint: ## Run go vet and golangci-lint (the first run builds it: a minute or two).
	.ci/run vet lint

.PHONY: fmt
fmt: ## Format the Go and proto sources.
	gofmt -w $(SOURCES)
	$(BUF) format -w

.PHONY: fmt-check
fmt-check: ## Fail if a Go file is not formatted.
	.ci/run format

.PHONY: proto-lint
proto-lint: ## Check the proto files: style, format, and compatibility with earlier commits.
	.ci/run proto breaking

.PHONY: generate
generate: ## Generate Go from the proto files.
	$(BUF) generate

# How a module is made of C and of Rust: docs/WASM.md. What is committed was made
# with Debian 12's clang 14.0.6, and its rustc 1.63.0 with libstd-rust-dev-wasm32.
WASMCC ?= clang --target=wasm32 -O3 -nostdlib -ffreestanding -Wall -Wextra -Wno-unused-parameter -mbulk-memory -Wl,--no-entry -Wl,--strip-all
WASMRUSTC ?= /usr/bin/rustc --target wasm32-unknown-unknown --crate-type cdylib --edition 2021 -C opt-level=3 -C panic=abort -C strip=symbols

.PHONY: wasm-testdata
wasm-testdata: ## Make the modules that the tests run from their C and Rust sources (needs clang, lld and a rustc with the target).
	for m in puzzle/sdk/c/examples/tiles puzzle/sdk/c/examples/jugs internal/wasm/testdata/liar internal/wasm/testdata/wide internal/wasm/testdata/drain; do
		$(WASMCC) -o internal/wasm/testdata/$$(basename $$m).wasm $$m.c
	done
	$(WASMRUSTC) -o internal/wasm/testdata/tiles-rust.wasm puzzle/sdk/rust/examples/tiles.rs
	chmod 644 internal/wasm/testdata/*.wasm

.PHONY: wasm-testdata-check
wasm-testdata-check: wasm-testdata ## Fail if the modules of the tests are not what their sources give.
	git diff --exit-code --stat -- internal/wasm/testdata

.PHONY: generate-check
generate-check: ## Fail if the generated Go is not what the proto files give.
	.ci/run generated

.PHONY: bench
bench: ## Measure whole runs in every mode (minutes); more with BENCHFLAGS, such as -huge, -json or -help.
	@$(GO) run ./tools/bench $(BENCHFLAGS)

.PHONY: literature
literature: ## Explore the large spaces of the literature and compare every layer (minutes, 1 GB of disk); fewer with LITERATUREFLAGS, such as -max=5000000 or -help.
	@$(GO) run ./tools/literature $(LITERATUREFLAGS)

.PHONY: bench-peers
bench-peers: ## Compare with Spin and Rumur on the same state spaces (many minutes); more with PEERSFLAGS, such as -large or -help.
	@$(GO) run ./tools/peers $(PEERSFLAGS)

.PHONY: sokoban-table
sokoban-table: ## Solve the known Sokoban levels and write the tables of docs/RESULTS.md (minutes).
	@$(GO) run ./tools/sokobantable -into docs/RESULTS.md

.PHONY: sokoban-paper-table
sokoban-paper-table: ## Solve the paper's levels in LEVELS=FILE and write its numbers beside ours (a minute).
	@$(GO) run ./tools/sokobantable -collection "$(LEVELS)" -into docs/RESULTS.md

.PHONY: plan-table
plan-table: ## Compare what plan estimates with finished spaces, and print the table of docs/RESULTS.md (minutes).
	@$(GO) run ./tools/plantable

.PHONY: bench-micro
bench-micro: ## Time the steps of the pipeline; the output is for benchstat: make bench-micro BENCHCOUNT=6 > new.txt
	@$(GO) test -run '^$$' -bench '$(BENCH)' -count $(BENCHCOUNT) -benchmem ./puzzle/partition ./store ./worker ./worker/server ./store/bucket ./puzzle/rushhour ./puzzle/tiles ./puzzle/peg

.PHONY: benchstat
benchstat: ## Compare two benchmark outputs: make benchstat OLD=old.txt NEW=new.txt
	$(BENCHSTAT) $(OLD) $(NEW)

.PHONY: deploy-check
deploy-check: ## Check what is in deploy: manifests, units, dashboard, alert rules (the first run builds kustomize's code and promtool).
	$(GO) test ./internal/test/deploy
	.ci/run deploy

.PHONY: image
image: ## Build the container image IMAGE from sources (needs Docker and a base image).
	docker build -f deploy/docker/Dockerfile --build-arg VERSION=$(VERSION) --build-arg COMMIT=$(COMMIT) -t $(IMAGE) .

.PHONY: image-scratch
image-scratch: ## Build the container image IMAGE from a binary that is built here; no base image is needed.
	rm -rf dist/image
	mkdir -p dist/image/data
	CGO_ENABLED=0 GOOS=linux $(GO) build -trimpath -buildvcs=false -ldflags "-s -w -buildid= -X main.stampVersion=$(VERSION) -X main.stampCommit=$(COMMIT)" -o dist/image/everystate ./cmd/everystate
	cp $(CA_BUNDLE) dist/image/ca-certificates.crt
	docker build -f deploy/docker/Dockerfile.scratch -t $(IMAGE) dist/image

.PHONY: docker-trial
docker-trial: ## As root: a cluster of containers on a real Docker engine, which are killed, paused, cut off and replaced (minutes; needs docker.io).
	tools/docker/trial.sh

.PHONY: compose-trial
compose-trial: ## As root: deploy/compose.yaml on a real Docker engine, with images built here (minutes; needs docker.io, busybox-static, prometheus).
	tools/docker/compose.sh

.PHONY: k8s-trial
k8s-trial: ## As root: deploy/kubernetes on a Kubernetes built here, while pods, volumes and a node go (half an hour, the first time more; needs containerd, runc, containernetworking-plugins, nftables, prometheus).
	cd tools/k8strial && $(GO) run .

.PHONY: release
release: ## Build the archives of a release, for all systems, in dist/release (many minutes); RELEASEFLAGS=-again shows that it is reproducible.
	$(GO) run ./tools/release -out dist/release $(RELEASEFLAGS)

.PHONY: install-systemd
install-systemd: ## Install bin/everystate, its manual and the units of systemd, below DESTDIR.
	test -x bin/everystate || { echo "there is no bin/everystate: run make build first" >&2; exit 1; }
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)/etc/systemd/system
	install -m 0755 bin/everystate $(DESTDIR)$(PREFIX)/bin/everystate
	bin/everystate man > $(DESTDIR)$(PREFIX)/share/man/man1/everystate.1
	sed 's|/usr/local/bin/|$(PREFIX)/bin/|' deploy/systemd/everystate-coordinator.service > $(DESTDIR)/etc/systemd/system/everystate-coordinator.service
	sed 's|/usr/local/bin/|$(PREFIX)/bin/|' deploy/systemd/everystate-worker@.service > $(DESTDIR)/etc/systemd/system/everystate-worker@.service
	install -d -m 0755 $(DESTDIR)/etc/everystate
	@echo "now: systemctl daemon-reload && systemctl enable --now everystate-coordinator everystate-worker@1"

.PHONY: ci
ci: ## Run everything that CI runs.
	.ci/run

.PHONY: clean
clean: ## Remove what these commands made, but no run.
	rm -rf bin dist $(COVERAGE) $(COVERAGE:.out=.html)
