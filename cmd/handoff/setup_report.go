package main

import (
	"encoding/json"
	"slices"

	"handoff/cmd/handoff/internal/cli"
)

// report prints what became of everything, unless it was shown, and gives the exit status.
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

// needsSomebody tells whether there is something that a person has to see to. A client with our plugin works: only who names
// it wants something else.
func (s *setupRun) needsSomebody() bool {
	silent := func(c *clientSetup) bool { return c.Live != nil && c.Live.Problem != "" }
	return slices.ContainsFunc(s.clients, silent) || s.any(func(f *fileSetup) bool {
		return f.State == fileAlone && (s.named || !f.plugged) || f.Unread != "" || s.flags.check && f.State == fileTodo
	})
}
