package docs_test

import (
	"fmt"
	"os"
	"testing"

	"handoff/internal/sandbox"
)

// TestMain runs the tests at the root of the repository, where the paths in the documents begin.
func TestMain(m *testing.M) {
	if err := os.Chdir(".."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(sandbox.New(m).Run())
}
