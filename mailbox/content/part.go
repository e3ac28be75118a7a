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

// FindPart returns the named part of a text. The name is a range of lines (L10 or L10-L40), a JSON pointer (/paths/0),
// or a heading of Markdown (Known issues or known-issues). An empty name means the whole text. If the part does not
// exist, the error is not_found and lists existing names.
func FindPart(text, name string) (string, error) {
	if name == "" {
		return text, nil
	}
	if m := lineRange().FindStringSubmatch(name); m != nil {
		return cutLines(text, m[1], m[2])
	}
	if strings.HasPrefix(name, "/") {
		raw, err := ValueAtPointer(json.RawMessage(text), name[1:])
		return TextOfJSON(raw), err
	}
	return findSection(text, name)
}

// cutLines returns the lines of a range, including the last. The first line of a text has the number 1. An end beyond
// the last line means the last line.
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

// ValueAtPointer returns the JSON value at a path of names and indexes, such as paths/0. The path is a JSON pointer
// (RFC 6901) without its first slash. If the value does not exist, the error is not_found, with some existing names or
// the length of the list.
func ValueAtPointer(raw json.RawMessage, path string) (json.RawMessage, error) {
	unescape := strings.NewReplacer("~1", "/", "~0", "~")
	text := json.NewDecoder(bytes.NewReader(raw))
	for step := range strings.SplitSeq(path, "/") {
		if absent := descendTo(text, unescape.Replace(step)); absent != nil {
			return nil, absent
		}
	}
	var value json.RawMessage
	if text.Decode(&value) != nil {
		return nil, schemas.Errorf(schemas.NotFound, "that is not JSON")
	}
	return value, nil
}

// descendTo moves the decoder to the entry of an object or a list with the name or index step. If the JSON text has a
// syntax error, it finds no entry.
func descendTo(text *json.Decoder, step string) *schemas.Error {
	absent := schemas.Errorf(schemas.NotFound, "there is no %q", schemas.EscapeHidden(schemas.Clip(step, 80)))
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
			names = append(names, schemas.EscapeHidden(schemas.Clip(name, 80)))
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
		return absent.WithChoices(names[:min(len(names), maxKnown)]...)
	case json.Delim('['):
		return absent.WithHint("The number of entries is %d, and the first is 0.", n)
	}
	return absent.WithHint("That is no JSON with parts.")
}

// TextOfJSON returns the text of a JSON string. It returns any other JSON value unchanged.
func TextOfJSON(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// heading matches a Markdown heading that begins with "#". Headings that are marked by a line below them do not count.
var heading = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(#{1,6})[ \t]+(.+?)[ \t#]*$`) })

// findSection returns a Markdown heading with all text up to the next heading of the same or a higher level. The first
// matching heading counts. It compares names as [headingSlug] writes them, and ignores headings in code fences.
func findSection(text, name string) (string, error) {
	var known []string
	var found strings.Builder
	level, fenced, wanted := 0, false, headingSlug(name)
	for line := range strings.SplitAfterSeq(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		m := heading().FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m != nil && !fenced {
			if level > 0 && len(m[1]) <= level {
				break
			}
			if level == 0 && headingSlug(m[2]) == wanted {
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
	return "", schemas.Errorf(schemas.NotFound, "there is no heading %q", schemas.EscapeHidden(schemas.Clip(name, 80))).
		WithHint("Name lines as #L1-40, a heading, or in JSON a pointer as #/name/0.").
		WithChoices(schemas.Map(known[:min(len(known), maxKnown)], schemas.EscapeHidden)...)
}

// headingSlug returns a heading in the form that links use: "known-issues" for "Known issues".
func headingSlug(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return strings.ContainsRune(" \t-_#`*", r) })
	return strings.Join(words, "-")
}
