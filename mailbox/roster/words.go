package roster

import (
	"slices"
	"strings"
)

// isSameWord reports whether two types or skills are the same. Upper case, blanks, hyphens, underscores, a plural and the
// ending of testing for test make no difference, because senders write these words freely.
func isSameWord(a, b string) bool {
	return slices.Equal(wordParts(a), wordParts(b)) || strings.Join(wordParts(a), "") == strings.Join(wordParts(b), "")
}

// isRelatedWord reports whether two words are the same, or one is a kind of the other: it has all parts of the other,
// as "unit tests" has those of "test".
func isRelatedWord(a, b string) bool {
	one, other := wordParts(a), wordParts(b)
	if len(one) > len(other) {
		one, other = other, one
	}
	return isSameWord(a, b) || len(one) > 0 && !slices.ContainsFunc(one, func(part string) bool { return !slices.Contains(other, part) })
}

// wordParts returns the parts of a word in lower case, without their endings.
func wordParts(word string) []string {
	parts := strings.FieldsFunc(strings.ToLower(word), func(r rune) bool { return strings.ContainsRune("_- ", r) })
	for i, part := range parts {
		if stem, is := strings.CutSuffix(part, "ies"); is {
			part = stem + "y"
		} else if !strings.HasSuffix(part, "ss") {
			part = strings.TrimSuffix(part, "s")
		}
		parts[i] = strings.TrimSuffix(strings.TrimSuffix(part, "ing"), "e")
	}
	return parts
}

// hasWord reports whether one of the words is the same as the given one in the sense of a comparison, such as
// [isSameWord].
func hasWord(words []string, word string, same func(a, b string) bool) bool {
	return slices.ContainsFunc(words, func(w string) bool { return same(w, word) })
}
