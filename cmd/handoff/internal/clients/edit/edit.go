// Package edit changes single values in configuration files that people and other programs wrote. It leaves every
// other byte as it is: comments, blank lines, indentation, line ends, trailing commas, a byte order mark.
//
// JSON is parsed into parts that keep blanks and comments, and a change is one of these parts. The parser of TOML says
// where each value stands, and a change is a splice of the text there. The package parses the new text before it takes
// it. It makes no change after which the text would not parse, would not say what was asked for, or would say anything
// else than before besides.
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

// A Document is the text of a configuration file. A path is a list of keys from the root, and in [JSON] also of indices
// into lists. Values to set are those of a [client.Field]. Values from Look are as encoding/json or the parser of TOML
// gives them, with the numbers of JSON as they are written: see [Same]. Callers do not change them. A method
// that fails changes nothing.
type Document interface {
	// Look gives the value at a path; ok is false if there is none.
	Look(path ...any) (value any, ok bool)
	// Set puts a value at a path, and makes the objects on the way. It fails if something on the way is no object.
	Set(value any, path ...any) error
	// Delete removes the value at a path and its key. It is no error if there is nothing.
	Delete(path ...any) error
	// Bytes gives the text.
	Bytes() []byte
}

// parsed is a text with what it says.
type parsed struct {
	mark string
	text []byte
	said map[string]any
}

// Look gives the value at a path of keys, and in JSON of indices.
func (p *parsed) Look(path ...any) (any, bool) { return look(p.said, path) }

// Bytes gives the text.
func (p *parsed) Bytes() []byte { return append([]byte(p.mark), p.text...) }

const byteOrderMark = "\uFEFF"

// Open parses a text. A text of nothing but blanks is an empty document. The error says that the text does not
// parse, or that it would keep a parser busy: it is JSON nested deeper than 200 levels, or TOML with more
// than 10,000 keys, lists and tables.
func Open(syntax client.Syntax, text []byte) (Document, error) {
	if err := bounded(syntax, text); err != nil {
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

// Same tells whether a value from Look is the same as one to set.
func Same(got, set any) bool {
	a, errA := plain(got)
	b, errB := plain(set)
	return errA == nil && errB == nil && reflect.DeepEqual(a, b)
}

// IsEmpty tells an object or a list that holds nothing.
func IsEmpty(got any) bool {
	object, isObject := got.(map[string]any)
	list, isList := got.([]any)
	return isObject && len(object) == 0 || isList && len(list) == 0
}

// plain gives a value as encoding/json reads it.
func plain(value any) (v any, err error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return v, json.Unmarshal(text, &v)
}

// spliced gives text with what is from one offset to another replaced.
func spliced(text []byte, from, to int, by string) []byte {
	out := make([]byte, 0, len(text)+len(by))
	out = append(out, text[:from]...)
	out = append(out, by...)
	return append(out, text[to:]...)
}

// lineEnd is how lines of a text end.
func lineEnd(text []byte) string {
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// blankEnd gives text without the blanks at its end.
func blankEnd(text []byte) []byte { return bytes.TrimRight(text, " \t\r\n") }

// lineIndent gives the blanks at the beginning of the line in which an offset is.
func lineIndent(text []byte, at int) string {
	line := text[bytes.LastIndexByte(text[:at], '\n')+1 : at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}

// inTheWay says that the value at a path is something else than what belongs there.
func inTheWay(path []any) error {
	if len(path) == 0 {
		return errors.New("it holds no object")
	}
	names := schemas.Map(path, func(step any) string { return fmt.Sprint(step) })
	return fmt.Errorf("%s is something else there", strings.Join(names, "."))
}

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
var flat = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"(?:[^"\\\n]|\\[^\n])*"?|//[^\n]*|(?s:/\*.*?\*/)`) })

// bounded tells why a text must not be parsed. A text that it lets through may still not parse.
func bounded(syntax client.Syntax, text []byte) error {
	if syntax == client.TOML {
		return boundedTOML(text)
	}
	depth := 0
	for _, sign := range flat().ReplaceAllLiteral(text, nil) {
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
