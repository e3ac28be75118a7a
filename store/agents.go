package store

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"
	"sync"

	"handoff/schemas"
)

// Agent is the row of an agent: JSON under the agent's name. Package mailbox writes it when the agent registers, calls
// or claims, and when a connection gets or loses the name. The row stays when the agent leaves, so a name that was used
// stays known.
type Agent struct {
	Card   schemas.Card `json:"card"`
	Seen   Time         `json:"seen,omitempty"`   // last call, to the minute
	Claims int          `json:"claims,omitempty"` // zero: no claim under this name yet

	// Resembles is an older agent whose name a reader could confuse with this name. It is empty if there is none.
	Resembles schemas.Agent `json:"resembles,omitempty"`

	// Declared is the declaration of the agent in a file, as the server last read it. The server compares it with the
	// file to notice changes. If the file declares a role, the name in Declared is the name of the role. The name on
	// the card is still the name of the agent, which begins with the name of the role.
	Declared *schemas.RegisterIn `json:"declared,omitempty"`

	// Client is the client whose sessions get this name: claude-code for claude-code-2. It is empty if no session ever
	// got the name. The fields below describe the last session that got the name.
	Client  schemas.Agent `json:"client,omitempty"`
	Session string        `json:"session,omitempty"` // empty when a client that returns cannot be recognised
	Conn    string        `json:"conn,omitempty"`    // its connection
	Process string        `json:"process,omitempty"` // of the connection; empty once ended: systems reuse numbers
	Parent  int           `json:"parent,omitempty"`  // id of the process that opened the connection
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

// AgentsWithPrefix yields the agents whose names begin with the given text, in the order of their names. Names are
// compared byte by byte. An empty text selects all agents.
func (v *View) AgentsWithPrefix(beginning string) iter.Seq2[Agent, error] {
	return decodeRows(v, Prefix(Agents, []byte(beginning)), DecodeJSONRow[Agent])
}

// AgentsMentioning yields the agents whose rows contain one of the words as a whole JSON string, for example the name
// of a capability. The caller checks which field of the row contains the word.
//
// It reads all rows, but decodes a row again only if the row has changed, because decoding takes most of the time. All
// callers get the same slices inside an Agent, so callers must not change these slices.
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

// agentCache keeps decoded agents by name. An entry is used only if the row still has the bytes from which the entry
// was decoded.
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

// PutAgent replaces the row of an agent, under the name on its card. The caller reads the row in the same transaction
// first, so that changes of other calls are not lost.
func (t *RowTx) PutAgent(a Agent) error { return t.putJSON(Agents, []byte(a.Card.Name), a) }

// DeleteAgent removes the row of an agent. The contents of its mailbox stay.
func (t *RowTx) DeleteAgent(name schemas.Agent) error { return t.w.Delete(Agents, []byte(name)) }

// Workflow is the row of a workflow. It exists from the first handoff of the workflow.
//
// Package mailbox writes the row with each handoff and each result of the workflow. It counts in the row how much of
// each limit the workflow has used. [schemas.WorkflowLimits] lists the names of the limits.
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
func (t *RowTx) PutWorkflow(name schemas.Workflow, w Workflow) error {
	return t.putJSON(Workflows, []byte(name), w)
}

// DeclaredRules is the row of a file that declares rules or workflows. If Unallowed is true, no person has allowed the
// rules yet, and they send nothing. Earlier holds plans that an older version wrote and that no person has allowed.
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
func (t *RowTx) PutDeclarationDigest(digest string) error {
	return t.w.Put(Sys, declarationDigestKey, []byte(digest))
}

var sealingKey = []byte("seal")

// SealingKey returns the secret with which servers seal what they give to clients to keep; "" for none yet.
func (v *View) SealingKey() (string, error) {
	b, err := v.r.Get(Sys, sealingKey)
	return string(b), err
}

// PutSealingKey writes the secret of [View.SealingKey].
func (t *RowTx) PutSealingKey(secret string) error { return t.w.Put(Sys, sealingKey, []byte(secret)) }

var timeCorrectionKey = []byte("uncut")

// TimeCorrectionCursor returns how far the correction of times has come. After the clock of the machine was set back,
// the server corrects the times of handoffs in the order of their ids. The result is the last corrected handoff. It is
// zero if no handoff needs the correction.
func (v *View) TimeCorrectionCursor() (schemas.ID, error) {
	b, err := v.r.Get(Sys, timeCorrectionKey)
	return schemas.ID(DecodeLastNumber(b)), err
}

// PutTimeCorrectionCursor writes the result of [View.TimeCorrectionCursor]: the last corrected handoff, or zero at the
// end of the correction.
func (t *Tx) PutTimeCorrectionCursor(after schemas.ID) error {
	return t.w.Put(Sys, timeCorrectionKey, EncodeNumber(after))
}

// DeclaredRuleRows yields the rows of all files as they are stored, in the order of the files' names. Each value is
// JSON of [DeclaredRules].
func (v *View) DeclaredRuleRows() iter.Seq2[Row, error] { return v.r.Scan(Range{Space: Rules}) }

// DeclaredRules returns the declarations of a file; nil for none.
func (v *View) DeclaredRules(file string) (*DeclaredRules, error) {
	return getJSON[DeclaredRules](v, Rules, []byte(file))
}

// PutDeclaredRules writes the declarations of a file. It deletes the row if the file declares no rules and no
// workflows. Changed reports whether the row changed.
func (t *RowTx) PutDeclaredRules(file string, rules DeclaredRules) (changed bool, err error) {
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
