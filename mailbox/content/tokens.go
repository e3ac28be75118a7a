// Package content is what can be done with a text without knowing what it says: how many tokens it has, which page of
// it fits into an answer, which part somebody names by lines, by a heading or by a JSON pointer, and where a reference
// leads.
//
// All functions are pure. Errors are [schemas.Error] and say what there is instead.
//
// A field of what was sent is a reference without being stored as one: context://ho_1/artifacts/2 is looked up in the
// content of the event. So whatever a brief has no room for can be read by itself, and nobody decides beforehand what
// is long.
package content

import (
	"unicode"
	"unicode/utf8"
)

// Tokens estimates the tokens of a text, rounded up. It is no tokenizer: it counts words, numbers and marks, with
// weights that were fitted to the public tokenizers cl100k and o200k. For prose, code, Markdown and JSON it is within
// 15 percent of the latter. A real tokenizer would take 10 ms to load in each hook.
func Tokens(s string) int { return Whole(Tenths(s)) }

// Whole is tenths of a token as tokens, rounded up.
func Whole(tenths int) int { return (tenths + 9) / 10 }

// Tenths are tokens times ten. Those of lines, each with its line end, add up to at least those of their text, so
// packing counts in them and rounds nothing.
func Tenths(s string) int {
	var m meter
	for i := 0; i < len(s); {
		if n := lowers(s[i:]); n > 0 {
			m.word(n)
			i += n
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		m.add(r)
		i += n
	}
	return m.tenths
}

// lowers counts the small letters of English with which a text begins. Most texts are mostly of these.
func lowers(s string) int {
	for i := range len(s) {
		if s[i] < 'a' || s[i] > 'z' {
			return i
		}
	}
	return len(s)
}

// Within is how many bytes of a text, at most, have so many tenths. It cuts no character in two. It reads no further
// than that.
func Within(s string, tenths int) int {
	var m meter
	for i, r := range s {
		if m.add(r); m.tenths > tenths {
			return i
		}
	}
	return len(s)
}

// meter counts tenths, one character after another. Characters of one class are a run, such as a word.
type meter struct {
	tenths int
	class  class
	length int // of the run
	lower  bool
}

// A class is what characters have in common that take tokens alike. Classes from mark on have a price for each
// character behind the first.
type class int

const (
	letter class = 1 + iota
	digit
	space
	lineEnd
	mark
	ideograph
	foreign
	symbol
)

// What the first character of a run takes, and each of those after it. Words, numbers and spaces have rules of their
// own, see [meter.add].
var (
	first = [...]int{letter: 11, digit: 14, lineEnd: 3, mark: 6, ideograph: 8, foreign: 3, symbol: 21}
	after = [...]int{mark: 3, ideograph: 8, foreign: 3, symbol: 21}
)

// perWord is how many letters of a word one price is for.
const perWord = 6

// add counts one more character. A hump begins a new word. A blank by itself costs nothing: it is part of the token of
// the word behind it.
func (m *meter) add(r rune) {
	c := classOf(r)
	hump := c == letter && m.lower && r <= 'Z' // as in camelCase
	m.lower = c == letter && r >= 'a'
	if c != m.class || hump {
		m.class, m.length = c, 1
		m.tenths += first[c]
		return
	}
	m.length++
	switch {
	case c == letter && m.length > perWord, c == space && m.length%8 == 0:
		m.tenths++
	case c == digit && m.length%3 == 1:
		m.tenths += first[digit]
	case c == space && m.length == 2: // a single space belongs to the word behind it
		m.tenths += 13
	case c >= mark:
		m.tenths += after[c]
	}
}

// word counts small letters, as [meter.add] does each of them.
func (m *meter) word(n int) {
	m.add('a')
	was := m.length
	m.length += n - 1
	m.tenths += max(m.length, perWord) - max(was, perWord)
}

// classOf is the class of a character. Beyond 0x2e80 are the scripts whose characters are words.
func classOf(r rune) class {
	switch {
	case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
		return letter
	case r >= '0' && r <= '9':
		return digit
	case r == '\n' || r == '\r':
		return lineEnd
	case r == ' ' || r == '\t':
		return space
	case r < 0x80:
		return mark
	case r >= 0x2e80 && r < 0x10000:
		return ideograph
	case unicode.IsLetter(r):
		return foreign
	}
	return symbol
}
