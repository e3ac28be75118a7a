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

// reference returns for every tool of [Table] in Markdown its arguments and its results. The meaning of arguments
// stands in their schemas, which handoff tools prints; here are the fields of arguments that are objects. The common
// fields of all tools stand once, before it.
func reference() string {
	common := func(name string) bool { return slices.Contains([]string{"warnings", "inbox", "next"}, name) }
	var b strings.Builder
	for _, t := range Table {
		fmt.Fprintf(&b, "### `%s`\n\n", t.Name)
		shown, full := readSchema(t.InputSchema()), t.schema()
		var plain []string
		for _, name := range shown.Properties.names {
			if name != "agent" {
				argument(&b, &plain, name, shown, full)
			}
		}
		fmt.Fprintf(&b, "- %s\n- answer: `%s`\n\n", strings.Join(plain, ", "),
			strings.Join(slices.DeleteFunc(readSchema(t.OutputSchema()).Properties.names, common), "` `"))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// argument adds an argument to plain, and each of its published fields. An argument whose description lists its
// fields has a row of its own.
func argument(b *strings.Builder, plain *[]string, path string, shown, full *schemaNode) {
	name := path[strings.LastIndex(path, ".")+1:]
	s, f := shown.Properties.field(name), full.Properties.field(name)
	said := "`" + path + "`" + s.short()
	if slices.Contains(shown.Required, name) {
		said = "**" + said + "**"
	}
	if description := cmp.Or(s.Description, f.Description); strings.HasPrefix(description, "{") {
		fmt.Fprintf(b, "- `%s`: %s\n", path, description)
	} else if s.Properties.names == nil {
		*plain = append(*plain, said)
	}
	for _, below := range s.Properties.names {
		argument(b, plain, path+"."+below, s, f)
	}
}

// short says which values a schema takes, unless it is a single text.
func (n *schemaNode) short() string {
	if n.Enum != nil {
		return " (" + strings.Join(n.Enum, " ") + ")"
	}
	return map[string]string{"object": "{}", "array": "[]", "integer": "#", "number": "#", "boolean": "?"}[n.Type]
}
