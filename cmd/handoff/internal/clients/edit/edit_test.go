package edit_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
)

var entry = client.Object{{Key: "command", Value: "handoff"}, {Key: "args", Value: []string{"mcp"}}}

func opened(t *testing.T, syntax client.Syntax, text string) edit.Document {
	t.Helper()
	doc, err := edit.ParseDocument(syntax, []byte(text))
	require.NoError(t, err)
	return doc
}

// A case is two texts, before and after a server was added. Removing the server restores the first.
func TestSet_LeavesRestAndDeleteRestores(t *testing.T) {
	for name, tt := range map[string]struct {
		syntax        client.Syntax
		before, after string
	}{
		"comment at the end of a line": {
			client.JSON, "{\n  \"s\": {\n    \"a\": 1 // one\n  }\n}",
			"{\n  \"s\": {\n    \"a\": 1, // one\n    \"handoff\": {\n      \"command\": \"handoff\",\n      \"args\": [\n        \"mcp\"\n      ]\n    }\n  }\n}",
		},
		"trailing comma": {
			client.JSON, "{\n\t\"s\": {\n\t\t\"a\": 1,\n\t},\n}",
			"{\n\t\"s\": {\n\t\t\"a\": 1,\n\t\t\"handoff\": {\n\t\t\t\"command\": \"handoff\",\n\t\t\t\"args\": [\n\t\t\t\t\"mcp\"\n\t\t\t]\n\t\t},\n\t},\n}",
		},
		"one line":     {client.JSON, `{"s":{"a":1}}`, `{"s":{"a":1,"handoff":{"command":"handoff","args":["mcp"]}}}`},
		"one line,":    {client.JSON, `{"s": {"a": 1, "b": 2,}}`, `{"s": {"a": 1, "b": 2, "handoff": {"command":"handoff","args":["mcp"]},}}`},
		"table":        {client.TOML, "x = 1\n", "x = 1\n\n[s.handoff]\ncommand = \"handoff\"\nargs = [\"mcp\"]\n"},
		"lines of DOS": {client.TOML, "x = 1\r\n", "x = 1\r\n\r\n[s.handoff]\r\ncommand = \"handoff\"\r\nargs = [\"mcp\"]\r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			doc := opened(t, tt.syntax, tt.before)
			require.NoError(t, doc.Set(entry, "s", "handoff"))
			require.Equal(t, tt.after, string(doc.Bytes()))
			require.NoError(t, doc.Delete("s", "handoff"))
			require.Equal(t, tt.before, string(doc.Bytes()))
		})
	}
}

func TestSet_OfOneValueLeavesRest(t *testing.T) {
	for name, tt := range map[string]struct {
		syntax        client.Syntax
		before, after string
	}{
		"JSON":        {client.JSON, `{"s": {"a": "old" /* a */, "b": [1,2]}}`, `{"s": {"a": "new" /* a */, "b": [1,2]}}`},
		"last of two": {client.JSON, `{"s": {"a": "one", "a": "old"}}`, `{"s": {"a": "one", "a": "new"}}`},
		"table":       {client.TOML, "[s]\na = \"old\" # a\n[[s.b]]\na = \"old\"\n", "[s]\na = \"new\" # a\n[[s.b]]\na = \"old\"\n"},
		"dotted":      {client.TOML, "s . \"a\" = 'old'\n", "s . \"a\" = \"new\"\n"},
		"added to it": {client.TOML, "[s] # s\nb = 1 # b\n\n# t\n[t]\n", "[s] # s\nb = 1 # b\na = \"new\"\n\n# t\n[t]\n"},
		"empty table": {client.TOML, "[s]", "[s]\na = \"new\""},
	} {
		t.Run(name, func(t *testing.T) {
			doc := opened(t, tt.syntax, tt.before)
			require.NoError(t, doc.Set("new", "s", "a"))
			require.Equal(t, tt.after, string(doc.Bytes()))
		})
	}
}

