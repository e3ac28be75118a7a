package main

import (
	"encoding/json"
	"slices"
)

// report prints what became of everything.
func (s *setting) report() error {
	if err := s.print(s.raw(), s.showDone); err != nil {
		return err
	}
	return s.status()
}

func (s *setting) end() error {
	if s.json {
		if err := s.write(inert(s.raw()) + "\n"); err != nil {
			return err
		}
	}
	return s.status()
}

func (s *setting) raw() json.RawMessage {
	raw, err := json.Marshal(map[string]any{"scope": s.wish.Scope, "clients": s.clients})
	if err != nil {
		panic(err) // it is made of texts
	}
	return raw
}

// status is 1 when something needs a person.
func (s *setting) status() error {
	if s.anything(fileAlone) || s.unread() || s.flags.check && s.anything(fileTodo) ||
		slices.ContainsFunc(s.clients, func(c *clientSetup) bool { return c.Live != nil && c.Live.Problem != "" }) {
		return status(1)
	}
	return nil
}

func (s *setting) unread() bool {
	return slices.ContainsFunc(s.clients, func(c *clientSetup) bool {
		return slices.ContainsFunc(c.Files, func(f *fileSetup) bool { return f.Unread != "" })
	})
}

func (s *setting) anything(state fileState) bool {
	return slices.ContainsFunc(s.clients, func(c *clientSetup) bool {
		return slices.ContainsFunc(c.Files, func(f *fileSetup) bool { return f.State == state })
	})
}
