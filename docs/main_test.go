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

// built is the program that documents show: the file that HANDOFF_PROGRAM names, or one made before the tests.
var built = os.Getenv("HANDOFF_PROGRAM")

// TestMain runs the tests at the root of the repository, where the paths in the documents begin.
func TestMain(m *testing.M) {
	if err := os.Chdir(".."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(sandbox.New(showing{m}).Run())
}

type showing struct{ tests *testing.M }

func (s showing) Run() int {
	flag.Parse()
	if built != "" || !sandbox.Proofs() && !*update {
		return s.tests.Run()
	}
	dir, err := os.MkdirTemp("", "program")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	built = filepath.Join(dir, "handoff")
	if out, err := exec.Command("go", "build", "-o", built, "./cmd/handoff").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build: %v\n%s", err, out)
		return 1
	}
	return s.tests.Run()
}
