.DEFAULT_GOAL := build
.PHONY: $(shell sed -n 's/^\([a-z0-9]*\):.*/\1/p' Makefile)

build: ## Builds the program with the settings of a release: ./handoff
	CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o handoff ./cmd/handoff
test: ## Runs all tests but the proofs: two minutes
	go test ./...
lint: ## Runs golangci-lint, which it installs once
	.ci/run $@
proofs: build ## Runs all tests: about ten minutes
	HANDOFF_PROGRAM=$(CURDIR)/handoff HANDOFF_PROOFS=1 go test -count=1 -timeout 30m ./...
ci: ## Runs all stages of CI
	.ci/run
help: ## Prints this list
	@awk -F ':.*## ' '/^#: / { print "\n" substr($$0, 4) } NF > 1 && /^[a-z]/ { printf "  %-12s %s\n", $$1, $$2 }' Makefile

#: From day to day
golden: ## Rewrites golden files; CONTRIBUTING.md names the exceptions
	go test -p 1 $$(git grep -lE --untracked 'flag.Bool\("update"|golden\.Equal' -- '*_test.go' | xargs -n 1 dirname | sort -u | sed 's,^,./,') -update
race: ## Runs tests with many goroutines under the race detector
	.ci/run $@
fuzz: ## Runs each fuzz target: FUZZTIME=500x
	.ci/run $@
bench: ## Runs all benchmarks, then figures: BENCHTIME=1s
	BENCHTIME=$(or $(BENCHTIME),1s) .ci/run $@
	$(MAKE) figures
figures: ## Measures the table of docs/performance.md: twelve minutes
	HANDOFF_FIGURES=1 $(PROOF) -run TestFigures_PrintTable ./cmd/handoff/figures
repositories: ## Measures costs of git: HANDOFF_FILES="1 5000" for two sizes, HANDOFF_BEFORE=PROGRAM for an older version
	HANDOFF_FIGURES=1 $(PROOF) -run TestCosts_OfRepositories ./cmd/handoff/figures
scenario: build ## Counts what three models read when they pass five handoffs, by part
	HANDOFF_PROGRAM=$(or $(HANDOFF_PROGRAM),$(CURDIR)/handoff) $(PROOF) -run TestScenario_ ./cmd/handoff/proof
man: ## Writes manual pages, one for each command: MAN=docs/man
	SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct)} go run ./cmd/handoff/internal/manual $(or $(MAN),docs/man)
snapshot: ## Makes the files of a release of HEAD in dist: PLATFORMS=linux/amd64,windows/arm64 for two platforms only
	go run -C cmd/release . -snapshot -platforms "$(PLATFORMS)"
release: ## Makes the version whose tag is at HEAD in dist (docs/releasing.md)
	go run -C cmd/release .
publishable: ## Changes module path, imports and documents to another address: ADDRESS=github.com/owner/handoff
	go run -C cmd/release . -address "$(ADDRESS)"
wine: ## Runs all tests as Windows programs under Wine: WINE_REPORT=FILE lists the result of each
	WINE_REPORT=$(WINE_REPORT) python3 .ci/wine
arm64: ## Runs the program and some tests for arm64 under QEMU
	.ci/run $@
secrets: ## Counts masked samples of gitleaks, and false alarms in CORPUS: needs the module proxy
	HANDOFF_GITLEAKS=1 HANDOFF_CORPUS=$(CORPUS) $(VERBOSE) -run 'Gitleaks|Alarms' ./mailbox/secret
doors: ## Sends all hostile texts through each output, and counts them
	HANDOFF_DOORS=1 $(VERBOSE) -run NothingHostile ./cmd/handoff | grep -E 'of 200 at|^(---|ok|FAIL)'

# Proofs drive the program that HANDOFF_PROGRAM names. If the variable is not set, they build one.
VERBOSE = go test -count=1 -timeout 2h -v
PROOF = HANDOFF_PROOFS=1 $(VERBOSE)

