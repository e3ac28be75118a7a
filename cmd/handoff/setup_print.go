package main

import (
	"encoding/json"
	"strings"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/clients/setup"
	"handoff/schemas"
)

// printSnippets prints what belongs into which file of which client.
func (s *setupRun) printSnippets() error {
	type snippets struct {
		Client string          `json:"client"`
		Files  []setup.Snippet `json:"files"`
	}
	var all []snippets
	for _, c := range s.clients {
		files, err := c.desired.Snippets(c.Client)
		if err != nil {
			return schemas.InternalError(err)
		}
		all = append(all, snippets{c.Name, files})
	}
	raw, err := json.Marshal(map[string]any{"scope": s.within.Scope, "clients": all})
	if err != nil {
		return schemas.InternalError(err)
	}
	return s.Print(raw, func(p *cli.Page) {
		for _, of := range all {
			for _, f := range of.Files {
				p.Line("%s", p.Faint("# "+of.Client+": "+schemas.Visible(f.Path)))
				p.Line("%s", schemas.Visible(strings.TrimRight(f.Text, "\n")))
			}
		}
	})
}
