//go:build unix

package doctor_test

import (
	"testing"

	"handoff/cmd/handoff/internal/doctor"
)

func TestWhichProgramPATHLeadsTo(t *testing.T) {
	w := newWorld(t)
	version := func(p doctor.Program) []doctor.Finding { return doctor.Version(t.Context(), p, w.bench.Machine) }
	requireFinding(t, version(w.bench.Program), doctor.Warning, "PATH leads to none", "ln -s ")
	w.write(w.bench.Program.Path, "#!/bin/sh\necho '{\"version\": \"v0.9.0\"}'\n")
	requireFinding(t, version(w.bench.Program), doctor.OK, "this is handoff v1.0.0, and PATH leads to it", "")
	elsewhere := doctor.Program{Path: w.write("here/handoff", ""), Version: "v1.0.0"}
	requireFinding(t, version(elsewhere), doctor.Warning, "and PATH leads to another, v0.9.0: ", "ln -sf ")
	elsewhere.Version = "v0.9.0"
	requireFinding(t, version(elsewhere), doctor.OK, "another file of that version", "")
}
