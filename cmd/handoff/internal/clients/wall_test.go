package clients_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/client"
)

// Everything that differs for one client stands in its row of the table. So no other code names a client, or a variable
// of a client. Longer texts for people may name them.
func TestClients_AreNamedOnlyInTable(t *testing.T) {
	names := map[string]bool{}
	for _, c := range client.All() {
		names[c.Name], names[c.MCPName], names[c.Program] = true, true, true
	}
	delete(names, "cursor") // is also an argument of tools
	delete(names, "code")   // is also a word
	for _, dir := range []string{"schemas", "store", "mailbox", "tools", "mcp", "cmd"} {
		require.NoError(t, filepath.WalkDir(root+dir, func(path string, d fs.DirEntry, err error) error {
			test := strings.HasSuffix(path, "_test.go") || strings.HasSuffix(filepath.Dir(path), "test")
			if err != nil || d.IsDir() || test || filepath.Ext(path) != ".go" || filepath.Base(filepath.Dir(path)) == "client" {
				return err
			}
			for _, text := range literals(t, path) {
				require.False(t, names[text], "%s names %s", path, text)
				for _, prefix := range []string{"CLAUDE_", "CODEX_", "GEMINI_"} {
					require.False(t, strings.HasPrefix(text, prefix), "%s names %s", path, text)
				}
			}
			return nil
		}))
	}
}

// literals returns the string literals in a file of Go.
func literals(t *testing.T, path string) (all []string) {
	t.Helper()
	source, err := os.ReadFile(path)
	require.NoError(t, err)
	file, err := parser.ParseFile(token.NewFileSet(), path, source, parser.SkipObjectResolution)
	require.NoError(t, err)
	ast.Inspect(file, func(n ast.Node) bool {
		if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			text, err := strconv.Unquote(literal.Value)
			require.NoError(t, err)
			all = append(all, text)
		}
		return true
	})
	return all
}
