package setup

import (
	"regexp"
	"strings"

	"handoff/cmd/handoff/internal/clients/client"
)

// notShown stands for a line of a diff that is not only ours.
const notShown = "(one line, not shown)"

// masked hides the lines of a diff that hold anything but what we write: a neighbour that gets a comma, or all of a
// file that is on one line, may hold secrets.
func (c Change) masked(diff string) string {
	ours, n := c.ourTokens(), 0
	var b strings.Builder
	for line := range strings.Lines(diff) {
		if n++; n > 2 && (line[0] == '-' || line[0] == '+') && !ours.all(line[1:]) { // the first two name the file
			line = line[:1] + notShown + "\n"
		}
		b.WriteString(line)
	}
	return b.String()
}

// tokens are the names and values that a text holds.
type tokens map[string]bool

// token matches a name or value in JSON or TOML, in its quotes if it has some.
var token = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'[^']*'|[^\s{}\[\],:="']+|["']`)

func (t tokens) add(text string) {
	for _, word := range token.FindAllString(text, -1) {
		t[strings.Trim(word, `"'`)] = true
	}
}

func (t tokens) all(line string) bool {
	for _, word := range token.FindAllString(line, -1) {
		if !t[strings.Trim(word, `"'`)] {
			return false
		}
	}
	return true
}

// ourTokens gives the tokens that setup writes into the file now, those that it wrote before, and those that switch a
// server off.
func (c Change) ourTokens() tokens {
	t := tokens{client.ServerName: true, "enabled": true, "disabled": true, "true": true, "false": true}
	before := c.desired
	before.Told = c.receipt.Told
	for _, d := range []Desired{c.desired, before} {
		if len(d.Server.Command) == 0 && d.Server.URL == "" {
			continue
		}
		if s, err := d.snippet(c.Client, c.target); err == nil {
			t.add(s.Text)
		}
	}
	return t
}
