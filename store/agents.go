package store

import (
	"encoding/json"
	"iter"

	"handoff/schemas"
)

// Agent is the row of an agent. It exists from the agent's first call, from its registration, or from when its name was
// given to a connection without a name.
type Agent struct {
	Card   schemas.Card `json:"card"`
	Seen   Time         `json:"seen,omitempty"`   // last call, to the minute
	Claims int          `json:"claims,omitempty"` // zero: nobody has claimed under this name yet

	// Client is the client whose sessions get this name, claude-code for claude-code-2. It is empty for a name that was
	// never given to a session. The fields below are about the session that was given the name last.
	Client  schemas.Agent `json:"client,omitempty"`
	Session string        `json:"session,omitempty"` // empty when it cannot be recognised when it comes back
	Conn    string        `json:"conn,omitempty"`    // its connection
	Process string        `json:"process,omitempty"` // of the connection; empty once gone, as numbers are given again
	Left    bool          `json:"left,omitempty"`    // the connection is gone
	Idle    bool          `json:"idle,omitempty"`    // nothing was written under the name since it was given
}

// Agent returns the row of an agent; nil when there is none of that name.
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

// AgentsCalled yields the agents whose names begin with the given text, by name.
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

// PutAgent writes the row of an agent, under the name on its card.
func (t *Tx) PutAgent(a Agent) error {
	b, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return t.w.Put(Agents, []byte(a.Card.Name), b)
}

// Workflow is the row of a workflow. It exists from the first handoff of the workflow.
type Workflow struct {
	Owner schemas.Agent `json:"owner"` // the sender of the first handoff
}

// Workflow returns the row of a workflow; nil when there is none of that name.
func (v *View) Workflow(name schemas.Workflow) (*Workflow, error) {
	b, err := v.r.Get(Workflows, []byte(name))
	if b == nil || err != nil {
		return nil, err
	}
	var w Workflow
	return &w, json.Unmarshal(b, &w)
}

// PutWorkflow writes the row of a workflow.
func (t *Tx) PutWorkflow(name schemas.Workflow, w Workflow) error {
	b, err := json.Marshal(w)
	if err != nil {
		return err
	}
	return t.w.Put(Workflows, []byte(name), b)
}
