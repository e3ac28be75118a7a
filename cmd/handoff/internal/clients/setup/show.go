package setup

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"handoff/cmd/handoff/internal/clients/client"
	"handoff/cmd/handoff/internal/clients/edit"
)

// Diff shows a change as a unified diff; it is empty where nothing changes. It hides lines that hold anything but
// what is ours. Lines end in \n, whatever those of the file do.
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
	return c.masked(strings.ReplaceAll(diff, "\r\n", "\n"))
}

// A Snippet is what belongs into a file, to be pasted by hand.
type Snippet struct {
	Path string `json:"path"`
	Text string `json:"text"`
}

// Snippets gives what belongs into each file of a client, as text of a file that holds nothing else.
func (d Desired) Snippets(c client.Client) (all []Snippet, err error) {
	for _, t := range d.targets(c) {
		s, err := d.snippet(c, t)
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
func (c Change) Snippet() (Snippet, error) { return c.desired.snippet(c.Client, c.target) }

func (d Desired) snippet(c client.Client, t target) (Snippet, error) {
	doc, err := edit.Open(t.syntax, nil)
	if err != nil {
		return Snippet{}, err
	}
	nothing := string(doc.Bytes())
	if err := d.put(c, t, doc, receipt{}); err != nil || string(doc.Bytes()) == nothing {
		return Snippet{}, err
	}
	return Snippet{t.path, string(doc.Bytes())}, nil
}
