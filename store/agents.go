package store

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"
	"sync"

	"handoff/schemas"
)

// Agent is the row of an agent. The row exists from the agent's first call, from its registration, or from the moment
// at which its name was given to a connection without a name.
//
// The row is JSON under the name. Package mailbox writes it when an agent registers, calls or claims, and when a
// connection gets or loses the name. The row stays when the agent leaves, so a name that was used stays known.
type Agent struct {
	Card   schemas.Card `json:"card"`
	Seen   Time         `json:"seen,omitempty"`   // last call, to the minute
	Claims int          `json:"claims,omitempty"` // zero: no claim under this name yet

	// Resembles is an agent that was known earlier and that a reader could confuse with this one; empty for none.
	Resembles schemas.Agent `json:"resembles,omitempty"`

	// Declared is the declaration in the file that the card names, as it was read last, so that a later change of the
	// file is noticed. If that file declares a role and not this agent, Declared has the name of the role and the card
	// has the name of the agent, which begins with the role.
	Declared *schemas.RegisterIn `json:"declared,omitempty"`

	// Client is the client whose sessions get this name: claude-code for claude-code-2. It is empty for a name that was
	// never given to a session. The fields below describe the last session that got the name.
	Client  schemas.Agent `json:"client,omitempty"`
	Session string        `json:"session,omitempty"` // empty when a client that returns cannot be recognised
	Conn    string        `json:"conn,omitempty"`    // its connection
	Process string        `json:"process,omitempty"` // of the connection; empty once ended: systems reuse numbers
	Left    bool          `json:"left,omitempty"`    // the connection is gone
	Idle    bool          `json:"idle,omitempty"`    // nothing was written under the name since it was given
}

// Agent returns the row of an agent; nil when there is none of that name.
func (v *View) Agent(name schemas.Agent) (*Agent, error) {
	return getJSON[Agent](v, Agents, []byte(name))
}

// Agents yields all agents by name.
func (v *View) Agents() iter.Seq2[Agent, error] { return v.AgentsWithPrefix("") }

// AgentNames returns the names of all agents, in order. It decodes no row.
func (v *View) AgentNames() (names []schemas.Agent, err error) {
	err = v.EachInRange(Range{Space: Agents}, func(row Row) error {
		names = append(names, schemas.Agent(row.Key))
		return nil
	})
	return names, err
}

// AgentsWithPrefix yields the agents whose names begin with the given text, by name.
//
// Names are compared byte by byte. Only the rows of the yielded agents are read. An empty text gives all agents.
func (v *View) AgentsWithPrefix(beginning string) iter.Seq2[Agent, error] {
	return decodeRows(v, Prefix(Agents, []byte(beginning)), DecodeJSONRow[Agent])
}

// AgentsMentioning yields the agents whose rows contain one of the words as a whole JSON string, for example the name
// of a capability. The agents come in the order of their names. The caller checks in which field of the row the word
// stands.
//
// It reads all rows and decodes only rows that changed since the last time, because decoding takes most of the time.
// All callers get the same slices inside an Agent, so callers do not change these slices.
func (v *View) AgentsMentioning(words ...string) iter.Seq2[Agent, error] {
	var quoted [][]byte
	for _, word := range words {
		text, _ := json.Marshal(word) // as PutAgent writes it; a string always can be
		quoted = append(quoted, text)
	}
	says := func(row Row) bool {
		return slices.ContainsFunc(quoted, func(q []byte) bool { return bytes.Contains(row.Value, q) })
	}
	return decodeRowsIf(v, Range{Space: Agents}, says, v.agents.decode)
}

// agentCache keeps the agents that were decoded last, by name. An entry is valid only for the bytes from which it was
// decoded, so changes need no invalidation.
type agentCache struct{ entries sync.Map }

type cachedAgent struct {
	row   []byte
	agent Agent
}

func (c *agentCache) decode(row Row) (Agent, error) {
	if known, ok := c.entries.Load(string(row.Key)); ok && bytes.Equal(known.(*cachedAgent).row, row.Value) {
		return known.(*cachedAgent).agent, nil
	}
	a, err := DecodeJSONRow[Agent](row)
	if err == nil {
		c.entries.Store(string(row.Key), &cachedAgent{bytes.Clone(row.Value), a})
	}
	return a, err
}

// PutAgent writes the row of an agent, under the name on its card.
//
// It replaces the whole row. The caller reads the row in the same transaction first, so that changes of other calls
// are not lost.
func (t *Tx) PutAgent(a Agent) error { return t.putJSON(Agents, []byte(a.Card.Name), a) }

