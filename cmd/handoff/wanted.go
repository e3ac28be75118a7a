package main

import (
	"slices"

	"handoff/schemas"
)

// wants tells the events that a watcher asked for from others.
func (w watching) wants(c schemas.Change) bool {
	if w.workflow != "" && c.Workflow != schemas.Workflow(w.workflow) {
		return false
	}
	agent := schemas.Agent(w.agent)
	return agent == "" || c.Box == schemas.Address(agent) || slices.Contains([]schemas.Agent{c.Agent, c.Sender, c.Holder}, agent)
}
