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
	"unicode"
	"unicode/utf8"

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
// the full schema, and the fields of the result.
func reference() string {
	var b strings.Builder
	for _, t := range Table {
		fmt.Fprintf(&b, "### `%s`\n\n%s\n\n", t.Name, t.Description)
		b.WriteString("| argument | takes | |\n|---|---|---|\n")
		shown, full := readSchema(t.Input()), t.schema()
		for _, name := range shown.Properties.names {
			argument(&b, name, shown, full)
		}
		fmt.Fprintf(&b, "\nResult: %s\n\n", ticked(readSchema(t.Output()).Properties.names))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// argument writes the row of one argument, and below it a row for each of its fields that is published.
func argument(b *strings.Builder, path string, shown, full *node) {
	name := path[strings.LastIndex(path, ".")+1:]
	s, f := shown.Properties.field(name), full.Properties.field(name)
	if f == nil {
		f = s // agent, which every tool takes
	}
	mark := ""
	if slices.Contains(shown.Required, name) {
		mark = " **required**"
	}
	fmt.Fprintf(b, "| `%s`%s | %s | %s |\n", path, mark, s.short(), cell(cmp.Or(s.Description, f.Description)))
	for _, below := range s.Properties.names {
		argument(b, path+"."+below, s, f)
	}
}

// short says in a cell of a table what a schema takes.
func (n *node) short() string {
	if n.Enum != nil {
		return ticked(n.Enum)
	}
	return n.kind()
}

// cell makes a description begin with a capital, as not all of them do, and stay within its cell.
func cell(text string) string {
	if first, size := utf8.DecodeRuneInString(text); size > 0 {
		text = string(unicode.ToUpper(first)) + text[size:]
	}
	return strings.ReplaceAll(text, "|", `\|`)
}

func ticked(names []string) string { return "`" + strings.Join(names, "` `") + "`" }
