package main

import (
	"regexp"

	"handoff/schemas"
)

// passing matches the path of a program that go run built, which is gone soon after.
var passing = regexp.MustCompile(`[/\\]go-build[0-9]+[/\\]b[0-9]+[/\\]exe[/\\][^/\\]+$|[/\\][0-9a-f]{64}-d[/\\][^/\\]+$`)

// lasting tells whether the program that is to be written into files will be there when clients look.
func (s *setupRun) lasting(want wanted, program string) error {
	written := want.url == "" || want.hooks
	if s.flags.remove || s.flags.check || !written || !passing.MatchString(program) {
		return nil
	}
	return schemas.Errorf(schemas.Unavailable, "go run built this program, and removes it").
		WithHint("go install ./cmd/handoff keeps it: run that, and handoff setup with it.")
}
