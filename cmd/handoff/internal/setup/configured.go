package setup

import (
	"slices"

	"handoff/cmd/handoff/internal/client"
	"handoff/cmd/handoff/internal/setup/edit"
)

// A Configured server is our entry as a client reads it.
type Configured struct {
	client.Listed

	fields map[string]any
}

// Find gives our entry in a client's list; ok is false if there is none, or the file cannot be read.
func (w Wish) Find(c client.Client) (found Configured, ok bool) {
	f, err := Read(c.Servers.In(w.Scope, w.Machine))
	if err != nil && f.Text == nil {
		return found, false
	}
	doc, err := edit.Open(c.Servers.Syntax, f.Text)
	if err != nil {
		return found, false
	}
	entry, _ := doc.Look(under(c, doc).to(client.ServerName)...)
	fields, ok := entry.(map[string]any)
	if !ok {
		return found, false
	}
	found = Configured{client.ReadEntry(fields), fields}
	return found, len(found.Command) > 0 || found.URL != ""
}

// Written tells whether a server that was found is, to the letter, what setup writes for one of these wishes, or for
// everybody in a project. What a project says besides may be anybody's, and is neither run nor sent a token.
func (w Wish) Written(c client.Client, found Configured, wished ...client.Server) bool {
	entry := map[string]any{}
	for key, value := range found.fields {
		if !isEmpty(value) { // as the client's own command leaves some
			entry[key] = value
		}
	}
	bare := client.Server{Command: []string{client.ServerName, "mcp"}}
	return slices.ContainsFunc(append(wished, w.Server, bare), func(s client.Server) bool {
		return (s.URL != "" || len(s.Command) > 0) && edit.Same(entry, c.Entry(s))
	})
}
