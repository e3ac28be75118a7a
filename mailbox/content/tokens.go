// Package content has functions for long texts of handoffs: [CountTokens] counts the tokens of a text, [CutPage] cuts a
// text into pages, [FindPart] finds a part of a text, and [ParseReference] parses a reference to a text.
//
// A reference can name any field of a sent handoff: context://ho_1/artifacts/2 is an artifact of the handoff ho_1. So a
// model can read a text that is too long for a brief.
//
// All functions are pure. Errors are [schemas.Error]; an error about an unknown name lists the existing names.
package content

import "unicode"

// CountTokens estimates the number of tokens of a text, rounded up. The estimate is within 15 percent of the public
// tokenizer o200k for prose, code, Markdown and JSON. This package does not use a real tokenizer, because each hook
// would need 10 ms to load it.
func CountTokens(s string) int { return RoundUpTokens(CountTokenTenths(s)) }

// RoundUpTokens converts tenths of a token to tokens, rounded up.
func RoundUpTokens(tenths int) int { return (tenths + 9) / 10 }

// CountTokenTenths returns the number of tokens of a text times ten. The sum of the results for all lines, each with
// its line end, is never less than the result for the whole text. So a brief can add up the results for its lines
// without rounding.
func CountTokenTenths(s string) int {
	var m tokenMeter
	for _, r := range s {
		m.addRune(r)
	}
	return m.tenths
}

// PrefixLen returns the length in bytes of the longest beginning of a text that has at most the given tenths of a
// token. It never splits a character.
func PrefixLen(s string, tenths int) int {
	var m tokenMeter
	for i, r := range s {
		if m.addRune(r); m.tenths > tenths {
			return i
		}
	}
	return len(s)
}

// tokenMeter counts the tokens of a text in tenths, one character after another. A run is a sequence of characters of
// one class, such as a word or a number.
type tokenMeter struct {
	tenths int
	class  runeClass
	length int // of the run
	lower  bool
}

// runeClass is a group of characters that cost equally many tokens. In the class mark and the classes below it in the
// list, each further character of a run has a fixed price.
type runeClass int

const (
	letter runeClass = 1 + iota
	digit
	space
	lineEnd
	mark
	ideograph
	foreign
	symbol
)

// The price of the first character of a run, and of each later character, in tenths of a token. Words, numbers and
// spaces have their own rules, see [tokenMeter.addRune].
var (
	firstPrice = [...]int{letter: 11, digit: 14, lineEnd: 3, mark: 6, ideograph: 8, foreign: 3, symbol: 21}
	nextPrice  = [...]int{mark: 3, ideograph: 8, foreign: 3, symbol: 21}
)

// pricedLetters is the number of letters that the price of a word's first character covers; later letters cost extra.
const pricedLetters = 6

// addRune counts one more character. A capital letter within a word begins a new word, as in camelCase. A single blank
// costs nothing, because it belongs to the token of the next word.
func (m *tokenMeter) addRune(r rune) {
	c := runeClassOf(r)
	hump := c == letter && m.lower && r <= 'Z' // as in camelCase
	m.lower = c == letter && r >= 'a'
	if c != m.class || hump {
		m.class, m.length = c, 1
		m.tenths += firstPrice[c]
		return
	}
	m.length++
	switch {
	case c == letter && m.length > pricedLetters, c == space && m.length%8 == 0:
		m.tenths++
	case c == digit && m.length%3 == 1:
		m.tenths += firstPrice[digit]
	case c == space && m.length == 2: // a single space belongs to the next word
		m.tenths += 13
	case c >= mark:
		m.tenths += nextPrice[c]
	}
}

// runeClassOf returns the class of a character. A character from 0x2e80 on counts as a whole word, as in Chinese and
// Japanese.
func runeClassOf(r rune) runeClass {
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
