package respell

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed words.txt
var wordsText string

// wordsBySection has the sections of words.txt, which explains them: for each word of other systems the words that we
// use for it. It panics if a word is in a section twice.
var wordsBySection = sync.OnceValue(func() map[string]map[string][]string {
	sections := map[string]map[string][]string{}
	var section map[string][]string
	for row := range strings.Lines(wordsText) {
		switch ours, theirs, _ := strings.Cut(row, "|"); row[0] {
		case '#':
		case '[':
			section = map[string][]string{}
			sections[strings.Trim(row, "[]\n")] = section
		default:
			for word := range strings.FieldsSeq(theirs) {
				if section[word] != nil {
					panic("respell: " + word + " is in two rows")
				}
				section[word] = strings.Fields(ours)
			}
		}
	}
	return sections
})

// synonyms maps names that people and other systems use to names of our fields.
func synonyms() map[string][]string { return wordsBySection()["fields"] }

// unclearNames are names that may stand for each of several fields.
func unclearNames() map[string][]string { return wordsBySection()["unclear fields"] }

// ourWord returns our word for a word of other systems, according to a section of words.txt. The result may be "" for a
// known word, too.
func ourWord(section, word string) (ours string, known bool) {
	words, known := wordsBySection()[section][word]
	return strings.Join(words, " "), known
}
