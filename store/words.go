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

// maxWords bounds the row of words of one handoff.
const maxWords = 200

// WordList is what a handoff is found by: distinct words, each after a zero byte.
type WordList []byte

// ListWords takes the first two hundred words of the texts, so the most telling text comes first. It takes
// longer than writing them, so it is done before the transaction.
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

// PutWords keeps the words by which a handoff is found. One row per handoff keeps a send cheap; a search
// reads these rows, newest first.
func (t *Tx) PutWords(id schemas.ID, list WordList) error { return t.w.Put(Words, number(id), list) }

// SplitWords splits text into distinct lower-case words of letters, marks and digits, in their order.
func SplitWords(text string) []string { return slices.Collect(distinctWords([]string{text})) }

func distinctWords(texts []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		seen := map[string]bool{}
		for _, text := range texts {
			for w := range strings.FieldsFuncSeq(strings.ToLower(text), between) {
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

// between tells whether a lower-case character is no part of a word. Marks are: many scripts write vowels
// with them.
func between(r rune) bool {
	if r < utf8.RuneSelf {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}
	return !unicode.In(r, unicode.L, unicode.M, unicode.Nd)
}

// HasWords tells whether a handoff has, for each of the given words, one that begins with it. They are
// compared byte by byte, so they come from [SplitWords] as well.
func (v *View) HasWords(id schemas.ID, words []string) (bool, error) {
	row, err := v.r.Get(Words, number(id))
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
