package roster

import (
	"slices"
	"strings"
)

// isSameWord reports whether two types or skills are the same. Upper case, blanks, hyphens, underscores and the ending
// of a plural or of "testing" make no difference, because senders write these words freely.
func isSameWord(a, b string) bool {
	form := wordForm(a)
	return form != "" && form == wordForm(b)
}

// isKindOf reports whether one of two words is the other with words before it, as a unit test is a test.
func isKindOf(a, b string) bool {
	one, other := wordParts(a), wordParts(b)
	short := min(len(one), len(other))
	return isSameWord(a, b) || isSameWord(strings.Join(one[len(one)-short:], " "), strings.Join(other[len(other)-short:], " "))
}

// isRelatedWord reports whether one of two words is the other with words before or after it, as a bug fix belongs to a
// bug.
func isRelatedWord(a, b string) bool {
	one, other := wordParts(a), wordParts(b)
	short := min(len(one), len(other))
	return isKindOf(a, b) || isSameWord(strings.Join(one[:short], " "), strings.Join(other[:short], " "))
}

// wordParts returns the parts of a word between the characters _, - and blank, which people often confuse.
func wordParts(word string) []string {
	return strings.FieldsFunc(word, func(r rune) bool { return strings.ContainsRune("_- ", r) })
}

// stripSeparators returns the parts of a word as one.
func stripSeparators(word string) string { return strings.Join(wordParts(word), "") }

// wordForm returns a word in lower case, without separators and endings. At least three letters stay, because short
// words such as C and CS are names.
func wordForm(word string) string {
	form := strings.ToLower(stripSeparators(word))
	for _, ending := range [][2]string{{"ies", "y"}, {"xes", "x"}, {"ches", "ch"}, {"shes", "sh"}, {"sses", "ss"}, {"ss", "ss"}, {"s", ""}} {
		if stem, is := strings.CutSuffix(form, ending[0]); is && len(stem+ending[1]) >= 3 {
			form = stem + ending[1]
			break
		}
	}
	if stem, is := strings.CutSuffix(form, "ing"); is && len(stem) >= 3 {
		return stem
	}
	return form
}

// hasWord reports whether one of the words is the same as the given one in the sense of a comparison, such as
// [isSameWord].
func hasWord(words []string, word string, same func(a, b string) bool) bool {
	return slices.ContainsFunc(words, func(w string) bool { return same(w, word) })
}
