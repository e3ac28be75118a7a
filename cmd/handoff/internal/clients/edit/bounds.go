package edit

import (
	"bytes"
	"errors"
	"fmt"

	"handoff/cmd/handoff/internal/clients/client"
)

// A parser recurses into nested values, and the parser of TOML compares each key with its neighbours. Somebody could
// write a text that exhausts the stack or takes minutes.
const (
	deepest  = 200    // brackets around each other, or names of one key
	mostKeys = 10_000 // of a TOML text, the headers of tables included
	mostCuts = 100    // pieces of a text that are removed for one value: each has the text read anew
)

var (
	errDeep = fmt.Errorf("it is nested deeper than %d levels, which no configuration is", deepest)
	errMany = fmt.Errorf("it has more than %d keys, which no configuration has", mostKeys)
	errCuts = errors.New("it is there in more pieces than anybody writes")
)

// bounded tells why a text must not be parsed. A text that it lets through may still not parse.
func bounded(syntax client.Syntax, text []byte) error {
	skip := skipJSON
	if syntax == client.TOML {
		skip = skipTOML
	}
	var m measure
	for i := 0; i < len(text); i++ {
		if n := skip(text[i:]); n > 0 {
			i += n - 1
			continue
		}
		m.take(text[i])
		switch {
		case m.depth > deepest:
			return errDeep
		case syntax == client.TOML && m.names > deepest:
			return errDeep
		case syntax == client.TOML && m.keys > mostKeys:
			return errMany
		}
	}
	return nil
}

// A measure is what was seen of a text so far, without its strings and comments.
type measure struct {
	depth int // of brackets
	names int // of a key, after the first
	keys  int // of TOML, and lists that stand by themselves
}

func (m *measure) take(char byte) {
	switch char {
	case '[', '{':
		if m.depth == 0 {
			m.keys++
		}
		m.depth++
		m.names = 0
	case ']', '}':
		m.depth--
	case '=':
		m.keys++
		m.names = 0
	case '.':
		m.names++
	case ',', '\n':
		m.names = 0
	}
}

// skipJSON gives the length of the string or comment with which a text begins; 0 if it begins with none.
func skipJSON(text []byte) int {
	switch {
	case text[0] == '"':
		return quoted(text, `"`, true)
	case bytes.HasPrefix(text, []byte("//")):
		return through(text, 2, "\n")
	case bytes.HasPrefix(text, []byte("/*")):
		return through(text, 2, "*/")
	}
	return 0
}

// skipTOML is skipJSON for TOML.
func skipTOML(text []byte) int {
	switch {
	case text[0] == '#':
		return through(text, 1, "\n")
	case bytes.HasPrefix(text, []byte(`"""`)):
		return quoted(text, `"""`, true)
	case text[0] == '"':
		return quoted(text, `"`, true)
	case bytes.HasPrefix(text, []byte(`'''`)):
		return through(text, 3, `'''`)
	case text[0] == '\'':
		return quoted(text, `'`, false)
	}
	return 0
}

// through gives the length of a text up to an end, inclusive. It looks for the end from an offset.
func through(text []byte, from int, end string) int {
	at := bytes.Index(text[from:], []byte(end))
	if at < 0 {
		return len(text)
	}
	return from + at + len(end)
}

// quoted gives the length of a string in quotes. A string in single quote characters ends with its line, as it does
// not parse then.
func quoted(text []byte, quote string, escapes bool) int {
	for i := len(quote); i < len(text); i++ {
		switch {
		case escapes && text[i] == '\\':
			i++
		case bytes.HasPrefix(text[i:], []byte(quote)):
			return i + len(quote)
		case text[i] == '\n' && len(quote) == 1:
			return i
		}
	}
	return len(text)
}
