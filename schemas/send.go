package schemas

import "time"

// SendIn holds the arguments of send_handoff. An agent, a person or a program names the task and the recipient, and the
// mailbox makes a [Handoff] of them. If the type is message, the mailbox makes a [Notice] instead, which is read and
// not claimed.
//
// [Limits] limits the task, the title and the whole handoff, in bytes of UTF-8. [MaxSummary] limits the summary, and
// [MaxDetail] limits detail and data together, both in characters. Deadline is a time, see [ParseTime]. Key makes it
// safe to repeat the call: a second send with the same key and content returns the first result, and a second send with
// the same key and other content is refused.
type SendIn struct {
	// Agent, capability:NAME, role:NAME, workflow:NAME or human
	To string `json:"to,omitempty" jsonschema:"required,minLength=1,maxLength=128"`
	// What to do (≤4 KiB)
	Task  string `json:"task,omitempty" jsonschema:"required,minLength=1"`
	Title string `json:"title,omitempty"` // ≤200 bytes
	// Work type; message: to read only
	Type string `json:"type,omitempty" jsonschema:"maxLength=64"`
	// Found so far (≤4 KiB)
	Summary string            `json:"summary,omitempty"`
	Detail  string            `json:"detail,omitempty"` // ≤64 KiB with data
	Data    map[string]string `json:"data,omitempty"`   // {name: text}, for programs
	Context *Context          `json:"context,omitempty"`

	Expectations *Expectations `json:"expectations,omitempty"`
	Rollback     *Rollback     `json:"rollback,omitempty"`

	Priority Priority `json:"priority,omitempty"` // also P0 (critical), P1, P2, P3 and P4 (low), or 0 to 4
	// RFC 3339 or '2h'
	Deadline string `json:"deadline,omitempty"`
	Workflow string `json:"workflow,omitempty"` // default: the workflow of the parent, or a new one
	// Default: the one you hold; none: a new chain
	Parent  string       `json:"parent,omitempty"`
	Tags    []string     `json:"tags,omitempty" jsonschema:"maxItems=32"`
	Key     string       `json:"key,omitempty" jsonschema:"maxLength=128"` // idempotency key
	DryRun  bool         `json:"dry_run,omitempty"`                        // show the brief and the missing parts
	Options *SendOptions `json:"options,omitempty"`

	Version int     `json:"version,omitempty" jsonschema:"minimum=1,maximum=1000000000" jsonschema_extras:"x-hidden=true"`
	Origin  *Origin `json:"origin,omitempty" jsonschema_extras:"x-hidden=true"`
}

// SendOptions holds the less common arguments of send_handoff. The mailbox keeps them with the handoff, except Force,
// which has an effect on this one send only.
//
// NotBefore is a time, see [ParseTime]; no agent can claim the handoff earlier. After names handoffs that must be
// completed first, and AfterAccepted names handoffs whose result must be accepted first. If the result of one of them
// is returned, this handoff waits until the work was done again. With NeedsApproval the handoff waits until a person
// approves it. MaxAttempts is the number of attempts, the first included, by default 3. Limits are for the chain and
// the whole workflow, see [LimitChain]. Strategy says how much of the context is in the brief. Recall says how many
// earlier handoffs about the same are in the brief, each with its end and its decisions. NoTakers says what happens if
// no agent claims the handoff within NoTakersAfter minutes, by default 15: it goes back to the sender, to agents that
// accept any type, or to human, or it continues to wait. The sender gets a notice.
//
// Each is a list of texts, of at most [MaxEach] bytes each. The same work is sent once for each text: all handoffs or
// none. Anywhere in the message, {{each}} stands for the text. If the task or the title does not contain {{each}}, the
// text is added at its end, unless {{each}} is the recipient. The handoffs of the list (the parts) do not depend on each
// other. Join is one more handoff that waits for all parts. Each and Join can only be given with a send, and cannot be
// amended.
type SendOptions struct {
	Reason        string   `json:"reason,omitempty"` // why this recipient
	Phase         string   `json:"phase,omitempty"`
	Kind          string   `json:"kind,omitempty" jsonschema:"maxLength=64"`
	Requirements  []string `json:"requirements,omitempty"`
	TaskID        string   `json:"task_id,omitempty" jsonschema:"maxLength=128"`
	After         []string `json:"after,omitempty" jsonschema:"maxItems=64" jsonschema_extras:"x-form=ids to wait for"`
	AfterAccepted []string `json:"after_accepted,omitempty" jsonschema:"maxItems=64" jsonschema_extras:"x-form=ids accepted by review or sender"`
	Terms
	MaxAttempts int                `json:"max_attempts,omitempty" jsonschema:"minimum=1,maximum=25"`
	NotBefore   string             `json:"not_before,omitempty" jsonschema_extras:"x-form=time or '2h'"`
	Force       bool               `json:"force,omitempty"` // send although the recipient does not accept the type
	Strategy    string             `json:"strategy,omitempty" jsonschema:"enum=full,enum=summary,enum=reference"`
	Recall      int                `json:"recall,omitempty" jsonschema:"minimum=0,maximum=20"`
	Limits      map[string]float64 `json:"limits,omitempty" jsonschema_extras:"x-form={workflow_handoffs|rounds|tokens|minutes|cost_usd|max_handoffs (in a row): number}"` // see [CheckLimits]
	Each        []string           `json:"each,omitempty" jsonschema:"maxItems=32" jsonschema_extras:"x-form=text[] (sent once per text as {{each}})"`
	Join        *Join              `json:"join,omitempty" jsonschema_extras:"x-form={to: text\\, task: text…} that waits for all"`
	Attempt     int                `json:"attempt,omitempty" jsonschema:"minimum=0,maximum=1000000000" jsonschema_extras:"x-hidden=true"`
	Step        string             `json:"step,omitempty" jsonschema:"maxLength=129" jsonschema_extras:"x-hidden=true"` // of a plan, as PLAN/STEP
}