// DeleteAgent removes the row of an agent. The contents of its mailbox stay.
func (t *Tx) DeleteAgent(name schemas.Agent) error { return t.w.Delete(Agents, []byte(name)) }

// Workflow is the row of a workflow. It exists from the first handoff of the workflow.
//
// The rules ask for the owner of the workflow at some actions, and some notices go to the owner. Package mailbox writes
// the row with each handoff of the workflow and with each result, and counts in it how much of each limit the workflow
// has used. The names of limits are listed in [schemas.WorkflowLimits].
type Workflow struct {
	Owner  schemas.Agent      `json:"owner"` // the sender of the first handoff
	Limits map[string]float64 `json:"limits,omitempty"`
	Used   map[string]float64 `json:"used,omitempty"`
	Told   []string           `json:"told,omitempty"`  // the exceeded limits about which human has had a notice
	Timed  int                `json:"timed,omitempty"` // number of handoffs that time rules sent in this workflow
}

// Workflow returns the row of a workflow; nil when there is none of that name.
func (v *View) Workflow(name schemas.Workflow) (*Workflow, error) {
	return getJSON[Workflow](v, Workflows, []byte(name))
}

// PutWorkflow writes the row of a workflow.
func (t *Tx) PutWorkflow(name schemas.Workflow, w Workflow) error {
	return t.putJSON(Workflows, []byte(name), w)
}

// DeclaredRules is the row of a file that declares rules or workflows. Unallowed means that a person has not allowed
// the rules yet: they send nothing. Older versions use other field names, so they find nothing in this row. Earlier
// holds the plans that an older version wrote. No person has allowed these plans.
type DeclaredRules struct {
	Routes    []schemas.Route `json:"rules,omitempty"`
	Plans     []schemas.Plan  `json:"workflows,omitempty"`
	Unallowed bool            `json:"unallowed,omitempty"`
	Earlier   []schemas.Plan  `json:"plans,omitempty"`
}

var declarationDigestKey = []byte("declared")

// DeclarationDigest returns the digest of the last declaration of all files; "" for none.
func (v *View) DeclarationDigest() (string, error) {
	b, err := v.r.Get(Sys, declarationDigestKey)
	return string(b), err
}

// PutDeclarationDigest writes the digest of the current declaration of all files, or "" for none.
func (t *Tx) PutDeclarationDigest(digest string) error {
	return t.w.Put(Sys, declarationDigestKey, []byte(digest))
}

var timeCorrectionKey = []byte("uncut")

// TimeCorrectionCursor returns the progress of a correction: after the clock of the machine was set back, the times of handoffs
// are corrected in the order of their ids. The result is the last corrected handoff while later ones still need the
// correction, and zero if no handoff needs it.
func (v *View) TimeCorrectionCursor() (schemas.ID, error) {
	b, err := v.r.Get(Sys, timeCorrectionKey)
	return schemas.ID(DecodeLastNumber(b)), err
}

// PutTimeCorrectionCursor writes the progress for [View.TimeCorrectionCursor]: the handoff after which the correction goes on; zero when it
// is done.
func (t *Tx) PutTimeCorrectionCursor(after schemas.ID) error {
	return t.w.Put(Sys, timeCorrectionKey, EncodeNumber(after))
}

// DeclaredRuleRows yields the rows of all files by name, as they are kept: JSON of [DeclaredRules].
func (v *View) DeclaredRuleRows() iter.Seq2[Row, error] { return v.r.Scan(Range{Space: Rules}) }

// DeclaredRules returns the declarations of a file; nil for none.
func (v *View) DeclaredRules(file string) (*DeclaredRules, error) {
	return getJSON[DeclaredRules](v, Rules, []byte(file))
}

// PutDeclaredRules writes the declarations of a file, and deletes the row if there are none any more. Changed reports whether
// they differ from the row before.
func (t *Tx) PutDeclaredRules(file string, rules DeclaredRules) (changed bool, err error) {
	before, err := t.r.Get(Rules, []byte(file))
	if err != nil {
		return false, err
	}
	if len(rules.Routes)+len(rules.Plans) == 0 {
		return before != nil, t.w.Delete(Rules, []byte(file))
	}
	b, err := json.Marshal(rules)
	if err != nil || bytes.Equal(b, before) {
		return false, err
	}
	return true, t.w.Put(Rules, []byte(file), b)
}
