package mcp_test

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// layoutWidth is how long a line of a golden file may be.
const layoutWidth = 110

// layOut breaks a message into lines that a reader can read. Only the first line begins in column one. A value that
// fits stays on its line, as it was sent; the values of a longer object or list have a line each, unless only the last
// of a few is long. JSON inside a string stands between backquotes, laid out in the same way. Any other long string is
// written after bars: a bar begins a line of the string, and a line without one continues the line above it, where the
// string has a blank.
func layOut(message string) string {
	l := layout{}
	l.value(json.RawMessage(message), 2, 2)
	return l.String()
}

type layout struct{ strings.Builder }

// value writes a value. Its first line begins after `column` columns, and its other lines are indented by `indent`. It
// returns true if the value ended with a line of its own, so that the next text must begin a new line.
func (l *layout) value(raw json.RawMessage, column, indent int) (ended bool) {
	if column+width(raw)+1 <= layoutWidth {
		l.Write(raw)
		return false
	}
	switch raw[0] {
	case '{', '[':
		l.members(raw, column, indent)
	case '"':
		return l.text(raw, indent)
	default:
		l.Write(raw)
	}
	return false
}

// members writes an object or a list.
func (l *layout) members(raw json.RawMessage, column, indent int) {
	keys, values := membersOf(raw)
	last := len(values) - 1
	head := string(raw[:1])
	for i := range last {
		head += keys[i] + string(values[i]) + ","
	}
	head += keys[last]
	ended := false
	few := last == 0 || last < 3 && raw[0] == '{'
	long := values[last][0] == '{' || indent+2+width(keys[last])+width(values[last]) > layoutWidth
	if few && long && column+width(head) < layoutWidth {
		l.WriteString(head)
		ended = l.value(values[last], column+width(head), indent)
	} else {
		l.WriteString(head[:1])
		for i, value := range values {
			l.line(indent + 2)
			l.WriteString(keys[i])
			if !l.value(value, indent+2+width(keys[i]), indent+2) && i < last {
				l.WriteString(",")
			}
		}
		ended = true
	}
	if ended {
		l.line(indent)
	}
	l.Write(raw[len(raw)-1:])
}

// membersOf returns the members of an object or a list; the keys are written as before a value, and are empty in a
// list.
func membersOf(raw json.RawMessage) (keys []string, values []json.RawMessage) {
	in := json.NewDecoder(bytes.NewReader(raw))
	in.UseNumber()
	must(in.Token())
	for in.More() {
		key := ""
		if raw[0] == '{' {
			key = strconv.Quote(must(in.Token()).(string)) + ":"
		}
		var value json.RawMessage
		must(0, in.Decode(&value))
		keys, values = append(keys, key), append(values, value)
	}
	return keys, values
}

// text writes a string.
func (l *layout) text(raw json.RawMessage, indent int) (ended bool) {
	var text string
	must(0, json.Unmarshal(raw, &text))
	if strings.HasPrefix(text, "{") && json.Valid([]byte(text)) {
		l.WriteString("`")
		l.value(json.RawMessage(text), indent, indent)
		l.WriteString("`")
		return false
	}
	for line := range strings.SplitSeq(text, "\n") {
		l.line(indent + 2)
		l.WriteString("|")
		if line != "" {
			l.words(strings.Split(printable(line), " "), indent+3)
		}
	}
	return true
}

// words writes a line of a string and breaks it where it would be too long, in the place of a single blank.
func (l *layout) words(words []string, indent int) {
	column := indent
	for i, word := range words {
		if column+1+width(word) > layoutWidth && i > 0 && word != "" && words[i-1] != "" {
			l.line(indent)
			column = indent
		}
		l.WriteString(" " + word)
		column += 1 + width(word)
	}
}

// printable returns the line with escapes for invisible characters, including a blank at its end.
func printable(line string) string {
	var b strings.Builder
	for _, r := range strings.TrimSuffix(line, " ") {
		if r == '\\' || !unicode.IsPrint(r) {
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
			continue
		}
		b.WriteRune(r)
	}
	if strings.HasSuffix(line, " ") {
		b.WriteString(`\x20`)
	}
	return b.String()
}

func (l *layout) line(indent int) { l.WriteString("\n" + strings.Repeat(" ", indent)) }

func width[T string | json.RawMessage](text T) int { return utf8.RuneCountInString(string(text)) }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
