package store

import (
	"bytes"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"handoff/schemas"
)

// maxWords is the number of words that a send keeps for one handoff.
const maxWords = 1000

// WordList holds the distinct search words of a handoff, as the row stores them: a zero byte before each word and at
// the end. [ListWords] makes a list.
type WordList []byte

// ListWords returns the first thousand distinct words of the texts. A search does not find later words, so callers
// put the most important text first. Callers call it before the transaction, because it takes longer than writing the
// words.
func ListWords(texts ...string) WordList {
	var list WordList
	n := 0
	for w := range distinctWords(texts) {
		if n++; n > maxWords {
			break
		}
		list = append(append(list, 0), w...)
	}
	return append(list, 0)
}

// PutWords replaces the search words of a handoff. A search reads these rows, newest first. If a row is lost, only
// searches miss the handoff.
func (t *RowTx) PutWords(id schemas.ID, list WordList) error {
	return t.w.Put(Words, EncodeNumber(id), list)
}

// maxAllWords is the largest number of words of one handoff, including words that were added after the send.
const maxAllWords = 2 * maxWords

// AddWords adds search words to the words of a handoff. A handoff keeps at most 2,000 words, and later words are
// dropped.
func (t *RowTx) AddWords(id schemas.ID, more WordList) error {
	row, err := t.r.Get(Words, EncodeNumber(id))
	if err != nil {
		return err
	}
	all := bytes.TrimSuffix(slices.Clone(row), []byte{0})
	before := bytes.Count(all, []byte{0})
	n := before
	for w := range bytes.SplitSeq(bytes.Trim(more, "\x00"), []byte{0}) {
		word := append(append([]byte{0}, w...), 0)
		if len(w) > 0 && n < maxAllWords && !bytes.Contains(append(all, 0), word) {
			all, n = append(all, word[:len(word)-1]...), n+1
		}
	}
	if n == before {
		return nil
	}
	return t.w.Put(Words, EncodeNumber(id), append(all, 0))
}

// SplitWords returns the distinct words of a text, in lower case and in order. A word consists of letters, marks and
// digits.
func SplitWords(text string) []string { return slices.Collect(distinctWords([]string{text})) }

func distinctWords(texts []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		seen := map[string]bool{}
		for _, text := range texts {
			for w := range strings.FieldsFuncSeq(strings.ToLower(text), isSeparator) {
				if seen[w] {
					continue
				}
				seen[w] = true
				if !yield(w) {
					return
				}
			}
		}
	}
}

// isSeparator reports whether a lower-case character ends a word. Unicode marks belong to words, because many scripts
// write vowels with marks.
func isSeparator(r rune) bool {
	if r < utf8.RuneSelf {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}
	return !unicode.In(r, unicode.L, unicode.M, unicode.Nd)
}

// HasWords reports whether each of the given words is the beginning of a search word of the handoff. A word of four or
// more letters counts without a plural s at its end, so that logins finds login. Callers take the words from
// [SplitWords], because words are compared byte by byte. Without any given words the result is true.
func (v *View) HasWords(id schemas.ID, words []string) (bool, error) {
	row, err := v.r.Get(Words, EncodeNumber(id))
	if err != nil {
		return false, err
	}
	isMissing := func(w string) bool {
		if n := len(w); n > 3 && !strings.Contains("ius", w[n-2:n-1]) {
			w = strings.TrimSuffix(w, "s")
		}
		return !bytes.Contains(row, []byte("\x00"+w))
	}
	return !slices.ContainsFunc(words, isMissing), nil
}

// WordRows yields the search words of the handoffs below the given id, newest first. A key is the id of a handoff, and
// a value is a [WordList]. It reads one row for each.
func (v *View) WordRows(before schemas.ID) iter.Seq2[Row, error] {
	return v.r.Scan(Range{Space: Words, To: EncodeNumber(before), Reverse: true})
}
