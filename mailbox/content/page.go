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
	limit := min(PrefixLen(rest, 10*tokens), 4*tokens)
	for jsonLen(rest[:min(limit, len(rest))]) > 5*tokens {
		limit = limit * 3 / 4
	}
	if limit = pageEnd(rest, limit); limit == len(rest) {
		return rest, 0, nil
	}
	return rest[:limit], offset + limit, nil
}

// pageEnd returns the end of a page of at most limit bytes. It ends after a line, else after a blank or a comma, if
// there is one in the last quarter. It is never 0 for a text that is not empty, so each page makes progress.
func pageEnd(s string, limit int) int {
	if limit >= len(s) {
		return len(s)
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	for _, stop := range []string{"\n", " ,"} {
		if i := strings.LastIndexAny(s[:limit], stop) + 1; i > limit*3/4 {
			return i
		}
	}
	if i := strings.LastIndexByte(s[:limit], '\\'); i > 0 && limit-i < len(`\u0000`) {
		for i > 0 && s[i-1] == '\\' { // the first of several backslashes begins the escape
			i--
		}
		if i > limit/2 {
			limit = i
		}
	}
	if _, one := utf8.DecodeRuneInString(s); limit == 0 {
		return one
	}
	return limit
}

// jsonLen returns the length of a text as a JSON string, in which quotes and line ends take two bytes or more. It also
// counts the escapes that encoding/json makes of <, > and &, so it is rather too high than too low.
func jsonLen(s string) int {
	q, _ := json.Marshal(s) // any string can be encoded
	return len(q)
}
