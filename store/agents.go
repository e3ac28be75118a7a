package store

import (
	"encoding/json"
	"iter"

	"handoff/schemas"
)

// Agent is what is kept of an agent. It exists from its first call, its registration, or from when its name
// was given to a connection that had none.
type Agent struct {
	Card   schemas.Card `json:"card"`
	Seen   Time         `json:"seen,omitempty"`   // to the minute
	Claims int          `json:"claims,omitempty"` // zero: nobody has claimed under this name yet

	// Client is whose sessions get this name: claude-code for claude-code-2. Empty for a name that was never
	// given. Session is the session that had it last, empty for one that cannot be told when it comes back.
	// Conn is the connection of that session, Process the process behind it, and Left tells that it is gone.
	// Idle tells that nothing was written under the name since that session was given it.
	Client  schemas.Agent `json:"client,omitempty"`
	Session string        `json:"session,omitempty"`
	Conn    string        `json:"conn,omitempty"`
	Process string        `json:"process,omitempty"` // empty when it is gone: its number may be another's by now
	Left    bool          `json:"left,omitempty"`
	Idle    bool          `json:"idle,omitempty"`
}

// Agent gives an agent; nil when there is none of that name.
func (v *View) Agent(name schemas.Agent) (*Agent, error) {
	b, err := v.r.Get(Agents, []byte(name))
	if b == nil || err != nil {
		return nil, err
	}
	var a Agent
	return &a, json.Unmarshal(b, &a)
}

// Agents yields all agents by name.
func (v *View) Agents() iter.Seq2[Agent, error] { return v.AgentsCalled("") }

// AgentsCalled yields the agents whose names begin with a text, by name.
func (v *View) AgentsCalled(beginning string) iter.Seq2[Agent, error] {
	return func(yield func(Agent, error) bool) {
		for row, err := range v.r.Scan(Prefix(Agents, []byte(beginning))) {
			var a Agent
			if err == nil {
				err = json.Unmarshal(row.Value, &a)
			}
			if !yield(a, err) || err != nil {
				return
			}
		}
	}
}

// PutAgent keeps an agent under the name on its card.
func (t *Tx) PutAgent(a Agent) error {
	b, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return t.w.Put(Agents, []byte(a.Card.Name), b)
}

// Workflow is what is kept of a workflow.
type Workflow struct {
	Owner schemas.Agent `json:"owner"` // who sent its first handoff
}

// Workflow gives a workflow; nil when there is none of that name.
func (v *View) Workflow(name schemas.Workflow) (*Workflow, error) {
	b, err := v.r.Get(Workflows, []byte(name))
	if b == nil || err != nil {
		return nil, err
	}
	var w Workflow
	return &w, json.Unmarshal(b, &w)
}

// PutWorkflow keeps a workflow.
func (t *Tx) PutWorkflow(name schemas.Workflow, w Workflow) error {
	b, err := json.Marshal(w)
	if err != nil {
		return err
	}
	return t.w.Put(Workflows, []byte(name), b)
}
