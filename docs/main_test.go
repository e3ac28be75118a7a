package docs_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"handoff/schemas/sandbox"
)

// builtProgram is the path of the program that the documents show: HANDOFF_PROGRAM, or a program that TestMain builds.
var builtProgram = os.Getenv("HANDOFF_PROGRAM")

// TestMain runs the tests at the root of the repository, where the paths in the documents begin.
func TestMain(m *testing.M) {
	if err := os.Chdir(".."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(sandbox.New(testRunner{m}).Run())
}

type testRunner struct{ tests *testing.M }

func (s testRunner) Run() int {
	flag.Parse()
	if builtProgram != "" || !sandbox.ProofsEnabled() && !*update {
		return s.tests.Run()
	}
	dir, err := os.MkdirTemp("", "program")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	builtProgram = filepath.Join(dir, "handoff")
	if out, err := exec.Command("go", "build", "-o", builtProgram, "./cmd/handoff").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build: %v\n%s", err, out)
		return 1
	}
	return s.tests.Run()
}
