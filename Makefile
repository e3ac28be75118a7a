.PHONY: build man test race lint fuzz bench chaos cycles load golden ci

build:
	CGO_ENABLED=0 go build -trimpath -o handoff ./cmd/handoff

# Manual pages, one for each command: make man MAN=/usr/local/share/man/man1
MAN ?= docs/man
man:
	go run ./cmd/handoff man $(MAN)

test:
	go test ./...

race lint fuzz:
	.ci/run $@

BENCHTIME ?= 1s
bench:
	BENCHTIME=$(BENCHTIME) .ci/run bench

# What CI does for a minute, for twenty cycles, and with 2000 handoffs.
chaos:
	HANDOFF_CHAOS=10m go test -count=1 -timeout 25m -v -run TestOwnersAreKilled ./cmd/handoff/together
cycles:
	HANDOFF_CYCLES=200 go test -count=1 -timeout 15m -v -run TestProcessesComeAndGo ./cmd/handoff/together
load:
	HANDOFF_LOAD=20000 go test -count=1 -timeout 5m -v -run TestManyAgentsAtOnce ./cmd/handoff/network

# Only packages that keep golden files know -update.
golden:
	go test -p 1 $$(git grep -l --untracked 'flag.Bool("update"' -- '*_test.go' | xargs -n 1 dirname | sort -u | sed 's,^,./,') -update

ci:
	.ci/run
