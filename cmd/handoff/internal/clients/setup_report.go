package clients

import (
	"encoding/json"
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/clients/setup"
	"handoff/schemas"
)

// report prints what became of everything, unless that was shown, and gives the exit status.
func (s *setupRun) report(shown bool) error {
	if !shown {
		if err := s.Print(s.raw(), s.showDone); err != nil {
			return err
		}
	}
	if s.needsSomebody() {
		return cli.Exit(1)
	}
	return nil
}

func (s *setupRun) raw() json.RawMessage {
	raw, err := json.Marshal(map[string]any{"scope": s.within.Scope, "clients": s.clients})
	if err != nil {
		panic(err) // it is made of texts
	}
	return raw
}

// needsSomebody tells whether a person has something to see to. A client with our plugin works; only a person who
// named it wants something else.
func (s *setupRun) needsSomebody() bool {
	silent := func(c *clientSetup) bool { return c.Live != nil && c.Live.Problem != "" }
	return slices.ContainsFunc(s.clients, silent) || s.any(func(f *fileSetup) bool {
		return f.State == fileAlone && (s.named || !f.plugged) || f.Unread != "" || s.flags.check && f.State == fileTodo
	})
}

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
