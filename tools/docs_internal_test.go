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

// reference returns a table of the arguments of every tool of [Table], and the names of the fields of its answer. It
// leaves out the meaning of arguments, which the command "handoff tools" prints.
func reference() string {
	common := func(name string) bool { return slices.Contains([]string{"warnings", "inbox", "next"}, name) }
	var b strings.Builder
	for _, t := range Table {
		fmt.Fprintf(&b, "### `%s`\n\n| argument | value |\n|---|---|\n", t.Name)
		shown, full := readSchema(t.InputSchema()), t.schema()
		for _, name := range shown.Properties.names {
			if name != "agent" {
				writeRows(&b, name, shown, full)
			}
		}
		fmt.Fprintf(&b, "| answer | `%s` |\n\n",
			strings.Join(slices.DeleteFunc(readSchema(t.OutputSchema()).Properties.names, common), "` `"))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// writeRows writes the row of one argument, or a row for each of its published fields. If the description of the
// argument lists its fields, the row shows this list.
func writeRows(b *strings.Builder, path string, shown, full *schemaNode) {
	name := path[strings.LastIndex(path, ".")+1:]
	s, f := shown.Properties.field(name), full.Properties.field(name)
	said := "`" + path + "`"
	if slices.Contains(shown.Required, name) {
		said = "**" + said + "**"
	}
	if description := cmp.Or(s.Description, f.Description); strings.HasPrefix(description, "{") {
		fmt.Fprintf(b, "| %s | %s |\n", said, strings.ReplaceAll(description, "|", "\\|"))
	} else if s.Properties.names == nil {
		fmt.Fprintf(b, "| %s | %s |\n", said, s.valueWords())
	}
	for _, below := range s.Properties.names {
		writeRows(b, path+"."+below, s, f)
	}
}

// valueWords says in words which values a schema takes.
func (n *schemaNode) valueWords() string {
	if n.Enum != nil {
		return "`" + strings.Join(n.Enum, "` `") + "`"
	}
	words := map[string]string{"object": "object", "array": "list", "integer": "number", "number": "number", "boolean": "true or false"}
	return cmp.Or(words[n.Type], "text")
}
