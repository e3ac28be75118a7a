// Package textformat reads messages of people and other programs ([ParseMessage]). A message may be JSON, also with
// comments, YAML, Markdown, or Markdown below front matter in YAML. The package recognises the format by the text,
// because standard input has no file name. The result has JSON values, which other packages interpret.
package textformat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tailscale/hujson"
)

// byteOrderMark is a byte order mark.
const byteOrderMark = "\uFEFF"

// ParseMessage reads a message from a file of the given name, "" for none. It returns an object of JSON values, with
// numbers as [json.Number], and the Markdown text below the object. For a message in Markdown or plain text alone, the
// object is empty. Callers add the Markdown text to the object with [AddMarkdown].
//
// A file that ends in .md is Markdown. A text whose first line is a heading is Markdown, too, although YAML reads that
// line as a comment: if an empty line follows, or if the text is not YAML. A name that ends in .yaml or .yml excludes
// this.
//
// The error says which format the text violates, and where.
func ParseMessage(name, text string) (said map[string]any, markdown string, err error) {
	text = strings.TrimPrefix(strings.ReplaceAll(text, "\r\n", "\n"), byteOrderMark)
	trimmed := strings.TrimSpace(text)
	if strings.IndexAny(trimmed, "{[") == 0 || strings.HasPrefix(trimmed, "//") || strings.HasPrefix(trimmed, "/*") {
		said, err := requireObject(ParseJSON(text))
		return said, "", err
	}
	if front, rest, ok := cutFrontMatter(trimmed); ok {
		said, err := requireObject(parseYAML(front))
		return said, strings.TrimSpace(rest), err
	}
	end := strings.ToLower(filepath.Ext(name))
	heading := strings.HasPrefix(trimmed, "# ") && !slices.Contains([]string{".yaml", ".yml"}, end)
	_, below, _ := strings.Cut(trimmed, "\n")
	if end != ".md" && !isMarkdown(trimmed) && (!heading || !strings.HasPrefix(below, "\n")) {
		if message, err := parseYAML(text); err == nil {
			if said, ok := message.(map[string]any); ok {
				return said, "", nil
			}
		} else if yamlObjectStart().MatchString(trimmed) && !heading {
			return nil, "", err
		}
	}
	if trimmed == "" {
		return nil, "", errors.New("it is empty")
	}
	return map[string]any{}, trimmed, nil
}

// yamlObjectStart matches the start of an object in YAML: a name without quotes, and a colon.
var yamlObjectStart = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:#.*\n|\s*\n)*[\w-]+:(?:\s|$)`) })

// ParseJSON reads one JSON document, which may have comments and trailing commas. It keeps the digits of numbers.
func ParseJSON(text string) (value any, err error) {
	strict, err := hujson.Standardize([]byte(text + "\n"))
	if err != nil {
		strict = []byte(text) // the decoder reports the error
	}
	decoder := json.NewDecoder(bytes.NewReader(strict))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	if decoder.More() {
		return nil, errors.New("not one JSON document: there is more after it")
	}
	return value, nil
}

func requireObject(v any, err error) (map[string]any, error) {
	said, ok := v.(map[string]any)
	if err == nil && !ok {
		err = errors.New("it holds no object")
	}
	return said, err
}

// cutFrontMatter separates front matter from the text below it. Front matter stands between two lines of three dashes.
func cutFrontMatter(text string) (front, rest string, ok bool) {
	after, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return "", "", false
	}
	front, rest, ok = strings.Cut("\n"+after, "\n---\n")
	if !ok {
		front, ok = strings.CutSuffix("\n"+after, "\n---")
	}
	return front, rest, ok
}
