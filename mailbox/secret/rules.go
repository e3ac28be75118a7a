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
	kind   string
	prefix string
	least  int // characters after the beginning
}

// marks tells whether tokens of a rule are known also behind other characters, such as those of a colour or of an escape:
// their beginning ends with a mark.
func (r rule) marks() bool {
	return len(r.prefix) > 3 && strings.IndexByte("_-.", r.prefix[len(r.prefix)-1]) >= 0
}

// beginnings are the rules by the first two bytes of their tokens.
type beginnings [1024][]rule

// of is the slot of two bytes. Several pairs share one, so the whole beginning is compared afterwards.
func (t *beginnings) of(a, b byte) *[]rule { return &t[(int(a)<<4^int(b))&1023] }

// byBeginning is made at the first text, since most processes look at none.
var byBeginning = sync.OnceValue(func() *beginnings {
	var t beginnings
	for line := range strings.Lines(rules) {
		if fields := strings.Fields(line); fields[0] != "#" {
			least, err := strconv.Atoi(fields[1])
			if err != nil {
				panic(err) // the table is ours
			}
			for _, prefix := range fields[2:] {
				here := t.of(prefix[0], prefix[1])
				*here = append(*here, rule{fields[0], prefix, least})
			}
		}
	}
	return &t
})

// words are what the name of a secret ends with, and the kind of secret that it then names.
var words = []struct{ kind, ends string }{
	{"password", "password passwd passphrase pwd"},
	{"token", "token authorization bearer"},
	{"secret", "secret credential credentials creds"},
	{"key", "apikey accesskey secretkey privatekey authkey signingkey encryptionkey accountkey licensekey"},
}