func TestDelete_LeavesRest(t *testing.T) {
	for name, tt := range map[string]struct {
		syntax        client.Syntax
		before, after string
		path          []any
	}{
		"first":          {client.JSON, `{"a": 1, "b": 2}`, `{ "b": 2}`, []any{"a"}},
		"only":           {client.JSON, "{\n  \"a\": 1\n}", "{}", []any{"a"}},
		"with a comment": {client.JSON, "{\n  // keep\n  \"a\": 1\n}", "{\n  // keep\n}", []any{"a"}},
		"of an array":    {client.JSON, `{"a": [1, 2, 3]}`, `{"a": [1, 3]}`, []any{"a", 1}},
		"not there":      {client.JSON, `{"a": [1]}`, `{"a": [1]}`, []any{"a", 1}},
		"nor above it":   {client.JSON, `{"a": 1}`, `{"a": 1}`, []any{"b", "c"}},
		"of another":     {client.TOML, "[[a]]\nb = 1\n", "[[a]]\nb = 1\n", []any{"a", "b"}},
		"tables":         {client.TOML, "[a.b]\nx = 1\n# kept\n[a.c]\n[a.b.d]\ny = 1\n", "# kept\n[a.c]\n", []any{"a", "b"}},
		"dotted keys":    {client.TOML, "a.b.c = 1\na.d = 2\na.b.e = 3", "a.d = 2\n", []any{"a", "b"}},
	} {
		t.Run(name, func(t *testing.T) {
			doc := opened(t, tt.syntax, tt.before)
			require.NoError(t, doc.Delete(tt.path...))
			require.Equal(t, tt.after, string(doc.Bytes()))
		})
	}
}

// A key of a list of tables has no position of its own: a new key would belong to the last table.
func TestSet_RefusesChangeOfOtherValues(t *testing.T) {
	for text, path := range map[string][]any{
		"[[s]]\nb = 1\n":        {"s", "a", "c"},
		"[[x]]\n[x.s]\nb = 1\n": {"x", "s", "a"},
		"[[s]]\n[s.a]\nc = 1\n": {"s", "a"},
		"s = { b = 1 }\n":       {"s", "a"},
		"s.b = {}\n":            {"s", "b", "c"},
	} {
		doc := opened(t, client.TOML, text)
		before, _ := doc.Lookup()
		require.Error(t, doc.Set(entry, path...), text)
		require.Equal(t, text, string(doc.Bytes()))
		after, _ := doc.Lookup()
		require.Equal(t, before, after)
	}
}

func TestCheckSyntax_DependsOnSyntax(t *testing.T) {
	for text, want := range map[string]map[client.Syntax]bool{
		`{"a": "// no , ]"}`: {client.BareJSON: true, client.JSON: true, client.CommentedJSON: true, client.LooseJSON: true},
		"\uFEFF{}":           {client.BareJSON: false, client.JSON: true, client.CommentedJSON: true, client.LooseJSON: true},
		"{} // c":            {client.BareJSON: false, client.JSON: false, client.CommentedJSON: true, client.LooseJSON: true},
		`{"a": [ /* c */ ]}`: {client.BareJSON: false, client.JSON: false, client.CommentedJSON: true, client.LooseJSON: true},
		`{"a": [1,]}`:        {client.BareJSON: false, client.JSON: false, client.CommentedJSON: false, client.LooseJSON: true},
	} {
		doc := opened(t, client.JSON, text)
		for syntax, reads := range want {
			require.Equal(t, reads, doc.(*edit.JSON).CheckSyntax(syntax) == nil, "%s as %s", text, syntax)
		}
	}
}

// FuzzJSON adds a value to any JSON text and removes it again. The other values stay.
func FuzzJSON(f *testing.F) {
	seeds(f, "*.json")
	f.Fuzz(func(t *testing.T, text []byte) { addAndDelete(t, client.LooseJSON, text) })
}

// FuzzTOML does the same with TOML.
func FuzzTOML(f *testing.F) {
	seeds(f, "*.toml")
	f.Fuzz(func(t *testing.T, text []byte) { addAndDelete(t, client.TOML, text) })
}

func seeds(f *testing.F, pattern string) {
	f.Helper()
	files, err := filepath.Glob(filepath.Join("..", "setup", "testdata", "configs", "*", "*", pattern))
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(text)
	}
}

func addAndDelete(t *testing.T, syntax client.Syntax, text []byte) {
	t.Helper()
	doc, err := edit.ParseDocument(syntax, text)
	if err != nil {
		return
	}
	before, ok := doc.Lookup()
	if _, there := doc.Lookup("mcpServers", "handoff"); there || !ok {
		return
	}
	same := doc.Bytes()
	if doc.Set(entry, "mcpServers", "handoff") != nil {
		require.Equal(t, string(same), string(doc.Bytes()))
		return
	}
	got, ok := doc.Lookup("mcpServers", "handoff")
	require.True(t, ok)
	require.True(t, edit.SameValue(got, entry), "%s", doc.Bytes())
	require.NoError(t, doc.Delete("mcpServers", "handoff"))
	after, ok := doc.Lookup()
	require.True(t, ok)
	require.Equal(t, bare(before), bare(after), "%s", doc.Bytes())
}

