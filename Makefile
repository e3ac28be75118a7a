.DEFAULT_GOAL := build
.PHONY: help wine arm64 proofs build release snapshot man test race lint fuzz bench figures million chaos workspaces cycles load rehearsal simulation briefs apart faults overlaps secrets doors golden believed needs flips wild mutated ci

# What there is to make, with what is said of it here: make help.
help:
	@awk '/^#/ { said = said $$0 "\n"; next } /^[a-z].*:/ && !/export/ { sub(/:.*/, ""); printf "%s  %s\n", said, $$0 } { said = "" }' Makefile

build:
	CGO_ENABLED=0 go build -trimpath -o handoff ./cmd/handoff

# Packages for every platform, in dist: of the version whose tag is at HEAD, or of HEAD (docs/releasing.md). Some alone:
# make snapshot PLATFORMS=linux/amd64,windows/arm64
release:
	go run -C cmd/release .
snapshot:
	go run -C cmd/release . -snapshot -platforms "$(PLATFORMS)"

# Manual pages, one for each command: make man MAN=/usr/local/share/man/man1
MAN ?= docs/man
man:
	SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct)} go run ./cmd/handoff/internal/manual $(MAN)

# Tests that take more than some seconds are proofs: go test says that it leaves them out. All of them: make proofs.
test:
	go test ./...
proofs: build
	HANDOFF_PROGRAM=$(CURDIR)/handoff HANDOFF_PROOFS=1 go test -count=1 -timeout 30m ./...
# One proof each asks for itself. HANDOFF_PROGRAM names the program that they drive; without it they build it before they begin.
bench figures million chaos workspaces cycles load simulation rehearsal believed needs flips wild briefs faults apart overlaps: export HANDOFF_PROOFS = 1

race lint fuzz:
	.ci/run $@

# All benchmarks, and then the table of docs/performance.md, which alone takes eight minutes: make figures.
BENCHTIME ?= 1s
bench:
	BENCHTIME=$(BENCHTIME) .ci/run bench
	$(MAKE) figures
figures:
	HANDOFF_FIGURES=1 go test -count=1 -timeout 30m -v -run TestFigures ./cmd/handoff/figures
# What a million completed handoffs cost beside none, as long as it takes to make them: 10 GB in the temporary directory.
million:
	HANDOFF_STORED=1000000 go test -count=1 -timeout 90m -v -run TestGrowth ./cmd/handoff/figures

# More of what CI does: 20 seconds of chaos, 15 of simulation, 200 workspaces, twenty cycles, 2,000 handoffs, 50 flipped bits,
# 40 briefs and 100 tries.
chaos:
	HANDOFF_CHAOS=10m go test -count=1 -timeout 30m -v -run 'TestKilledOwnersLoseNothing|TestNodesThatDieLoseNothing' ./cmd/handoff/together
workspaces:
	HANDOFF_WORKSPACES=1000 go test -count=1 -timeout 15m -v -run TestManyWorkspacesSpreadOverNodes ./cmd/handoff/together
cycles:
	HANDOFF_CYCLES=200 go test -count=1 -timeout 15m -v -run TestProcessesThatComeAndGoLeaveNothing ./cmd/handoff/together
load:
	HANDOFF_LOAD=100000 go test -count=1 -timeout 15m -v -run TestManyAgentsAtOnceLoseNothing ./cmd/handoff/network
simulation:
	HANDOFF_SIMULATION=10m go test -count=1 -timeout 15m -v -run TestRulesHoldWhateverHappens ./mailbox/simulation

# Eight clients work, a backup is made, everything is lost and brought back (docs/operations.md), with 100,000 handoffs.
rehearsal:
	HANDOFF_REHEARSAL=100000 go test -count=1 -timeout 120m -v -run AfterABadDay ./cmd/handoff/together
believed:
	HANDOFF_BELIEVED=16 go test -count=1 -timeout 40m -v -run TestOnlyWhatWasSeen ./cmd/handoff/proof
# What needs a person is told once, over a thousand restarts: ten minutes.
needs:
	HANDOFF_NEEDS=100 go test -count=1 -timeout 40m -v -run StatusExec_ ./cmd/handoff/proof
# 10,000 pairs of files with rules by chance, each in a workspace of its own: half an hour.
wild:
	HANDOFF_WILD=10000 go test -count=1 -timeout 120m -v -run TestWildRules ./cmd/handoff/internal/agentsfile | grep -vE '^ *(---|===)'
flips:
	HANDOFF_FLIPS=1000 go test -count=1 -timeout 30m -v -run FindsEachFlippedBit ./cmd/handoff/internal/commands/audit
briefs:
	HANDOFF_GENERATED=1000 go test -count=1 -timeout 15m -v -run 'LoseNothing|AreLostInNoBrief' ./tools
# 500 exports that were changed by chance, under hashes that hold: each is refused, or all commands go on.
mutated:
	HANDOFF_MUTATED=500 go test -count=1 -timeout 15m -v -run TestImport_RefusesOrWorks ./mailbox
faults:
	HANDOFF_FAULTS=1 go test -count=1 -timeout 15m -v ./cmd/handoff/faults
apart:
	HANDOFF_APART=10000 go test -count=1 -timeout 15m -v -run TestClientsCancelOnlyTheirOwnRequests ./cmd/handoff/network

# 1,000 sets of changes in a repository of 5,000 files, and what a claim costs beside those of seven others.
overlaps:
	HANDOFF_OVERLAPS=1000 go test -count=1 -timeout 60m -v -run SecondIsDone ./cmd/handoff/internal/project
	go test -run - -bench ClaimBeside ./mailbox

# What is masked of the samples that gitleaks keeps beside its rules: needs the module proxy. CORPUS: more that is no secret.
secrets:
	HANDOFF_GITLEAKS=1 HANDOFF_CORPUS=$(CORPUS) go test -count=1 -v -run 'Gitleaks|Alarms' ./mailbox/secret

# All hostile texts through each way out, and how many came out of each.
doors:
	HANDOFF_DOORS=1 go test -count=1 -v -run NothingHostile ./cmd/handoff | grep -E 'of 200 at|^(---|ok|FAIL)'

# Only packages that keep golden files know -update.
golden:
	go test -p 1 $$(git grep -lE --untracked 'flag.Bool\("update"|golden\.Equal' -- '*_test.go' | xargs -n 1 dirname | sort -u | sed 's,^,./,') -update

# All tests as Windows programs, under Wine, and how each ended: make wine WINE_REPORT=FILE.
wine:
	WINE_REPORT=$(WINE_REPORT) python3 .ci/wine
arm64:
	.ci/run arm64

ci:
	.ci/run
