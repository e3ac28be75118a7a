package schemas

import (
	"slices"
	"strings"
	"time"
)

// RegisterIn holds the arguments of register_agent. They describe the work that an agent takes, so that the mailbox can
// route work to it. A field that the call leaves out keeps its earlier value. The exception is Away, which becomes
// false. As soon as one agent is registered, the mailbox refuses handoffs to unknown names. MaxMinutes is the longest
// session in minutes. MaxOpen is the number of handoffs that the agent may hold at a time. An agent may have several
// roles: Role and Roles replace all earlier roles together.
type RegisterIn struct {
	Name string `json:"name" jsonschema:"minLength=1,maxLength=64"`
	// Work types; '*' for any
	Accepts     []string `json:"accepts,omitempty" jsonschema:"maxItems=64"`
	Produces    []string `json:"produces,omitempty" jsonschema:"maxItems=64"`
	Skills      []string `json:"skills,omitempty" jsonschema:"maxItems=64"`
	Role        string   `json:"role,omitempty" jsonschema:"maxLength=64"`
	Roles       []string `json:"roles,omitempty" jsonschema:"maxItems=64"` // if it has several
	Description string   `json:"description,omitempty" jsonschema:"maxLength=500"`
	MaxMinutes  int      `json:"max_session_minutes,omitempty" jsonschema:"minimum=1,maximum=10080"`
	MaxOpen     int      `json:"max_open,omitempty" jsonschema:"minimum=1,maximum=1000"`
	Away        bool     `json:"away,omitempty"`
}

// RegisterOut is the result of register_agent.
type RegisterOut struct {
	Agent    Card     `json:"agent"`
	Warnings []string `json:"warnings,omitempty"` // types that it accepts no longer
}

// AgentsIn holds the arguments of list_agents. Without filters the call lists all agents. Otherwise it lists the agents
// with the capability, with the role, or with at least one of the skills in Tags.
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
	Agents   []Card   `json:"agents"` // live agents first, then the last seen first
	More     int      `json:"more,omitempty"`
	Warnings []string `json:"warnings,omitempty"` // of files that declare agents and cannot be read

	Skilled *Card    `json:"-"` // if no agent has the capability: one that has it as a skill
	Sends   []Advice `json:"-"` // sends to the workflows, pools and checks that the project declares
}

// DeclareIn holds the arguments of the administrative tool agents_declare: the agents and rules in all files of a
// project. If several files declare the same agent, the last file wins.
//
// Digest is one digest of all files together, computed by the process that read them. Leave is true if this process
// checked whether a person has allowed the rules of each file (see DeclaringFile.Unallowed). A process of an earlier
// version of handoff does not check this. Its calls come without Leave, and then the rules of all files wait for a
// person's permission. With Whole, the mailbox removes the declarations of all other files.
type DeclareIn struct {
	Files  []DeclaringFile `json:"files"`
	Digest string          `json:"digest,omitempty" jsonschema:"maxLength=64"`
	Leave  bool            `json:"leave,omitempty"`
	Whole  bool            `json:"whole,omitempty"`
}

// DeclaredIn holds the arguments of the administrative tool agents_declared: none.
type DeclaredIn struct{}

// DeclaredOut holds the digest that came with the last call of agents_declare. It is empty if that call had none.
type DeclaredOut struct {
	Digest string `json:"digest,omitempty"`
}

// DeclaringFile is one file that declares agents. If the role of a declared agent equals its name, the declaration is
// for all agents whose names begin with that name: testing-specialist also declares testing-specialist-RedStone.
type DeclaringFile struct {
	Name   string       `json:"name" jsonschema:"minLength=1,maxLength=200"` // as people know it
	Agents []RegisterIn `json:"agents,omitempty" jsonschema:"maxItems=500"`
	Routes []Route      `json:"routes,omitempty" jsonschema:"maxItems=200"`
	Plans  []Plan       `json:"plans,omitempty" jsonschema:"maxItems=50"`

	// A person has not allowed the routes and plans of the file yet: the mailbox knows them, and they send nothing
	Unallowed bool `json:"unallowed,omitempty"`
}

// DeclareOut is the result of agents_declare. Changed names the agents whose declarations are new, changed or gone.
// Rules names the files whose rules are new, changed or gone.
type DeclareOut struct {
	Changed  []Agent  `json:"changed,omitempty"`
	Rules    []string `json:"rules,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
}

// Card is a summary of an agent: its registration, its presence and its load. Live means that the agent has an open
// connection. Waiting means that a call of the agent waits for a handoff to claim. Pending, Held and Notices are
// counted anew at each reading.
type Card struct {
	Name        Agent     `json:"name"`
	Registered  bool      `json:"registered,omitempty"`
	Accepts     []string  `json:"accepts,omitempty"`
	Produces    []string  `json:"produces,omitempty"`
	Skills      []string  `json:"skills,omitempty"`
	Role        string    `json:"role,omitempty"`
	Roles       []string  `json:"roles,omitempty"` // further ones
	Description string    `json:"description,omitempty"`
	MaxMinutes  int       `json:"max_session_minutes,omitempty"`
	MaxOpen     int       `json:"max_open,omitempty"`
	Away        bool      `json:"away,omitempty"`
	DeclaredIn  string    `json:"declared_in,omitempty"` // the file, as people know it
	Live        bool      `json:"live,omitempty"`        // has an open connection
	Sessions    int       `json:"sessions,omitempty"`    // client sessions that act under the name, if several
	Servers     int       `json:"servers,omitempty"`     // open connections, if several
	Waiting     bool      `json:"waiting,omitempty"`     // for something to claim, at this moment
	Seen        time.Time `json:"last_seen,omitzero"`
	Pending     int       `json:"pending,omitempty"`
	Held        int       `json:"held,omitempty"`
	Notices     int       `json:"notices,omitempty"` // unread
}

// AllRoles returns the roles of the agent, each once.
func (c Card) AllRoles() []string {
	return slices.DeleteFunc(Unique(append([]string{c.Role}, c.Roles...)), func(role string) bool { return role == "" })
}

// AcceptedKindsPlus returns the kinds of work that the agent accepts, and after them the kind in the parameter `work`,
// without the prefix "capability:" if it has one.
func (c Card) AcceptedKindsPlus(work string) []string {
	return append(slices.Clone(c.Accepts), strings.TrimPrefix(work, "capability:"))
}
