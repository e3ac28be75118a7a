package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var linked = regexp.MustCompile(`\]\(([^)#:]+)\)`)

// Each example can be reached from a README, and all links lead somewhere.
func TestExamples_AreAllLinked(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	require.NoError(t, err)
	list, err := os.ReadFile(filepath.Join(examples, "README.md"))
	require.NoError(t, err)
	there, err := os.ReadDir(examples)
	require.NoError(t, err)
	for _, entry := range there {
		name := entry.Name()
		if strings.HasPrefix(name, ".") || name == "README.md" || name == "session.sh" {
			continue // read by clients, by the reader now, and by other examples
		}
		require.Contains(t, string(readme), "](examples/"+name+")")
		require.Contains(t, string(list), "]("+name+")")
	}
	for dir, text := range map[string][]byte{"../..": readme, examples: list} {
		for _, link := range linked.FindAllStringSubmatch(string(text), -1) {
			_, err := os.Stat(filepath.Join(dir, link[1]))
			require.NoError(t, err)
		}
	}
}
