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
const maxWords = 200

// WordList holds the search words of a handoff: distinct, each after a zero byte. [ListWords] makes one.
//
// It is the value of the row as it is stored. An empty list is one zero byte.
type WordList []byte

// ListWords returns the first two hundred distinct words of the texts, so callers put the most telling text first. It
// takes longer than writing them, so callers do it before the transaction.
//
// A search does not find words beyond the two hundredth. There is no stemming and no list of stop words.
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

// PutWords writes the search words of a handoff. One row for each handoff keeps a send cheap; a search reads these
// rows, newest first.
//
// It replaces the words of the handoff. No check compares words with content: if a row is lost, only searches miss the
// handoff.
func (t *Tx) PutWords(id schemas.ID, list WordList) error {
	return t.w.Put(Words, EncodeNumber(id), list)
}

// maxAllWords is the largest number of words of one handoff, including words that were added after the send.
const maxAllWords = 2 * maxWords

// AddWords adds search words to a handoff, four hundred in all; existing words stay.
func (t *Tx) AddWords(id schemas.ID, more WordList) error {
	row, err := t.r.Get(Words, EncodeNumber(id))
	if err != nil {
		return err
	}
	all := bytes.TrimSuffix(slices.Clone(row), []byte{0})
	n := bytes.Count(all, []byte{0})
	for w := range bytes.SplitSeq(bytes.Trim(more, "\x00"), []byte{0}) {
		word := append(append([]byte{0}, w...), 0)
		if len(w) > 0 && n < maxAllWords && !bytes.Contains(append(all, 0), word) {
			all, n = append(all, word[:len(word)-1]...), n+1
		}
	}
	return t.w.Put(Words, EncodeNumber(id), append(all, 0))
}

// SplitWords splits text into its distinct words, in lower case and in their order. A word is made of letters, marks
// and digits.
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

// isSeparator reports whether a lower-case character is no part of a word. Marks are part of words: many scripts write
// vowels with them.
func isSeparator(r rune) bool {
	if r < utf8.RuneSelf {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}
	return !unicode.In(r, unicode.L, unicode.M, unicode.Nd)
}

// HasWords reports whether for each of the given words the handoff has a word that begins with it. Words are compared
// byte by byte, so callers take the given ones from [SplitWords].
//
// Without any words it is true. A handoff without a row has no words.
func (v *View) HasWords(id schemas.ID, words []string) (bool, error) {
	row, err := v.r.Get(Words, EncodeNumber(id))
	if err != nil {
		return false, err
	}
	for _, w := range words {
		if !bytes.Contains(row, append([]byte{0}, w...)) {
			return false, nil
		}
	}
	return true, nil
}
