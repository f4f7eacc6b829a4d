# Everything here runs on a bare Debian or Ubuntu with Go and git; .ci/install adds what the
# integration tests use (Redis, ngspice) where apt can.

GO ?= go
GOLANGCI ?= v2.15.0

.PHONY: run test check-deploy compose-smoke bench-page waiters soak pressure capacity sweep race lint bench compare-ngspice corpus tune-spice bench-spice bench-board bench-pairs bench-board-scattered bench-board-peer clients fuzz install batch bench-router bench-kicad pgo

run:            ## start the service on :8080 with nothing else installed
	$(GO) run .

install:        ## install what the integration tests use; a no-op where it is there
	bash .ci/install

# Property tests draw the same inputs every time here, so that green means green; "make sweep"
# draws new ones.
test: export RAPID_SEED = 1
test: export RAPID_NOFAILFILE = true
# With the profile of main.go the compiler would compile every package once more for the program.
# TestImage of deploy/check sets the flags of the Dockerfile itself, but omits the profile too.
test race lint check-deploy: export GOFLAGS := $(shell $(GO) env GOFLAGS) -pgo=off
# Package e2e takes longest and mostly waits, so it starts first and runs beside the others. The
# linter has run vet.
test: install lint  ## every test, with real Redis and ngspice where they can be had
	$(GO) test -vet=off -timeout 30m ./e2e ./...

sweep:          ## property tests of the tools with new and many more random inputs
	RAPID_CHECKS=3000 $(GO) test -timeout 60m ./tools/...

race: install
	$(GO) test -race ./...

lint:           ## gofmt, the linters of .golangci.yml, phrases of comments; builds golangci-lint first
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo "gofmt would change:"; gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI) run ./...
	$(GO) run ./internal/proselint -max 4 api mcp call cmd internal worker keys tools autorouter batch plot spice web deploy e2e result clients

check-deploy:   ## compose file, Caddyfile and Kubernetes manifests, read by their tools' own libraries
	cd deploy/check && $(GO) test -timeout 30m ./...

compose-smoke:  ## the compose file on the machine's container engine: build, use, scale, kill, take down
	bash deploy/compose/smoke

bench: install  ## one table of the ratios that speed and memory are judged by; some minutes
	$(GO) test -count=1 -v -timeout 20m -run 'Test(Batch)?Figures$$' ./e2e -figures

bench-page: install ## the page on a telephone under 4G and a slow processor; a plot of 100,000 points; a board of 135 parts
	$(GO) test ./e2e -run '^$$' -bench '^Benchmark(Page|Plot|BoardView)$$' -benchtime 5x -timeout 30m

waiters: install ## memory of the API while 10,000 requests wait for heavy jobs
	$(GO) test -count=1 -v -timeout 10m -run 'TestWaiters$$' ./e2e -waiters 10000

pressure: install   ## 2,000 large transients of 20 callers on a Redis of 64 MB; PRESSURE=n for another number
	$(GO) test -count=1 -v -timeout 60m -run 'TestSmallRedis$$' ./e2e -pressure $(or $(PRESSURE),2000)

batch: install      ## 5,000 simulations of a batch while a worker, an API and Redis are killed; RUNS=n for another number
	$(GO) test -count=1 -v -timeout 30m -run 'TestBatchSurvivesKills$$' ./e2e -batch-runs $(or $(RUNS),5000)

soak: install   ## four minutes of load on several processes while their parts are broken
	$(GO) test -count=1 -v -timeout 30m -run 'TestSoak$$' ./e2e -soak 4m

capacity: install ## measured runs of 1, 2 and 4 workers beside the model of slipstick/deploy/capacity
	$(GO) test -count=1 -v -timeout 30m -run 'TestCapacity$$' ./e2e -capacity
	$(GO) test -count=1 -v -run 'Test(SleepingWorkers|JobsBesideBatch)$$' ./batch/service -workers 32 -model

fuzz:           ## every fuzzer for a minute
	bash .ci/fuzz 60s

compare-ngspice: install ## every netlist of the repository here and in ngspice at tight tolerances
	$(GO) test -count=1 -v -run TestAgainstNgspice ./spice/compare -all