#: Long proofs: CI has shorter runs of them
chaos: ## Kills owners and nodes for ten minutes
	HANDOFF_CHAOS=10m $(PROOF) -run 'TestOwners_KilledLoseNothing|TestNodes_KilledLoseNothing' ./cmd/handoff/together
waits: ## Kills 200 times what serves 100 waits: each ends with the right result
	HANDOFF_KILLS=200 $(PROOF) -run TestTasks_SurviveKills ./cmd/handoff/together
simulation: ## Compares random calls with the rules for ten minutes
	HANDOFF_SIMULATION=10m $(PROOF) -run TestSimulation_RulesHold ./mailbox/simulation
faults: ## Proves that acknowledged calls survive faults of the system
	HANDOFF_FAULTS=1 $(PROOF) ./cmd/handoff/faults
workspaces: ## Spreads 1,000 workspaces over nodes
	HANDOFF_WORKSPACES=1000 $(PROOF) -run TestNodes_ShareManyWorkspaces ./cmd/handoff/together
cycles: ## Starts and ends processes in 200 cycles
	HANDOFF_CYCLES=200 $(PROOF) -run TestProcesses_LeaveNothingBehind ./cmd/handoff/together
lives: ## Plays 500 random lives of sessions: each gets the mail to its name
	HANDOFF_LIVES=500 $(PROOF) -run TestLives_MailReachesSessionThatSpeaks ./cmd/handoff/together
load: ## Passes 100,000 handoffs between agents on other machines
	HANDOFF_LOAD=100000 $(PROOF) -run TestServer_ManyAgentsLoseNothing ./cmd/handoff/network
apart: ## Proves in 10,000 tries that clients cancel only their own requests
	HANDOFF_APART=10000 $(PROOF) -run TestCancel_OnlyOwnRequests ./cmd/handoff/network
rehearsal: ## Loses 100,000 handoffs and restores them from a backup (docs/operations.md)
	HANDOFF_REHEARSAL=100000 $(PROOF) -run TestRehearsal_ ./cmd/handoff/together
believed: ## Proves 16 times that only observed checks count
	HANDOFF_BELIEVED=16 $(PROOF) -run TestObservations_Only ./cmd/handoff/proof
damaged: ## Damages a store in 40 places: each command names the remedy, and the remedy works
	HANDOFF_DAMAGED=40 $(PROOF) -run TestDamage_ ./cmd/handoff/proof
needs: ## Proves over a thousand restarts that each notification comes once: ten minutes
	HANDOFF_NEEDS=100 $(PROOF) -run StatusExec_ ./cmd/handoff/proof
wild: ## Evaluates 10,000 pairs of random files of rules: half an hour
	HANDOFF_WILD=10000 $(PROOF) -run TestWildRules ./cmd/handoff/internal/agentsfile | grep -vE '^ *(---|===)'
flips: ## Proves that verification finds 1,000 flipped bits
	HANDOFF_FLIPS=1000 $(PROOF) -run FindsEachFlippedBit ./cmd/handoff/internal/commands/audit
briefs: ## Proves that 1,000 briefs lose nothing
	HANDOFF_GENERATED=1000 $(PROOF) -run 'LoseNothing|AreLostInNoBrief' ./tools
mutated: ## Imports 500 randomly changed exports: each is refused, or all commands still work
	HANDOFF_MUTATED=500 $(PROOF) -run TestImport_RefusesOrWorks ./mailbox/keeping
overlaps: ## Finds overlaps in 1,000 sets of changes among 5,000 files
	HANDOFF_OVERLAPS=1000 $(PROOF) -run SecondIsDone ./cmd/handoff/internal/project
million: ## Measures the cost of a million completed handoffs: 10 GB in the temporary directory
	HANDOFF_STORED=1000000 $(PROOF) -run TestGrowth_StaysWithinBounds ./cmd/handoff/figures