// MaxEach is the limit of each text in SendOptions.Each, in bytes.
const MaxEach = 200

// Join is a handoff that waits for all parts of a send with Each. Its brief reports the outcome of each part, in the
// order of the parts. It has most of the arguments of a send. Its workflow, parent and key are those of the parts. In
// its texts, {{each}} stands for all texts of the list, separated by commas.
type Join struct {
	To           string            `json:"to" jsonschema:"minLength=1,maxLength=128"`
	Task         string            `json:"task" jsonschema:"minLength=1"`
	Title        string            `json:"title,omitempty"`
	Type         string            `json:"type,omitempty" jsonschema:"maxLength=64"`
	Summary      string            `json:"summary,omitempty"`
	Detail       string            `json:"detail,omitempty"`
	Data         map[string]string `json:"data,omitempty"`
	Context      *Context          `json:"context,omitempty"`
	Expectations *Expectations     `json:"expectations,omitempty"`
	Rollback     *Rollback         `json:"rollback,omitempty"`
	Priority     Priority          `json:"priority,omitempty"` // also P0 (critical), P1, P2, P3 and P4 (low), or 0 to 4
	Deadline     string            `json:"deadline,omitempty"`
	Tags         []string          `json:"tags,omitempty" jsonschema:"maxItems=32"`
	Options      *JoinOptions      `json:"options,omitempty"`
}

// JoinOptions holds the options that a [Join] may have. They mean the same as in [SendOptions]. After names further
// handoffs to wait for, in addition to the parts.
type JoinOptions struct {
	After []string `json:"after,omitempty" jsonschema:"maxItems=64"`
	Terms
	MaxAttempts int    `json:"max_attempts,omitempty" jsonschema:"minimum=1,maximum=25"`
	NotBefore   string `json:"not_before,omitempty"`
	Force       bool   `json:"force,omitempty"`
	Strategy    string `json:"strategy,omitempty" jsonschema:"enum=full,enum=summary,enum=reference"`
}

// SendOut is the result of send_handoff: the id of the handoff, its mailbox and its routing. The result of a dry run
// has the brief and no id. Warnings name facts about the accepted send that the sender may not have intended, for
// example that the recipient has never claimed a handoff.
type SendOut struct {
	HandoffID ID             `json:"handoff_id,omitempty"`
	NoticeID  NoticeID       `json:"notice_id,omitempty"` // instead of handoff_id for type message
	Status    string         `json:"status"`
	To        Address        `json:"to"`
	Workflow  Workflow       `json:"workflow,omitempty"`
	Parent    ID             `json:"parent,omitempty"`
	Deadline  *time.Time     `json:"deadline,omitempty"` // as it was read, or by the timeout
	NotBefore *time.Time     `json:"not_before,omitempty"`
	Position  int            `json:"position,omitempty"` // in the mailbox, 1 is next; at most 100 are counted
	Routed    *RoutingResult `json:"routed,omitempty"`
	BlockedBy []string       `json:"blocked_by,omitempty"`
	Parts     []ID           `json:"parts,omitempty"`   // one for each text of options.each; the other fields belong to the first
	Joined    ID             `json:"joined,omitempty"`  // the handoff that waits for all of them
	Brief     string         `json:"brief,omitempty"`   // of a dry run: as the recipient would see it
	Missing   []string       `json:"missing,omitempty"` // of a dry run: parts that it may lack
	Warnings  []string       `json:"warnings,omitempty"`

	Answers ID `json:"-"` // the recipient holds it and waits for an answer of the sender, which this may be
	AsksOn  ID `json:"-"` // the sender holds it, and the recipient answers for it: this may be a question about it
}

// RoutingResult explains which agents may take a handoff whose address is a pool. Candidates are the agents that
// qualify for the work and could take it now, the best first. Excluded agents qualify too, but cannot take the work
// now. Chosen is the agent that was told about the handoff first. Until the time in Until, only Chosen may claim it.
type RoutingResult struct {
	Chosen     Agent              `json:"chosen,omitempty"`
	Until      time.Time          `json:"until,omitzero"`
	Candidates []RoutingCandidate `json:"candidates,omitempty"`
	Excluded   []RoutingCandidate `json:"excluded,omitempty"`
}

// RoutingCandidate is an agent that the routing considered, with the reason for its place in the list.
type RoutingCandidate struct {
	Agent Agent  `json:"agent"`
	Why   string `json:"why,omitempty"`
}

// String returns the agent with the reason in parentheses.
func (c RoutingCandidate) String() string { return string(c.Agent) + " (" + c.Why + ")" }
