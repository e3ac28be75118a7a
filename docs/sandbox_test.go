package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// sandboxStart matches calls that start tests in a sandbox: sandbox.New, and functions that call it.
var sandboxStart = regexp.MustCompile(`\b(sandbox\.New|commandtest\.Main|made\.Run|made\.RunProofs)\(m\)`)

// A sandbox keeps tests away from files and programs of the user that runs them.
func TestSandbox_HasAllTestsOfMachine(t *testing.T) {
	all := listPackages(t)
	sandboxed := 0
	for _, p := range all {
		files, err := filepath.Glob(filepath.Join(p.path, "*_test.go"))
		require.NoError(t, err)
		if len(files) == 0 || !reachesMachine(all, slices.Concat(p.imports, p.tests), map[string]bool{}) {
			continue
		}
		sandboxed++
		if !slices.ContainsFunc(files, func(file string) bool {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			return sandboxStart.Match(text)
		}) {
			t.Errorf("tests of %s reach the package os: begin them with sandbox.New, see the package schemas/sandbox", p.path)
		}
	}
	require.Greater(t, sandboxed, 50)
}

// reachesMachine reports whether one of the imports is os or os/exec, or is one of our packages that imports os
// directly or through others.
func reachesMachine(all []packageImports, imports []string, seen map[string]bool) bool {
	for _, path := range imports {
		if path == "os" || path == "os/exec" {
			return true
		}
		if seen[path] {
			continue
		}
		seen[path] = true
		i := slices.IndexFunc(all, func(p packageImports) bool { return modulePath+"/"+p.path == path })
		if i >= 0 && reachesMachine(all, all[i].imports, seen) {
			return true
		}
	}
	return false
}
