.DEFAULT_GOAL := build
.PHONY: $(shell sed -n 's/^\([a-z0-9]*\):.*/\1/p' Makefile)

build: ## The program, as a release has it, in ./handoff
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o handoff ./cmd/handoff
test: ## All tests that take no more than some seconds
	go test ./...
lint: ## golangci-lint, installed once
	.ci/run $@
proofs: build ## All tests there are: about ten minutes
	HANDOFF_PROGRAM=$(CURDIR)/handoff HANDOFF_PROOFS=1 go test -count=1 -timeout 30m ./...
ci: ## Everything that has to pass
	.ci/run
help: ## This list
	@awk -F ':.*## ' '/^#: / { print "\n" substr($$0, 4) } NF > 1 && /^[a-z]/ { printf "  %-12s %s\n", $$1, $$2 }' Makefile

#: From day to day
golden: ## Golden files, rewritten; CONTRIBUTING.md names those that are not among them
	go test -p 1 $$(git grep -lE --untracked 'flag.Bool\("update"|golden\.Equal' -- '*_test.go' | xargs -n 1 dirname | sort -u | sed 's,^,./,') -update
race: ## Tests in which goroutines meet, with the race detector
	.ci/run $@
fuzz: ## Each fuzz target: FUZZTIME=500x
	.ci/run $@
bench: ## All benchmarks, then figures: BENCHTIME=1s
	BENCHTIME=$(or $(BENCHTIME),1s) .ci/run $@
	$(MAKE) figures
figures: ## The table of docs/performance.md: eight minutes
	HANDOFF_FIGURES=1 $(PROOF) -run TestFigures ./cmd/handoff/figures
man: ## Manual pages, one for each command: MAN=docs/man
	SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct)} go run ./cmd/handoff/internal/manual $(or $(MAN),docs/man)
snapshot: ## What a release of HEAD would have, in dist: PLATFORMS=linux/amd64,windows/arm64 for some alone
	go run -C cmd/release . -snapshot -platforms "$(PLATFORMS)"
release: ## The version whose tag is at HEAD, in dist (docs/releasing.md)
	go run -C cmd/release .
publishable: ## Module path, imports and documents of this repository at another address: ADDRESS=github.com/owner/handoff
	go run -C cmd/release . -address "$(ADDRESS)"
wine: ## All tests as Windows programs, under Wine: WINE_REPORT=FILE for how each ended
	WINE_REPORT=$(WINE_REPORT) python3 .ci/wine
arm64: ## The program and some tests as they are for arm64, under QEMU
	.ci/run $@
secrets: ## What is masked of the samples of gitleaks, and of CORPUS, which has no secret: needs the module proxy
	HANDOFF_GITLEAKS=1 HANDOFF_CORPUS=$(CORPUS) $(VERBOSE) -run 'Gitleaks|Alarms' ./mailbox/secret
doors: ## All hostile texts through each way out, and how many came out of each
	HANDOFF_DOORS=1 $(VERBOSE) -run NothingHostile ./cmd/handoff | grep -E 'of 200 at|^(---|ok|FAIL)'

# Proofs drive the program that HANDOFF_PROGRAM names, and build one where it names none.
VERBOSE = go test -count=1 -timeout 2h -v
PROOF = HANDOFF_PROOFS=1 $(VERBOSE)

#: Long proofs: more of what CI does shortly
chaos: ## Ten minutes of killed owners and nodes that die
	HANDOFF_CHAOS=10m $(PROOF) -run 'TestKilledOwnersLoseNothing|TestNodesThatDieLoseNothing' ./cmd/handoff/together
simulation: ## Ten minutes of callers by chance, against the rules
	HANDOFF_SIMULATION=10m $(PROOF) -run TestSimulation_RulesHold ./mailbox/simulation
faults: ## What was answered survives the system below
	HANDOFF_FAULTS=1 $(PROOF) ./cmd/handoff/faults
workspaces: ## 1,000 workspaces spread over nodes
	HANDOFF_WORKSPACES=1000 $(PROOF) -run TestManyWorkspacesSpreadOverNodes ./cmd/handoff/together
cycles: ## 200 cycles of processes that come and go
	HANDOFF_CYCLES=200 $(PROOF) -run TestProcessesThatComeAndGoLeaveNothing ./cmd/handoff/together
load: ## 100,000 handoffs between agents elsewhere
	HANDOFF_LOAD=100000 $(PROOF) -run TestManyAgentsAtOnceLoseNothing ./cmd/handoff/network
apart: ## 10,000 tries of clients that cancel their own requests alone
	HANDOFF_APART=10000 $(PROOF) -run TestClientsCancelOnlyTheirOwnRequests ./cmd/handoff/network
rehearsal: ## 100,000 handoffs are lost and brought back from a backup (docs/operations.md)
	HANDOFF_REHEARSAL=100000 $(PROOF) -run AfterABadDay ./cmd/handoff/together
believed: ## 16 times: of checks, only what was seen is believed
	HANDOFF_BELIEVED=16 $(PROOF) -run TestOnlyWhatWasSeen ./cmd/handoff/proof
needs: ## What needs a person is told once, over a thousand restarts: ten minutes
	HANDOFF_NEEDS=100 $(PROOF) -run StatusExec_ ./cmd/handoff/proof
wild: ## 10,000 pairs of files with rules by chance: half an hour
	HANDOFF_WILD=10000 $(PROOF) -run TestWildRules ./cmd/handoff/internal/agentsfile | grep -vE '^ *(---|===)'
flips: ## 1,000 flipped bits are found
	HANDOFF_FLIPS=1000 $(PROOF) -run FindsEachFlippedBit ./cmd/handoff/internal/commands/audit
briefs: ## 1,000 briefs lose nothing
	HANDOFF_GENERATED=1000 $(PROOF) -run 'LoseNothing|AreLostInNoBrief' ./tools
mutated: ## 500 exports changed by chance are refused, or all commands go on
	HANDOFF_MUTATED=500 $(PROOF) -run TestImport_RefusesOrWorks ./mailbox/keeping
overlaps: ## 1,000 sets of changes among 5,000 files, and what a claim costs beside seven others
	HANDOFF_OVERLAPS=1000 $(PROOF) -run SecondIsDone ./cmd/handoff/internal/project
	go test -run - -bench ClaimBeside ./mailbox
million: ## What a million completed handoffs cost: 10 GB in the temporary directory
	HANDOFF_STORED=1000000 $(PROOF) -run TestGrowth ./cmd/handoff/figures
