.PHONY: build test race lint fuzz bench golden ci

build:
	CGO_ENABLED=0 go build -trimpath -o handoff ./cmd/handoff

test:
	go test ./...

race lint fuzz:
	.ci/run $@

BENCHTIME ?= 1s
bench:
	BENCHTIME=$(BENCHTIME) .ci/run bench

# Only packages that keep golden files know -update.
golden:
	go test -p 1 $$(git grep -l --untracked 'flag.Bool("update"' -- '*_test.go' | xargs -n 1 dirname | sort -u | sed 's,^,./,') -update

ci:
	.ci/run
