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

// CutPage returns the page of a text that begins at an offset in bytes, and the offset of the next page, or zero after
// the last page. A page has at most the given number of tokens, or [PageTokens] if tokens is zero. It ends after a line
// or a word if possible, and never within a character. The error is invalid for an offset at or beyond the end of the
// text.
func CutPage(text string, offset, tokens int) (page string, next int, err error) {
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

// pageEnd returns the end of a page of at most limit bytes. It prefers the end of a line in the last quarter of these
// bytes, then a blank or a comma there. The result is 0 only for an empty text, so that no page is empty.
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

// jsonLen returns the length of a text as a JSON string, for example 4 for a quote. It counts <, > and & as escapes of
// six bytes, which encoding/json may write. So the result may be too high, but never too low.
func jsonLen(s string) int {
	q, _ := json.Marshal(s) // any string can be encoded
	return len(q)
}
