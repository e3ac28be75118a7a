package tools

// The schemas are read as the decoder reads them, which nothing else outside of this package has to.

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

func TestReferenceDescribesTheTools(t *testing.T) {
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

// reference describes every tool of [Table] in Markdown, for people: the published arguments with the descriptions of
// the full schema, and the fields of the result. What all tools have stands once, before it.
func reference() string {
	common := func(name string) bool { return slices.Contains([]string{"warnings", "inbox", "next"}, name) }
	var b strings.Builder
	for _, t := range Table {
		fmt.Fprintf(&b, "### `%s`\n\n%s\n\n", t.Name, t.Description)
		shown, full := readSchema(t.Input()), t.schema()
		var plain []string
		for _, name := range shown.Properties.names {
			if name != "agent" {
				argument(&b, &plain, name, shown, full)
			}
		}
		if plain != nil {
			fmt.Fprintf(&b, "- %s\n", strings.Join(plain, ", "))
		}
		fmt.Fprintf(&b, "\nResult: `%s`\n\n", strings.Join(slices.DeleteFunc(readSchema(t.Output()).Properties.names, common), "` `"))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// argument writes the row of one argument, and below it a row for each of its fields that is published. One that its
// name explains is added to plain.
func argument(b *strings.Builder, plain *[]string, path string, shown, full *node) {
	name := path[strings.LastIndex(path, ".")+1:]
	s, f := shown.Properties.field(name), full.Properties.field(name)
	said := "`" + path + "`" + s.short()
	if slices.Contains(shown.Required, name) {
		said = "**" + said + "**"
	}
	switch description := cmp.Or(s.Description, f.Description); {
	case description != "":
		fmt.Fprintf(b, "- %s: %s\n", said, description)
	case s.Properties.names == nil:
		*plain = append(*plain, said)
	}
	for _, below := range s.Properties.names {
		argument(b, plain, path+"."+below, s, f)
	}
}

// short says what a schema takes, if that is anything but one text.
func (n *node) short() string {
	if n.Enum != nil {
		return " (" + strings.Join(n.Enum, ", ") + ")"
	}
	return map[string]string{"object": " {}", "array": "[]", "integer": " (number)", "number": " (number)", "boolean": " (bool)"}[n.Type]
}
