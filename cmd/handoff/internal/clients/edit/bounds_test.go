package edit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
)

// What is made to exhaust a parser is not parsed. These would overflow the stack, or take minutes.
func TestTextsThatKeepAParserBusyAreRefused(t *testing.T) {
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
			_, err := edit.Open(tt.syntax, []byte(tt.text))
			require.ErrorContains(t, err, tt.why)
		})
	}
}

// Brackets that nest nothing are no depth.
func TestTextsThatOnlyLookDeepAreParsed(t *testing.T) {
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
			_, err := edit.Open(tt.syntax, []byte(tt.text))
			require.NoError(t, err)
		})
	}
}
