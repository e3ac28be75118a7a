package secret

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

//go:embed rules.txt
var rules string

// rule describes one kind of token by the prefix that its issuer puts before every token, such as ghp_ for GitHub.
type rule struct {
	kind      string
	prefix    string
	minLength int // characters after the beginning
}

// mayFollowLetters reports whether the prefix of a rule is longer than three characters and ends in "_", "-" or ".". A
// token with this prefix is recognised even directly after other letters, for example after a colour code.
func (r rule) mayFollowLetters() bool {
	return len(r.prefix) > 3 && strings.IndexByte("_-.", r.prefix[len(r.prefix)-1]) >= 0
}

// prefixTable finds the rules for a token by its first two bytes. It is small, because Mask reads it for each letter of
// a text.
type prefixTable struct {
	slots [1024]uint8 // indexes into rules
	rules [][]rule    // the rules of each slot; the first list is empty
	names [][]string  // kinds of secrets, each followed by the words in one of which the name of such a secret ends
}

// rulesFor returns the rules whose prefix may begin with the bytes a and b. The caller must compare the whole prefix,
// because several pairs of bytes share a slot.
func (t *prefixTable) rulesFor(a, b byte) []rule { return t.rules[t.slots[slotIndex(a, b)]] }

func slotIndex(a, b byte) int { return (int(a)<<4 ^ int(b)) & 1023 }

// prefixes returns the table of rules. The first search of a text makes the table, because most processes search no
// text.
var prefixes = sync.OnceValue(func() *prefixTable {
	t := prefixTable{rules: make([][]rule, 1)}
	for line := range strings.Lines(rules) {
		if fields := strings.Fields(line); fields[0] == "named" {
			t.names = append(t.names, fields[1:])
		} else if fields[0] != "#" {
			least, err := strconv.Atoi(fields[1])
			if err != nil {
				panic(err) // the table is ours
			}
			for _, prefix := range fields[2:] {
				here := &t.slots[slotIndex(prefix[0], prefix[1])]
				if *here == 0 {
					*here = uint8(len(t.rules))
					t.rules = append(t.rules, nil)
				}
				t.rules[*here] = append(t.rules[*here], rule{fields[0], prefix, least})
			}
		}
	}
	return &t
})
