package content

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"handoff/schemas"
)

// maxKnown is the maximum number of existing names in an error.
const maxKnown = 20

// lineRange matches one line, as 10 or L10, or several, as 10-40 or L10-L40.
var lineRange = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[Ll]?(\d+)(?:-[Ll]?(\d+))?$`) })

// Part returns the named part of a text. The name is a range of lines, as L10 or L10-L40; a JSON pointer, as /paths/0;
// or a heading of Markdown, by its words or in the form of links, as known-issues. An empty name gives the whole text.
// The error is not_found, with the existing names.
func Part(text, name string) (string, error) {
	if name == "" {
		return text, nil
	}
	if m := lineRange().FindStringSubmatch(name); m != nil {
		return cutLines(text, m[1], m[2])
	}
	if strings.HasPrefix(name, "/") {
		raw, err := AtPointer(json.RawMessage(text), name[1:])
		return Text(raw), err
	}
	return findSection(text, name)
}

// cutLines returns a range of lines, counted from 1, with the last one included. An end beyond the last line means the
// last line.
func cutLines(text, from, to string) (string, error) {
	all := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	first, _ := strconv.Atoi(from) // a number that overflows is no line
	last := first
	if to != "" {
		last, _ = strconv.Atoi(to)
	}
	if first < 1 || first > len(all) || last < first {
		return "", schemas.Errorf(schemas.NotFound, "there are no lines %s", strings.TrimSuffix(from+"-"+to, "-")).
			WithHint("It has the lines 1-%d.", len(all))
	}
	return strings.Join(all[first-1:min(last, len(all))], ""), nil
}

// AtPointer returns the JSON value at a path of names and indexes (the first is 0), in the syntax of RFC 6901 without
// the first slash. It reads the text once, whatever the length of the path. The error is not_found, with some of the
// existing names or the number of entries.
func AtPointer(raw json.RawMessage, path string) (json.RawMessage, error) {
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	text := json.NewDecoder(bytes.NewReader(raw))
	for step := range strings.SplitSeq(path, "/") {
		if absent := descend(text, unescape.Replace(step)); absent != nil {
			return nil, absent
		}
	}
	var value json.RawMessage
	if text.Decode(&value) != nil {
		return nil, schemas.Errorf(schemas.NotFound, "that is not JSON")
	}
	return value, nil
}

// descend advances text to the value under a name or an index of an object or a list. A syntax error ends the value:
// descend finds nothing after it.
func descend(text *json.Decoder, step string) *schemas.Error {
	absent := schemas.Errorf(schemas.NotFound, "there is no %q", schemas.Visible(schemas.Clip(step, 80)))
	begin, _ := text.Token()
	index, err := strconv.Atoi(step)
	var names []string
	n := 0
	for ; (begin == json.Delim('{') || begin == json.Delim('[')) && text.More(); n++ {
		if begin == json.Delim('{') {
			token, _ := text.Token()
			name, _ := token.(string)
			if name == step {
				return nil
			}
			names = append(names, schemas.Visible(schemas.Clip(name, 80)))
		} else if err == nil && n == index {
			return nil
		}
		var other json.RawMessage
		if text.Decode(&other) != nil {
			begin = nil
		}
	}
	switch begin {
	case json.Delim('{'):
		slices.Sort(names)
		return absent.WithKnown(names[:min(len(names), maxKnown)]...)
	case json.Delim('['):
		return absent.WithHint("The list has %d entries, the first is 0.", n)
	}
	return absent.WithHint("That is no JSON with parts.")
}

// Text returns a JSON string as its text, and any other JSON value as it is.
func Text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// heading matches a Markdown heading that begins with marks. Underlined headings do not count.
var heading = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(#{1,6})[ \t]+(.+?)[ \t#]*$`) })

// findSection returns a heading and all text below it, up to the next heading of its level or above. Lines in fences
// are not headings. The first of several equal headings counts. Case and the marks of Markdown do not matter, see
// [slug].
func findSection(text, name string) (string, error) {
	var known []string
	var found strings.Builder
	level, fenced, wanted := 0, false, slug(name)
	for line := range strings.SplitAfterSeq(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		m := heading().FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m != nil && !fenced {
			if level > 0 && len(m[1]) <= level {
				break
			}
			if level == 0 && slug(m[2]) == wanted {
				level = len(m[1])
			}
			known = append(known, m[2])
		}
		if level > 0 {
			found.WriteString(line)
		}
	}
	if level > 0 {
		return found.String(), nil
	}
	return "", schemas.Errorf(schemas.NotFound, "there is no heading %q", schemas.Visible(schemas.Clip(name, 80))).
		WithHint("Name lines as #L1-40, a heading, or in JSON a pointer as #/name/0.").
		WithKnown(schemas.Map(known[:min(len(known), maxKnown)], schemas.Visible)...)
}

// slug returns a heading in the form of links.
func slug(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return strings.ContainsRune(" \t-_#`*", r) })
	return strings.Join(words, "-")
}
