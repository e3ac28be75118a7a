package edit

import (
	"bytes"
	"fmt"
	"regexp"

	"handoff/cmd/handoff/internal/clients/client"
)

// A parser recurses into nested values, and the parser of TOML compares each key with its neighbours. Somebody could
// write a text that exhausts the stack or takes minutes.
const (
	deepest  = 200    // brackets of JSON around each other
	mostKeys = 10_000 // signs of a TOML text that begin a value, a list or a table, and names of one of its keys
)

var (
	errDeep = fmt.Errorf("it is nested deeper than %d levels, which no configuration is", deepest)
	errMany = fmt.Errorf("it has more than %d keys, lists and tables, which no configuration has", mostKeys)
)

// flat matches the strings and comments of JSON: brackets in them nest nothing. A string ends with its line at the
// latest, as it does not parse then.
var flat = regexp.MustCompile(`"(?:[^"\\\n]|\\[^\n])*"?|//[^\n]*|(?s:/\*.*?\*/)`)

// bounded tells why a text must not be parsed. A text that it lets through may still not parse.
func bounded(syntax client.Syntax, text []byte) error {
	if syntax == client.TOML {
		return boundedTOML(text)
	}
	depth := 0
	for _, sign := range flat.ReplaceAllLiteral(text, nil) {
		switch sign {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		if depth > deepest {
			return errDeep
		}
	}
	return nil
}

// boundedTOML counts the signs in strings and comments too: a configuration has few enough of them in any case. A key
// does not go on in the next line.
func boundedTOML(text []byte) error {
	parts := 0
	for line := range bytes.Lines(text) {
		parts += bytes.Count(line, []byte("=")) + bytes.Count(line, []byte("[")) + bytes.Count(line, []byte("{"))
		if max(parts, bytes.Count(line, []byte("."))) > mostKeys {
			return errMany
		}
	}
	return nil
}
