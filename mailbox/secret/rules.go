package secret

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

//go:embed rules.txt
var rules string

// rule is one beginning of tokens that their issuer marks.
type rule struct {
	kind      string
	prefix    string
	minLength int // characters after the beginning
}

// endsInMark tells whether tokens of a rule are known also behind other characters, such as those of a colour or of an
// escape: their beginning ends with a mark.
func (r rule) endsInMark() bool {
	return len(r.prefix) > 3 && strings.IndexByte("_-.", r.prefix[len(r.prefix)-1]) >= 0
}

// prefixTable are the rules by the first two bytes of their tokens. The slots are small, since one is looked at for each
// letter of a text.
type prefixTable struct {
	slots [1024]uint8 // the place among the rules
	rules [][]rule    // those of a slot; the first are none
}

// of are the rules of two bytes. Several pairs share a slot, so the whole beginning is compared afterwards.
func (t *prefixTable) rulesFor(a, b byte) []rule { return t.rules[t.slots[slot(a, b)]] }

func slot(a, b byte) int { return (int(a)<<4 ^ int(b)) & 1023 }

// prefixes is made at the first text, since most processes look at none.
var prefixes = sync.OnceValue(func() *prefixTable {
	t := prefixTable{rules: make([][]rule, 1)}
	for line := range strings.Lines(rules) {
		if fields := strings.Fields(line); fields[0] != "#" {
			least, err := strconv.Atoi(fields[1])
			if err != nil {
				panic(err) // the table is ours
			}
			for _, prefix := range fields[2:] {
				here := &t.slots[slot(prefix[0], prefix[1])]
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

// secretNames are the endings of the names of secrets, with the kind of secret that each names.
var secretNames = []struct {
	kind string
	ends []string
}{
	{"password", strings.Fields("password passwd passphrase pwd")},
	{"token", strings.Fields("token authorization bearer")},
	{"secret", strings.Fields("secret credential credentials creds")},
	{"key", strings.Fields("apikey accesskey secretkey privatekey authkey signingkey encryptionkey accountkey licensekey")},
}
