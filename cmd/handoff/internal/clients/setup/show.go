package setup

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
)

// Diff shows a change as a unified diff, or nothing where there is none. It shows no line that holds more than what
// is ours. Lines end in \n, whatever those of the file do.
func (c Change) Diff() string {
	if c.Err != nil || c.Same() {
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
	diff, err := udiff.ToUnified(before, after, string(c.File.Text), edits, 0) // what is around may be secret
	if err != nil {
		return ""
	}
	return shortened(c.masked(strings.ReplaceAll(diff, "\r\n", "\n")))
}

// widest is how many characters of a line are shown: some files have all they hold on one.
const widest = 300

func shortened(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if runes := []rune(line); len(runes) > widest {
			line = string(runes[:widest]) + "…\n"
		}
		b.WriteString(line)
	}
	return b.String()
}

// A Snippet is what belongs into a file, to be pasted by hand.
type Snippet struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// Snippets gives what a client's files would hold if they held nothing else.
func (w Wish) Snippets(c client.Client) (all []Snippet, err error) {
	for _, p := range w.places(c) {
		s, err := w.snippet(c, p)
		if err != nil {
			return nil, err
		}
		if s.Text != "" {
			all = append(all, s)
		}
	}
	return all, nil
}

// Snippet gives what belongs into the file of a change.
func (c Change) Snippet() (Snippet, error) { return c.wish.snippet(c.Client, c.place) }

func (w Wish) snippet(c client.Client, p place) (Snippet, error) {
	doc, err := edit.Open(p.syntax, nil)
	if err != nil {
		return Snippet{}, err
	}
	nothing := string(doc.Bytes())
	if err := w.put(c, p, doc, receipt{}); err != nil || string(doc.Bytes()) == nothing {
		return Snippet{}, err
	}
	return Snippet{p.path, string(doc.Bytes())}, nil
}
