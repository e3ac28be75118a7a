// Package edit changes single values in configuration files that people and other programs wrote. It leaves every other
// byte as it is: comments, blank lines, indentation, line ends, trailing commas, a byte order mark.
//
// The parser of JSON returns parts that keep blanks and comments, and a change replaces one of these parts. The parser
// of TOML returns the position of each value, and a change replaces the text at that position. The package parses the
// new text before it accepts the change. It refuses the change if the new text does not parse, or if any other value
// would differ.
package edit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"sync"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/schemas"
)

// A Document is the text of a configuration file. A path is a list of keys from the root. In [JSON] it may also contain
// indices into lists. A value to set has one of the types of a [client.Field]. A value from Look has a type of
// encoding/json or of the parser of TOML, and a number of JSON stays as it is written: see [SameValue]. Callers must not
// change the values from Look. A method that fails changes nothing.
type Document interface {
	// Lookup returns the value at a path. Ok is false if there is no value.
	Lookup(path ...any) (value any, ok bool)
	// Set puts a value at a path, and makes the missing objects on the way. It fails if a value on the way is not an
	// object.
	Set(value any, path ...any) error
	// Delete removes the value at a path and its key. A missing value is no error.
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

// Lookup gives the value at a path of keys, and in JSON of indices.
func (p *parsedText) Lookup(path ...any) (any, bool) { return lookupValue(p.values, path) }

// Bytes gives the text.
func (p *parsedText) Bytes() []byte { return append([]byte(p.mark), p.text...) }

const byteOrderMark = "\uFEFF"

// Open parses a text. A text that contains only blanks is an empty document. Open returns an error if the text does not
// parse. To protect the parser, it also refuses JSON that is nested deeper than 200 levels, and TOML with more than
// 10,000 keys, lists and tables.
func Open(syntax client.Syntax, text []byte) (Document, error) {
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

// SameValue reports whether a value from Look is the same as a value to set.
func SameValue(got, set any) bool {
	a, errA := toJSONTypes(got)
	b, errB := toJSONTypes(set)
	return errA == nil && errB == nil && reflect.DeepEqual(a, b)
}

// IsEmpty reports whether a value is an object without fields or a list without elements.
func IsEmpty(got any) bool {
	object, isObject := got.(map[string]any)
	list, isList := got.([]any)
	return isObject && len(object) == 0 || isList && len(list) == 0
}

// toJSONTypes returns a value as encoding/json would read it.
func toJSONTypes(value any) (v any, err error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return v, json.Unmarshal(text, &v)
}

// replaceBetween replaces the text between two offsets.
func replaceBetween(text []byte, from, to int, by string) []byte {
	out := make([]byte, 0, len(text)+len(by))
	out = append(out, text[:from]...)
	out = append(out, by...)
	return append(out, text[to:]...)
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

// lineIndent returns the blanks at the beginning of the line that contains an offset.
func lineIndent(text []byte, at int) string {
	line := text[bytes.LastIndexByte(text[:at], '\n')+1 : at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// errPathBlocked returns the error that a value on a path has the wrong type.
func errPathBlocked(path []any) error {
	if len(path) == 0 {
		return errors.New("it holds no object")
	}
	names := schemas.Map(path, func(step any) string { return fmt.Sprint(step) })
	return fmt.Errorf("%s is something else there", strings.Join(names, "."))
}

// These limits protect the two parsers from a hostile text. The parser of JSON recurses into nested values, so deep
// nesting could exhaust the stack. The parser of TOML compares each key with its neighbours, so many keys could take
// minutes.
const (
	maxDepth = 200    // brackets of JSON around each other
	maxKeys  = 10_000 // signs of a TOML text that begin a value, a list or a table, and names of one of its keys
)

var (
	errDeep = fmt.Errorf("it is nested deeper than %d levels, which no configuration is", maxDepth)
	errMany = fmt.Errorf("it has more than %d keys, lists and tables, which no configuration has", maxKeys)
)

// stringsAndComments matches the strings and comments of JSON, so that brackets in them do not count as nesting. The
// pattern ends a string at the end of the line, because a string of JSON cannot continue on the next line.
var stringsAndComments = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"(?:[^"\\\n]|\\[^\n])*"?|//[^\n]*|(?s:/\*.*?\*/)`) })

// checkBounds returns an error if a text exceeds the limits above, so that it must not be parsed. A text within the
// limits may still fail to parse.
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

// checkTOMLBounds counts the signs that begin keys, lists and tables. It also counts these signs in strings and
// comments: no usual configuration comes near the limit. A key ends on its line.
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
