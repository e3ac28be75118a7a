package schemas

import (
	"slices"
	"strings"
	"time"
)

// RegisterIn are the arguments of register_agent: what an agent takes, so that work is routed to it. What the call
// leaves out stays as it was, but for away. Once an agent is registered, sends to names that nobody has are refused.
// MaxMinutes is the longest session in minutes, and MaxOpen how many handoffs the agent may hold.
type RegisterIn struct {
	Name string `json:"name" jsonschema:"minLength=1,maxLength=64"`
	// Work types; '*' for any
	Accepts     []string `json:"accepts,omitempty" jsonschema:"maxItems=64"`
	Produces    []string `json:"produces,omitempty" jsonschema:"maxItems=64"`
	Skills      []string `json:"skills,omitempty" jsonschema:"maxItems=64"`
	Role        string   `json:"role,omitempty" jsonschema:"maxLength=64"`
	Description string   `json:"description,omitempty" jsonschema:"maxLength=500"`
	MaxMinutes  int      `json:"max_session_minutes,omitempty" jsonschema:"minimum=1,maximum=10080"`
	MaxOpen     int      `json:"max_open,omitempty" jsonschema:"minimum=1,maximum=1000"`
	Away        bool     `json:"away,omitempty"`
}

// RegisterOut is the result of register_agent.
type RegisterOut struct {
	Agent    Card     `json:"agent"`
	Warnings []string `json:"warnings,omitempty"` // what it accepts no longer
}

// AgentsIn are the arguments of list_agents: everybody, or those who have a capability, a role, or one of the skills
// that Tags names.
type AgentsIn struct {
	Capability string `json:"capability,omitempty"`
	Role       string `json:"role,omitempty"`
	// Skills
	Tags []string `json:"tags,omitempty"`
	// default: as many as fit
	Limit int `json:"limit,omitempty" jsonschema:"minimum=1,maximum=100000" jsonschema_extras:"x-hidden=true"`
}

// AgentsOut is the result of list_agents.
type AgentsOut struct {
	Agents   []Card   `json:"agents"` // who is live first, then who was seen last
	More     int      `json:"more,omitempty"`
	Warnings []string `json:"warnings,omitempty"` // of files that declare agents and cannot be read

	Skilled *Card `json:"-"` // where nobody has the capability: one that has it as a skill
}

// DeclareIn are the arguments of the administrative tool agents_declare: all that the files of a project say of agents,
// and the rules in them. Of an agent that several files declare, the last one holds.
//
// Digest is one of all files together, as whoever read them makes it. Leave says that it knows of a person's leave: all
// rules of one that does not, as of an earlier version, wait. Whole takes away what all other files declared.
type DeclareIn struct {
	Files  []DeclaringFile `json:"files"`
	Digest string          `json:"digest,omitempty" jsonschema:"maxLength=64"`
	Leave  bool            `json:"leave,omitempty"`
	Whole  bool            `json:"whole,omitempty"`
}

// DeclaredIn are the arguments of the administrative tool agents_declared: none.
type DeclaredIn struct{}

// DeclaredOut is the digest of what was declared last; empty where that had none.
type DeclaredOut struct {
	Digest string `json:"digest,omitempty"`
}

// DeclaringFile is one file that declares agents. An agent that has its name as its role stands for all whose names
// begin with it, as testing-specialist does for testing-specialist-RedStone.
type DeclaringFile struct {
	Name   string       `json:"name" jsonschema:"minLength=1,maxLength=200"` // as people know it
	Agents []RegisterIn `json:"agents,omitempty" jsonschema:"maxItems=500"`
	Routes []Route      `json:"routes,omitempty" jsonschema:"maxItems=200"`
	Plans  []Plan       `json:"plans,omitempty" jsonschema:"maxItems=50"`

	// Routes and plans wait for a person's leave: they are known and send nothing
	Unallowed bool `json:"unallowed,omitempty"`
}

// DeclareOut is the result of agents_declare: whose declarations are new, others than before, or gone, and the files
// whose rules are.
type DeclareOut struct {
	Changed  []Agent  `json:"changed,omitempty"`
	Rules    []string `json:"rules,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// Card is what is known of an agent. It says what the agent registered, whether it is here, and how busy it is. The
// mailbox counts pending, held and notices on each reading. Live means that the agent has an open connection, and
// waiting that a call of it waits for something to claim.
type Card struct {
	Name        Agent     `json:"name"`
	Registered  bool      `json:"registered,omitempty"`
	Accepts     []string  `json:"accepts,omitempty"`
	Produces    []string  `json:"produces,omitempty"`
	Skills      []string  `json:"skills,omitempty"`
	Role        string    `json:"role,omitempty"`
	Description string    `json:"description,omitempty"`
	MaxMinutes  int       `json:"max_session_minutes,omitempty"`
	MaxOpen     int       `json:"max_open,omitempty"`
	Away        bool      `json:"away,omitempty"`
	DeclaredIn  string    `json:"declared_in,omitempty"` // the file, as people know it
	Live        bool      `json:"live,omitempty"`        // has an open connection
	Waiting     bool      `json:"waiting,omitempty"`     // for something to claim, at this moment
	Seen        time.Time `json:"last_seen,omitzero"`
	Pending     int       `json:"pending,omitempty"`
	Held        int       `json:"held,omitempty"`
	Notices     int       `json:"notices,omitempty"` // unread
}

// AcceptsAnd is what the agent accepts and one more kind of work, named with or without "capability:".
func (c Card) AcceptsAnd(work string) []string {
	return append(slices.Clone(c.Accepts), strings.TrimPrefix(work, "capability:"))
}
