package store

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"
	"sync"

	"handoff/schemas"
)

// Agent is the row of an agent. It exists from the agent's first call, from its registration, or from when its name was
// given to a connection without a name.
//
// The row is JSON under the name. Package mailbox writes it: when an agent registers, calls or claims, and when a
// session is given a name or loses it. No row is deleted, so a name that was used stays known.
type Agent struct {
	Card   schemas.Card `json:"card"`
	Seen   Time         `json:"seen,omitempty"`   // last call, to the minute
	Claims int          `json:"claims,omitempty"` // zero: nobody has claimed under this name yet

	// Resembles is an agent that was known before this one, and for which a reader could take it; empty for none.
	Resembles schemas.Agent `json:"resembles,omitempty"`

	// Declared is what the file said that the card names, to tell when it says something else. It has another name than
	// the card where it is about the role with which the agent's name begins.
	Declared *schemas.RegisterIn `json:"declared,omitempty"`

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
	return get[Agent](v, Agents, []byte(name))
}

// Agents yields all agents by name.
func (v *View) Agents() iter.Seq2[Agent, error] { return v.AgentsWithPrefix("") }

// AgentNames returns the names of all agents, in order. It decodes no row.
func (v *View) AgentNames() (names []schemas.Agent, err error) {
	err = v.Each(Range{Space: Agents}, func(row Row) error {
		names = append(names, schemas.Agent(row.Key))
		return nil
	})
	return names, err
}

// AgentsWithPrefix yields the agents whose names begin with the given text, by name.
//
// Names are compared byte by byte, so it costs as many rows as there are such names. An empty text gives all agents.
func (v *View) AgentsWithPrefix(beginning string) iter.Seq2[Agent, error] {
	return decoded(v, Prefix(Agents, []byte(beginning)), FromJSON[Agent])
}

// AgentsMentioning yields the agents in whose rows one of the words stands as a text by itself, such as the name of a
// capability, by name. Which field says it is for the caller to see.
//
// All rows are read, but only those are decoded that changed since they were read so: of a thousand agents that takes
// most of the time. The lists of an agent are shared by all who read it, so nobody changes them.
func (v *View) AgentsMentioning(words ...string) iter.Seq2[Agent, error] {
	var quoted [][]byte
	for _, word := range words {
		text, _ := json.Marshal(word) // as PutAgent writes it; a string always can be
		quoted = append(quoted, text)
	}
	says := func(row Row) bool {
		return slices.ContainsFunc(quoted, func(q []byte) bool { return bytes.Contains(row.Value, q) })
	}
	return decodedIf(v, Range{Space: Agents}, says, v.agents.decode)
}

// agentCache are the agents as they were decoded last, by name. An entry is right for the bytes that it was decoded from
// and for no others, so it need not be told of changes.
type agentCache struct{ entries sync.Map }

type cachedAgent struct {
	row   []byte
	agent Agent
}

func (c *agentCache) decode(row Row) (Agent, error) {
	if known, ok := c.entries.Load(string(row.Key)); ok && bytes.Equal(known.(*cachedAgent).row, row.Value) {
		return known.(*cachedAgent).agent, nil
	}
	a, err := FromJSON[Agent](row)
	if err == nil {
		c.entries.Store(string(row.Key), &cachedAgent{bytes.Clone(row.Value), a})
	}
	return a, err
}

// PutAgent writes the row of an agent, under the name on its card.
//
// It replaces the whole row. The caller reads the row in the same transaction first, so that what another call wrote
// meanwhile is not lost.
func (t *Tx) PutAgent(a Agent) error { return t.putJSON(Agents, []byte(a.Card.Name), a) }

// DeleteAgent removes the row of an agent of which nothing is known any more. What its mailbox holds stays.
func (t *Tx) DeleteAgent(name schemas.Agent) error { return t.w.Delete(Agents, []byte(name)) }

// Workflow is the row of a workflow. It exists from the first handoff of the workflow.
//
// For some actions the rules ask who the owner of the workflow is, and some notices go to the owner. Package mailbox
// writes it with each handoff of the workflow and with each result, and counts there what the workflow has used. The
// names of limits are those of [schemas.WorkflowLimits].
type Workflow struct {
	Owner  schemas.Agent      `json:"owner"` // the sender of the first handoff
	Limits map[string]float64 `json:"limits,omitempty"`
	Used   map[string]float64 `json:"used,omitempty"`
	Told   []string           `json:"told,omitempty"`  // the limits of which human was told that something was past them
	Timed  int                `json:"timed,omitempty"` // how much rules sent in it because of time
}

// Workflow returns the row of a workflow; nil when there is none of that name.
func (v *View) Workflow(name schemas.Workflow) (*Workflow, error) {
	return get[Workflow](v, Workflows, []byte(name))
}

// PutWorkflow writes the row of a workflow.
func (t *Tx) PutWorkflow(name schemas.Workflow, w Workflow) error {
	return t.putJSON(Workflows, []byte(name), w)
}

// DeclaredRules is the row of a file that declares more than agents. Unallowed are rules that wait for a person's leave:
// they send nothing. Versions that know nothing of leave have other names for the fields, and find nothing in a row of
// this one; Earlier is what this one finds of theirs, and has no leave.
type DeclaredRules struct {
	Routes    []schemas.Route `json:"rules,omitempty"`
	Plans     []schemas.Plan  `json:"workflows,omitempty"`
	Unallowed bool            `json:"unallowed,omitempty"`
	Earlier   []schemas.Plan  `json:"plans,omitempty"`
}

var declaredKey = []byte("declared")

// Declared returns the digest of what files declared last; "" for none.
func (v *View) Declared() (string, error) {
	b, err := v.r.Get(Sys, declaredKey)
	return string(b), err
}

// PutDeclared writes the digest of what files declare from now on, or that it has none.
func (t *Tx) PutDeclared(digest string) error { return t.w.Put(Sys, declaredKey, []byte(digest)) }

var trimCursorKey = []byte("uncut")

// TrimCursor returns the last handoff whose times were cut after the clock was set back, where those of others are still to be
// cut; zero where none are.
func (v *View) TrimCursor() (schemas.ID, error) {
	b, err := v.r.Get(Sys, trimCursorKey)
	return schemas.ID(LastNumber(b)), err
}

// PutTrimCursor writes after which handoff the next times are cut; zero for none.
func (t *Tx) PutTrimCursor(after schemas.ID) error { return t.w.Put(Sys, trimCursorKey, Number(after)) }

// AllRules yields the rows of all files by name, as they are kept: JSON of [DeclaredRules].
func (v *View) AllRules() iter.Seq2[Row, error] { return v.r.Scan(Range{Space: Rules}) }

// RulesOf returns what a file declares; nil for nothing.
func (v *View) RulesOf(file string) (*DeclaredRules, error) {
	return get[DeclaredRules](v, Rules, []byte(file))
}

// PutRules writes what a file declares, and deletes the row of one that declares nothing any more. It tells whether that
// is something else than before.
func (t *Tx) PutRules(file string, said DeclaredRules) (changed bool, err error) {
	before, err := t.r.Get(Rules, []byte(file))
	if err != nil {
		return false, err
	}
	if len(said.Routes)+len(said.Plans) == 0 {
		return before != nil, t.w.Delete(Rules, []byte(file))
	}
	b, err := json.Marshal(said)
	if err != nil || bytes.Equal(b, before) {
		return false, err
	}
	return true, t.w.Put(Rules, []byte(file), b)
}