CORPUS ?=
corpus: install ## public decks, fetched by hand below CORPUS (docs/spice.md), here and in ngspice
	$(GO) test -count=1 -v -timeout 6h -run TestCorpus ./spice/compare -corpus "$(CORPUS)"

tune-spice: install ## every constant of spice/analysis/tuning.go at half and at double its value; 10 minutes
	$(GO) test -count=1 -v -timeout 60m -run TestTuning ./spice/compare -tuning .

# Benchmarks of heavy tools are compiled like the program.
PGO = '-pgo=$(CURDIR)/default.pgo'

pgo:            ## default.pgo, the compiler's profile, from all transients and the boards of bench-board; 2 minutes
	dir=$$(mktemp -d) && trap "rm -r $$dir" EXIT && \
	$(GO) test -trimpath -run '^$$' -bench BenchmarkTransients -benchtime 1x -cpuprofile $$dir/transients -o $$dir/test ./spice/compare && \
	$(GO) test -trimpath -run '^$$' -bench BenchmarkBoards -benchtime 1x -timeout 60m -cpuprofile $$dir/boards -o $$dir/test ./tools/pcb && \
	$(GO) tool pprof -proto $$dir/transients $$dir/boards >$$dir/profile && mv $$dir/profile default.pgo

bench-spice: install ## processor time beside ngspice's: every kind of analysis on ten circuits, and the 30 heaviest transients; 15 minutes
	$(GO) test $(PGO) -count=1 -v -timeout 60m -run TestBench ./spice/compare -times

bench-board:    ## example boards and generated ones of 20 to 150 parts: connections, errors, vias, wire, time, memory
	$(GO) test $(PGO) -run '^$$' -bench BenchmarkBoards -benchtime 1x -timeout 60m ./tools/pcb

bench-pairs:    ## boards with differential pairs: mismatch, coupled share, connections, vias, wire, time
	$(GO) test $(PGO) -run '^$$' -bench BenchmarkPairs -benchtime 1x -timeout 20m ./tools/pcb

bench-board-scattered: ## generated boards of 60, 100 and 150 parts with random nets of two to six pins
	$(GO) test $(PGO) -run '^$$' -bench BenchmarkScattered -benchtime 1x -timeout 60m ./tools/pcb

clients:        ## the generated files of the clients, from the OpenAPI document
	$(GO) run ./clients/generate

DSN ?=
SRJ ?=
RESULTS ?=
PEERS ?=
bench-router:    ## public Specctra designs below DSN, tscircuit's problems in SRJ, sessions of other routers in PEERS (docs/boards.md): completion, vias, wire, time
	$(GO) test -count=1 -v -timeout 24h -run TestCorpus ./autorouter/specctra -args -designs "$(DSN)" -results "$(RESULTS)"
	$(GO) test -count=1 -v -timeout 24h -run TestPeers ./autorouter/specctra -args -peers "$(PEERS)"
	$(GO) test -count=1 -v -timeout 24h -run TestCorpus ./autorouter/placed -args -problems "$(SRJ)" -results "$(if $(RESULTS),$(RESULTS).srj)"

BOARDS ?=
bench-kicad:     ## public board files of KiCad, fetched by hand below BOARDS (docs/boards.md), routed without their tracks, and laid out again from their netlists
	$(GO) test -count=1 -v -timeout 24h -run TestCorpus ./autorouter/kicad -args -boards "$(BOARDS)" -results "$(RESULTS)"
	$(GO) test -count=1 -v -timeout 24h -run TestKiCadProjects ./tools/pcb -args -projects "$(BOARDS)" -results "$(if $(RESULTS),$(RESULTS).layouts)"

PEER ?= $(or $(TMPDIR),/tmp)/slipstick-peer

bench-board-peer: ## the same placed boards through @tscircuit/capacity-autorouter; needs Node 20 and npm
	command -v npm >/dev/null || { echo "SKIPPED: npm is not installed"; exit 0; }; npm install --silent --no-audit --no-fund --prefix $(PEER) @tscircuit/capacity-autorouter
	SLIPSTICK_PEER=$(PEER) $(GO) test -run '^$$' -bench BenchmarkPeer -benchtime 1x -timeout 120m ./tools/pcb
