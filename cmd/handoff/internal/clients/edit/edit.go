// Package edit changes single values in configuration files that people and other programs wrote. It keeps every other
// byte, for example comments, blank lines, indentation and line ends.
//
// A JSON text becomes a tree that keeps blanks and comments, and a change replaces one node of the tree. For TOML, a
// change replaces the text between two offsets. In both cases the package then parses the new text. It refuses the
// change if the new text does not parse, or if a value differs that should stay.
package edit

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/schemas"
)

// A Document is the text of a configuration file. A path is a list of keys from the root, and in [JSON] also of indices
// into lists. Set takes a value of the types that [client.Field] lists. Lookup returns a value as the parser made it
// (for example map[string]any), and callers must not change that value. [SameValue] compares a value from Lookup with a
// value for Set. A method that fails changes nothing.
type Document interface {
	// Lookup returns the value at a path. Ok is false if there is no value.
	Lookup(path ...any) (value any, ok bool)
	// Set puts a value at a path, and creates missing objects on the path. It fails if a value on the path is not an
	// object.
	Set(value any, path ...any) error
	// Delete removes the value at a path and its key. It returns nil if there is no value.
	Delete(path ...any) error
	// Bytes gives the text.
	Bytes() []byte
}

// parsedText holds a text and its values.
type parsedText struct {
	mark   string
	text   []byte
	values map[string]any
}

// Lookup returns the value at a path of keys, in JSON also of indices.
func (p *parsedText) Lookup(path ...any) (any, bool) { return lookupValue(p.values, path) }

// Bytes gives the text.
func (p *parsedText) Bytes() []byte { return append([]byte(p.mark), p.text...) }

const byteOrderMark = "\uFEFF"

// ParseDocument parses a text. A text of blanks is an empty document. ParseDocument returns an error if the text does
// not parse. To protect the parser, it also refuses JSON with more than 200 nested levels, and TOML with more than
// 10,000 keys, lists and tables.
func ParseDocument(syntax client.Syntax, text []byte) (Document, error) {
	if err := checkBounds(syntax, text); err != nil {
		return nil, err
	}
	mark := ""
	if rest, marked := bytes.CutPrefix(text, []byte(byteOrderMark)); marked {
		mark, text = byteOrderMark, rest
	}
	if syntax == client.TOML {
		return openTOML(mark, text)
	}
	return openJSON(mark, text)
}

// SameValue reports whether got, a value from Lookup, equals set, a value for Set.
func SameValue(got, set any) bool {
	var a, b any // as encoding/json would read them
	err := errors.Join(schemas.Convert(got, &a), schemas.Convert(set, &b))
	return err == nil && reflect.DeepEqual(a, b)
}

// IsEmptyContainer reports whether a value is an object without fields or a list without elements.
func IsEmptyContainer(got any) bool {
	object, isObject := got.(map[string]any)
	list, isList := got.([]any)
	return isObject && len(object) == 0 || isList && len(list) == 0
}

// replaceBetween replaces the text between two offsets.
func replaceBetween(text []byte, from, to int, by string) []byte {
	return slices.Concat(text[:from], []byte(by), text[to:])
}

// lineEnding returns the line ending of a text.
func lineEnding(text []byte) string {
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// trimBlanks removes the blanks at the end of a text.
func trimBlanks(text []byte) []byte { return bytes.TrimRight(text, " \t\r\n") }

// lineIndent returns the blanks at the start of the line that contains the offset.
func lineIndent(text []byte, at int) string {
	line := text[bytes.LastIndexByte(text[:at], '\n')+1 : at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// pathBlockedError returns the error that a value on the path is neither an object nor a list.
func pathBlockedError(path []any) error {
	if len(path) == 0 {
		return errors.New("it holds no object")
	}
	names := schemas.Map(path, func(step any) string { return fmt.Sprint(step) })
	return fmt.Errorf("%s is something else there", strings.Join(names, "."))
}

// Limits that protect the parsers from a hostile text. Deep nesting could exhaust the stack of the JSON parser. Many
// keys could keep the TOML parser busy for minutes.
const (
	maxDepth = 200    // brackets of JSON around each other
	maxKeys  = 10_000 // signs of a TOML text that begin a value, a list or a table, and names of one of its keys
)

var (
	errDeep = fmt.Errorf("it is nested deeper than %d levels, which no configuration is", maxDepth)
	errMany = fmt.Errorf("it has more than %d keys, lists and tables, which no configuration has", maxKeys)
)

// stringsAndComments matches the strings and comments of JSON, so that brackets in them do not count as nesting. A
// string ends at the end of its line at the latest, as in JSON.
var stringsAndComments = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"(?:[^"\\\n]|\\[^\n])*"?|//[^\n]*|(?s:/\*.*?\*/)`) })

// checkBounds returns an error if a text exceeds the limits above. Such a text must not be parsed.
func checkBounds(syntax client.Syntax, text []byte) error {
	if syntax == client.TOML {
		return checkTOMLBounds(text)
	}
	depth := 0
	for _, sign := range stringsAndComments().ReplaceAllLiteral(text, nil) {
		switch sign {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
		if depth > maxDepth {
			return errDeep
		}
	}
	return nil
}

// checkTOMLBounds returns an error if a TOML text has too many characters that begin a key, a list or a table. It also
// counts the characters in strings and comments: the limit is far above every usual configuration.
func checkTOMLBounds(text []byte) error {
	parts := 0
	for line := range bytes.Lines(text) {
		parts += bytes.Count(line, []byte("=")) + bytes.Count(line, []byte("[")) + bytes.Count(line, []byte("{"))
		if max(parts, bytes.Count(line, []byte("."))) > maxKeys {
			return errMany
		}
	}
	return nil
}