// bare returns the values of a document, without an empty list of servers.
func bare(v any) any {
	root := v.(map[string]any)
	if servers, ok := root["mcpServers"].(map[string]any); root["mcpServers"] == nil || ok && len(servers) == 0 {
		delete(root, "mcpServers")
	}
	text, err := json.Marshal(root)
	if err != nil { // infinity is no JSON
		return len(root)
	}
	return strings.TrimSpace(string(text))
}

// Open parses no text that was made to exhaust a parser. These texts would overflow the stack, or take minutes.
func TestParseDocument_RefusesTextsThatExhaustParser(t *testing.T) {
	var tables, keys strings.Builder
	for n := range 100_000 {
		fmt.Fprintf(&tables, "[a%d]\n", n)
		fmt.Fprintf(&keys, "a%d=1\n", n)
	}
	const many = 500_000
	for name, tt := range map[string]struct {
		syntax client.Syntax
		text   string
		why    string
	}{
		"lists":            {client.LooseJSON, `{"a": ` + strings.Repeat("[", many), "nested deeper"},
		"objects":          {client.JSON, strings.Repeat(`{"a":`, many), "nested deeper"},
		"after a string":   {client.JSON, `{"a\\": "]]]\"]]", "b": ` + strings.Repeat("[", many), "nested deeper"},
		"after a comment":  {client.LooseJSON, "// \"\n/* \" */ {\"b\": " + strings.Repeat("[", many), "nested deeper"},
		"lists of TOML":    {client.TOML, "a = " + strings.Repeat("[", many), "more than 10000 keys"},
		"tables of TOML":   {client.TOML, "a = " + strings.Repeat("{a=", many), "more than 10000 keys"},
		"dotted":           {client.TOML, "a" + strings.Repeat(".a", many) + " = 1", "more than 10000 keys"},
		"after strings":    {client.TOML, "a = '\\' # '\nb = \"\"\"\n'''\\\"\"\"\"\nc = '''\n\"\\'''\nd = " + strings.Repeat("[", many), "more than 10000 keys"},
		"headers":          {client.TOML, tables.String(), "more than 10000 keys"},
		"keys":             {client.TOML, keys.String(), "more than 10000 keys"},
		"keys of one line": {client.TOML, "a = {" + strings.ReplaceAll(keys.String(), "\n", ",") + "}", "more than 10000 keys"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := edit.ParseDocument(tt.syntax, []byte(tt.text))
			require.ErrorContains(t, err, tt.why)
		})
	}
}

// Brackets in strings and comments add no depth.
func TestParseDocument_IgnoresBracketsInStringsAndComments(t *testing.T) {
	const many = 1000
	for name, tt := range map[string]struct {
		syntax client.Syntax
		text   string
	}{
		"string":             {client.JSON, `{"a": "` + strings.Repeat(`[\"`, many) + `"}`},
		"comments":           {client.LooseJSON, "{\n" + strings.Repeat("// [\n/* { */\n", many) + "}"},
		"beside each other":  {client.JSON, `{"a": [` + strings.Repeat("[[]],", many) + "0]}"},
		"strings of TOML":    {client.TOML, strings.Repeat("x = [\"[\", '{', \"\"\"\n[\"{\"\"\", '''\n['{''']\n", 1) + "y = '" + strings.Repeat("[", many) + "'"},
		"comments of TOML":   {client.TOML, strings.Repeat("# [ \" ' = .a.b\n", many)},
		"headers":            {client.TOML, strings.Repeat("[[a]]\n", many)},
		"dots in many keys":  {client.TOML, "[a]\n" + strings.Repeat("[[b.c.d]]\nx.y = 1.5\n", many)},
		"as deep as may be":  {client.JSON, strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200)},
		"ends in a string":   {client.TOML, "a = 1 # \"[\n"},
		"nothing but blanks": {client.TOML, " \n"},
	} {
		t.Run(name, func(t *testing.T) {
			opened(t, tt.syntax, tt.text)
		})
	}
}
