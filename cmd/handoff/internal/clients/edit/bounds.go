package edit

import (
	"bytes"
	"fmt"

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

// bounded tells why a text must not be parsed. A text that it lets through may still not parse.
func bounded(syntax client.Syntax, text []byte) error {
	if syntax == client.TOML {
		return boundedTOML(text)
	}
	depth := 0
	for i := 0; i < len(text); i++ {
		if n := skipped(text[i:]); n > 0 {
			i += n - 1
			continue
		}
		switch text[i] {
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

// skipped gives the length of the string or comment with which a text of JSON begins; 0 if it begins with none.
func skipped(text []byte) int {
	switch {
	case text[0] == '"':
		return quoted(text)
	case bytes.HasPrefix(text, []byte("//")):
		return through(text, "\n")
	case bytes.HasPrefix(text, []byte("/*")):
		return through(text, "*/")
	}
	return 0
}

// through gives the length of a comment up to an end, inclusive.
func through(text []byte, end string) int {
	at := bytes.Index(text[2:], []byte(end))
	if at < 0 {
		return len(text)
	}
	return 2 + at + len(end)
}

// quoted gives the length of a string. It ends with its line, as it does not parse then.
func quoted(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"', '\n':
			return i + 1
		}
	}
	return len(text)
}
