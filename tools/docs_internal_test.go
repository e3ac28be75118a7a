package tools

// The test reads the schemas as the decoder does, which no package outside needs.

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite the reference in docs/tools.md")

func TestToolsDocument_DescribesEveryTool(t *testing.T) {
	const document, begin, end = "../docs/tools.md", "<!-- tools:begin -->\n", "<!-- tools:end -->"
	b, err := os.ReadFile(document)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(b), begin)
	require.True(t, found, "no line %s", begin)
	_, after, found := strings.Cut(rest, end)
	require.True(t, found, "no line %s", end)
	want := before + begin + "\n" + reference() + "\n" + end + after
	if *update {
		require.NoError(t, os.WriteFile(document, []byte(want), 0o600))
		return
	}
	require.Equal(t, want, string(b), "docs/tools.md is stale: go test ./tools -update")
}

// reference returns a table of the arguments of every tool of [Table], and the names of the fields of its answer.
// Arguments that models do not see are in italics. It leaves out the meaning of arguments, which the command "handoff
// tools" prints.
func reference() string {
	common := func(name string) bool { return slices.Contains([]string{"warnings", "inbox", "next"}, name) }
	var b strings.Builder
	for _, t := range Table() {
		fmt.Fprintf(&b, "### `%s`\n\n| argument | value |\n|---|---|\n", t.Name)
		shown := readSchema(t.InputSchema())
		for _, name := range t.schema().suggestedFields() {
			value, mark := t.schema().Properties.field(name).valueWords(), ""
			switch {
			case slices.Contains(shown.Required, name):
				mark = "**"
			case shown.Properties.field(name) == nil:
				mark = "*"
			}
			fmt.Fprintf(&b, "| %s`%s`%s | %s |\n", mark, name, mark, strings.ReplaceAll(value, "|", "\\|"))
		}
		fmt.Fprintf(&b, "| answer | `%s` |\n\n",
			strings.Join(slices.DeleteFunc(readSchema(t.OutputSchema()).Properties.names, common), "` `"))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// valueWords says in words which values a schema takes.
func (n *schemaNode) valueWords() string {
	switch {
	case n.Any:
		return "any JSON"
	case n.Enum != nil:
		return "`" + strings.Join(n.Enum, "` `") + "`"
	case strings.HasPrefix(n.Description, "{"):
		return n.Description
	case n.Form != "":
		return n.Form
	case n.Type == "array" && n.Items.read().Form != "":
		return n.Items.read().Form + "[]"
	}
	words := map[string]string{"object": "object", "array": "list", "integer": "number", "number": "number", "boolean": "true or false"}
	return cmp.Or(words[n.Type], "text")
}
