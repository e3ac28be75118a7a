package content

import (
	"cmp"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"handoff/schemas"
)

// PageTokens is the default size of a page in tokens.
const PageTokens = 1500

// Page returns one page of a text from an offset, and the offset of the next page, zero at the end. Offsets count
// bytes. A page has at most the given number of tokens, [PageTokens] if that is zero, and as JSON at most five bytes
// for each token. It ends after a line or a word if possible, and never within a character or an escape of JSON. All
// pages joined are the text. The error is invalid for an offset at or beyond the end of a text.
func Page(text string, offset, tokens int) (page string, next int, err error) {
	if offset > 0 && offset >= len(text) {
		return "", 0, schemas.Invalidf("offset", "%d is beyond the end: there are %d bytes", offset, len(text)).
			WithHint("A next_offset of an answer is the offset of the next call. Leave it out to begin anew.")
	}
	tokens = cmp.Or(tokens, PageTokens)
	for offset > 0 && !utf8.RuneStart(text[offset]) {
		offset--
	}
	rest := text[offset:]
	most := min(PrefixLen(rest, 10*tokens), 4*tokens)
	for jsonLen(rest[:min(most, len(rest))]) > 5*tokens {
		most = most * 3 / 4
	}
	if most = pageEnd(rest, most); most == len(rest) {
		return rest, 0, nil
	}
	return rest[:most], offset + most, nil
}

// pageEnd returns the end of a page of at most most bytes. It ends after a line, else after a blank or a comma, if
// there is one in the last quarter. It is never 0 for a text that is not empty, so each page makes progress.
func pageEnd(s string, most int) int {
	if most >= len(s) {
		return len(s)
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	for _, stop := range []string{"\n", " ,"} {
		if i := strings.LastIndexAny(s[:most], stop) + 1; i > most*3/4 {
			return i
		}
	}
	if i := strings.LastIndexByte(s[:most], '\\'); i > 0 && most-i < len(`\u0000`) {
		for i > 0 && s[i-1] == '\\' { // the first of several backslashes begins the escape
			i--
		}
		if i > most/2 {
			most = i
		}
	}
	if _, one := utf8.DecodeRuneInString(s); most == 0 {
		return one
	}
	return most
}

// jsonLen returns the length of a text as a JSON string, in which quotes and line ends take two bytes or more. It also
// counts the escapes that encoding/json makes of <, > and &, so it is rather too high than too low.
func jsonLen(s string) int {
	q, _ := json.Marshal(s) // any string can be encoded
	return len(q)
}
