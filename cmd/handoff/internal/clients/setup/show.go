package setup

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/aymanbagabas/go-udiff"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
	"handoff/cmd/handoff/internal/clients/installed"
	"handoff/schemas"
)

// Diff returns a change as a unified diff, or "" if the text does not change. It hides each line that contains a name
// or value which setup does not write, because the line may contain a secret. In the diff each line ends in \n, even if
// the lines of the file end in \r\n.
func (c FileChange) Diff() string {
	if c.Err != nil || c.IsUnchanged() {
		return ""
	}
	before, after := c.File.Path, c.File.Path
	if c.File.Missing {
		before = "/dev/null"
	}
	text := c.After
	if c.Gone {
		after, text = "/dev/null", nil
	}
	edits := udiff.Lines(string(c.File.Text), string(text))
	// The edits fit the text. The lines around a change may be secret.
	diff, _ := udiff.ToUnified(before, after, string(c.File.Text), edits, 0)
	return c.maskForeignLines(strings.ReplaceAll(diff, "\r\n", "\n"))
}

// A Snippet is a text that a person can paste into the file at Path.
type Snippet struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// Snippets returns a text for each file of a client. Each text is the whole content for an empty file.
func (d DesiredSetup) Snippets(c client.Client) (all []Snippet) {
	for _, t := range d.targetFiles(c) {
		if s := d.newSnippet(c, t); s.Text != "" {
			all = append(all, s)
		}
	}
	return all
}

// Snippet returns the text for the file of a change.
func (c FileChange) Snippet() Snippet { return c.desired.newSnippet(c.Client, c.target) }

func (d DesiredSetup) newSnippet(c client.Client, t targetFile) Snippet {
	doc, _ := edit.ParseDocument(t.syntax, nil) // an empty file can be read
	nothing := string(doc.Bytes())
	if err := d.putParts(c, t, doc, receipt{}); err != nil || string(doc.Bytes()) == nothing {
		return Snippet{}
	}
	return Snippet{t.path, string(doc.Bytes())}
}

// notShown replaces a line of a diff that contains a name or value of another author.
const notShown = "(one line, not shown)"

// maskForeignLines hides each line of a diff that contains a name or value which setup does not write. The line may
// contain a secret. For example, if the whole file is one line, our entry and the token of another server are in the
// same line.
func (c FileChange) maskForeignLines(diff string) string {
	ours, n := c.ourTokens(), 0
	foreign := func(word string) bool { return !slices.Contains(ours, word) }
	var b strings.Builder
	for line := range strings.Lines(diff) {
		// The first two lines name the file.
		if n++; n > 2 && (line[0] == '-' || line[0] == '+') && slices.ContainsFunc(tokensIn(line[1:]), foreign) {
			line = line[:1] + notShown + "\n"
		}
		b.WriteString(line)
	}
	return b.String()
}

// token matches one name or value in a JSON or TOML text, with its quotes.
var token = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'[^']*'|[^\s{}\[\],:="']+|["']`) })

// tokensIn returns the names and values in a text, without quotes.
func tokensIn(text string) []string {
	return schemas.Map(token().FindAllString(text, -1), func(word string) string { return strings.Trim(word, `"'`) })
}

// ourTokens returns the tokens that a diff may show: tokens that setup writes or wrote into the file, and keys that
// enable or disable a server.
func (c FileChange) ourTokens() []string {
	ours := []string{client.ServerName, "enabled", "disabled", "true", "false"}
	if doc, err := c.File.ParseDocument(c.target.syntax); err == nil && c.target.server {
		ours = append(ours, tokensIn(installed.OurServerName(c.Client, doc))...)
	}
	before := c.desired
	before.Options = c.receipt.Options
	for _, d := range []DesiredSetup{c.desired, before} {
		if len(d.Server.Command) > 0 || d.Server.URL != "" {
			ours = append(ours, tokensIn(d.newSnippet(c.Client, c.target).Text)...)
		}
	}
	return ours
}
