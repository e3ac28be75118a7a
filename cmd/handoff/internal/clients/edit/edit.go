// Package edit changes single values in configuration files that people and other programs wrote, and leaves every
// other byte as it is: comments, blank lines, indentation, line ends, trailing commas, a byte order mark.
//
// A file is read by a parser that knows where each value stands; a change is a splice of the text there. The new text
// is read before it is taken: a change after which it would not parse, would not say what was asked for, or would say
// anything else otherwise than before, is not made.
package edit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
)

// A Document is the text of a configuration file. Paths are keys from the root, and indices in the lists of [JSON].
// Values that are given are those of a [client.Field]; values that are got are as encoding/json or a parser of TOML
// gives them, numbers of JSON as they are written: see [Same]. Who got one does not change it. What fails changes
// nothing.
type Document interface {
	// Look gives the value at a path; ok is false if there is none.
	Look(path ...any) (value any, ok bool)
	// Set puts a value at a path, in new objects where there are none. It fails where something else than an object
	// is in the way.
	Set(value any, path ...any) error
	// Delete removes the value at a path, and its key. Nothing there is no error.
	Delete(path ...any) error
	// Bytes gives the text.
	Bytes() []byte
}

const byteOrderMark = "\uFEFF"

// Open reads a text. One of nothing but blanks is an empty document. One that is made to keep a parser busy is none:
// it is nested deeper than 200 levels, or is TOML with more than 10,000 keys.
func Open(syntax client.Syntax, text []byte) (Document, error) {
	if err := bounded(syntax, text); err != nil {
		return nil, err
	}
	text, marked := bytes.CutPrefix(text, []byte(byteOrderMark))
	mark := ""
	if marked {
		mark = byteOrderMark
	}
	var d Document
	var err error
	if syntax == client.TOML {
		d, err = openTOML(mark, text)
	} else {
		d, err = openJSON(mark, text)
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

// Same tells whether a value that was got is one that would be set.
func Same(got, set any) bool {
	a, errA := plain(got)
	b, errB := plain(set)
	return errA == nil && errB == nil && reflect.DeepEqual(a, b)
}

// IsEmpty tells an object or a list that holds nothing.
func IsEmpty(got any) bool {
	switch v := got.(type) {
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return false
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
	var names []string
	for _, step := range path {
		names = append(names, fmt.Sprint(step))
	}
	return fmt.Errorf("%s is something else there", strings.Join(names, "."))
}
