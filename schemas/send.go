package schemas

import "time"

// SendIn holds the arguments of send_handoff. An agent, a person or a program names the task and the recipient, and
// the mailbox makes a [Handoff] of it. With the type message it makes a [Notice] instead, which is read and not
// claimed.
//
// [Limits] bounds the task, the title and the whole in bytes of UTF-8, [MaxSummary] the summary and [MaxDetail]
// detail and data together in characters. The deadline is a time, see [ParseTime]. A key makes repetition safe: a
// second send with the same key and content returns the first result, and one with other content is refused.
type SendIn struct {
	// Agent, capability:NAME, role:NAME, workflow:NAME or human
	To string `json:"to,omitempty" jsonschema:"required,minLength=1,maxLength=128"`
	// What to do (≤4 KiB)
	Task string `json:"task,omitempty" jsonschema:"required,minLength=1"`
	// ≤200 bytes
	Title string `json:"title,omitempty"`
	// Work type; message: only read
	Type string `json:"type,omitempty" jsonschema:"maxLength=64"`
	// Found so far (≤4 KiB)
	Summary string `json:"summary,omitempty"`
	// ≤64 KiB with data
	Detail string `json:"detail,omitempty"`
	// {name: text}, for programs
	Data    map[string]string `json:"data,omitempty"`
	Context *Context          `json:"context,omitempty" jsonschema_extras:"x-free=true"`

	Expectations *Expectations `json:"expectations,omitempty"`
	Rollback     *Rollback     `json:"rollback,omitempty" jsonschema_extras:"x-free=true"`

	Priority Priority `json:"priority,omitempty"` // also P0 (critical), P1, P2, P3 and P4 (low), or 0 to 4
	// RFC 3339 or '2h'
	Deadline string `json:"deadline,omitempty"`
	Workflow string `json:"workflow,omitempty"` // default: the workflow of the parent, or a new one
	// Default: the one you hold; none: a new chain
	Parent string   `json:"parent,omitempty"`
	Tags   []string `json:"tags,omitempty" jsonschema:"maxItems=32"`
	// Idempotency key
	Key     string       `json:"key,omitempty" jsonschema:"maxLength=128"`
	DryRun  bool         `json:"dry_run,omitempty"` // show the brief and the missing parts
	Options *SendOptions `json:"options,omitempty" jsonschema_extras:"x-free=true"`

	Version int     `json:"version,omitempty" jsonschema:"minimum=1,maximum=1000000000" jsonschema_extras:"x-hidden=true"`
	Origin  *Origin `json:"origin,omitempty" jsonschema_extras:"x-hidden=true"`
}

// SendOptions holds the rarer arguments of send_handoff. The mailbox keeps them with the handoff, except Force, which
// only lets this send pass.
//
// NotBefore is a time, see [ParseTime]: no agent can claim the handoff earlier. After names handoffs that must be
// completed first, and AfterAccepted names handoffs whose result must be accepted. If one of them is returned, the
// handoff waits for its rework. With NeedsApproval it waits for a person. MaxAttempts counts the first claim and the
// retries, by default 3. Limits bound the chain and the whole workflow, see [LimitChain]. Strategy says how much of
// the context goes into the brief, and Recall how many decisions of earlier handoffs of the workflow. NoTakers
// applies when no agent claims the handoff within 15 minutes: it goes back to the sender, to agents that accept any
// type, or to human, or it goes on waiting. The sender gets a notice.
//
// Each sends the same work once for each of its texts, all of them or none. {{each}} anywhere in the message stands
// for the text, of [MaxEach] bytes at most. If task or title lack it, the text is appended to them. The parts are
// independent of each other. Join is one more handoff that waits for all parts. Only a send has Each and Join.
type SendOptions struct {
	Reason        string   `json:"reason,omitempty"` // why this recipient
	Phase         string   `json:"phase,omitempty"`
	Kind          string   `json:"kind,omitempty" jsonschema:"maxLength=64"`
	Requirements  []string `json:"requirements,omitempty"`
	TaskID        string   `json:"task_id,omitempty" jsonschema:"maxLength=128"`
	After         []string `json:"after,omitempty" jsonschema:"maxItems=64" jsonschema_extras:"x-form=ids to wait for"`
	AfterAccepted []string `json:"after_accepted,omitempty" jsonschema:"maxItems=64" jsonschema_extras:"x-form=ids to be accepted"`
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

// Join is the handoff that waits for all parts of a send, in their order. Its brief reports the outcome of each. It
// is written like a send, but takes its workflow, parent and key from the parts. {{each}} in it stands for all texts,
// with commas between them.
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

// JoinOptions holds the options of a send that a [Join] has, with the same meaning. After names handoffs other than
// the parts.
type JoinOptions struct {
	After []string `json:"after,omitempty" jsonschema:"maxItems=64"`
	Terms
	MaxAttempts int    `json:"max_attempts,omitempty" jsonschema:"minimum=1,maximum=25"`
	NotBefore   string `json:"not_before,omitempty"`
	Force       bool   `json:"force,omitempty"`
	Strategy    string `json:"strategy,omitempty" jsonschema:"enum=full,enum=summary,enum=reference"`
}

// SendOut is the result of send_handoff: the id of the handoff, its mailbox and its routing. A dry run returns no id,
// but the brief. Warnings point out parts of an accepted send that the sender may not have meant, such as a recipient
// without any claim so far.
type SendOut struct {
	HandoffID ID         `json:"handoff_id,omitempty"`
	NoticeID  NoticeID   `json:"notice_id,omitempty"` // instead of handoff_id for type message
	Status    string     `json:"status"`
	To        Address    `json:"to"`
	Workflow  Workflow   `json:"workflow,omitempty"`
	Parent    ID         `json:"parent,omitempty"`
	Deadline  *time.Time `json:"deadline,omitempty"` // as it was read, or by the timeout
	NotBefore *time.Time `json:"not_before,omitempty"`
	Position  int        `json:"position,omitempty"` // in the mailbox, 1 is next; at most 100 are counted
	Routed    *Routed    `json:"routed,omitempty"`
	BlockedBy []string   `json:"blocked_by,omitempty"`
	Parts     []ID       `json:"parts,omitempty"`   // one for each text of options.each; the other fields belong to the first
	Joined    ID         `json:"joined,omitempty"`  // the handoff that waits for all of them
	Brief     string     `json:"brief,omitempty"`   // of a dry run: as the recipient would see it
	Missing   []string   `json:"missing,omitempty"` // of a dry run: parts that it may lack
	Warnings  []string   `json:"warnings,omitempty"`
}

// Routed explains the routing of an address that is not an agent. Candidates qualify, the best first. Excluded agents
// qualify too, but cannot take the work now. The chosen agent was told first, and may claim alone until Until.
type Routed struct {
	Chosen     Agent       `json:"chosen,omitempty"`
	Until      time.Time   `json:"until,omitzero"`
	Candidates []Candidate `json:"candidates,omitempty"`
	Excluded   []Candidate `json:"excluded,omitempty"`
}

// Candidate is a considered agent, with the reason for its place.
type Candidate struct {
	Agent Agent  `json:"agent"`
	Why   string `json:"why,omitempty"`
}
