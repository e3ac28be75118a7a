package schemas

import "time"

// SendIn are the arguments of send_handoff.
type SendIn struct {
	// Agent, capability:NAME, role:NAME or human
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
	Detail string            `json:"detail,omitempty"`
	Data   map[string]string `json:"data,omitempty"` // for programs: templates and routes read it
	// {original_request, completed_steps[], results{}, decisions[{decision, rationale}], files[{path, lines, note}],
	// artifacts[{type, path, content, description, rationale}], state{}, memories[], previous_failures[],
	// known_issues[], test_command, reproduction_steps[], project{}, references[]}
	Context *Context `json:"context,omitempty" jsonschema_extras:"x-free=true"`

	Expectations *Expectations `json:"expectations,omitempty"`
	// {on_failure: agent, failure_context[], checkpoint_id}
	Rollback *Rollback `json:"rollback,omitempty" jsonschema_extras:"x-free=true"`

	Priority Priority `json:"priority,omitempty"`
	// RFC 3339 or '2h'
	Deadline string `json:"deadline,omitempty"`
	Workflow string `json:"workflow,omitempty"` // default: that of the parent, or a new one
	// Default: the one you hold; none: a new chain
	Parent string   `json:"parent,omitempty"`
	Tags   []string `json:"tags,omitempty" jsonschema:"maxItems=32"`
	// Idempotency key
	Key    string `json:"key,omitempty" jsonschema:"maxLength=128"`
	DryRun bool   `json:"dry_run,omitempty"` // only say who would get it
	// {reason, phase, kind, requirements[], task_id, after[ids], needs_approval, no_takers, max_attempts,
	// not_before, force, strategy, recall, limits{}}
	Options *SendOptions `json:"options,omitempty" jsonschema_extras:"x-free=true"`

	Version int     `json:"version,omitempty" jsonschema:"minimum=1" jsonschema_extras:"x-hidden=true"`
	Origin  *Origin `json:"origin,omitempty" jsonschema_extras:"x-hidden=true"`
}

// SendOptions are the rarer arguments of send_handoff.
type SendOptions struct {
	Reason        string             `json:"reason,omitempty"` // why this recipient
	Phase         string             `json:"phase,omitempty"`
	Kind          string             `json:"kind,omitempty" jsonschema:"maxLength=64"`
	Requirements  []string           `json:"requirements,omitempty"`
	TaskID        string             `json:"task_id,omitempty" jsonschema:"maxLength=128"`
	After         []string           `json:"after,omitempty" jsonschema:"maxItems=64"` // handoffs to wait for
	NeedsApproval bool               `json:"needs_approval,omitempty"`
	NoTakers      string             `json:"no_takers,omitempty" jsonschema:"enum=wait,enum=return,enum=generalist,enum=human"`
	MaxAttempts   int                `json:"max_attempts,omitempty" jsonschema:"minimum=1,maximum=25"`
	NotBefore     string             `json:"not_before,omitempty"`
	Force         bool               `json:"force,omitempty"` // send although the recipient does not accept the type
	Strategy      string             `json:"strategy,omitempty" jsonschema:"enum=full,enum=summary,enum=reference"`
	Recall        int                `json:"recall,omitempty" jsonschema:"minimum=0,maximum=20"`
	Limits        map[string]float64 `json:"limits,omitempty"` // max_handoffs in this chain
	Attempt       int                `json:"attempt,omitempty" jsonschema:"minimum=0" jsonschema_extras:"x-hidden=true"`
}

// SendOut is the result of send_handoff.
type SendOut struct {
	HandoffID ID       `json:"handoff_id,omitempty"`
	NoticeID  NoticeID `json:"notice_id,omitempty"` // instead of handoff_id for type message
	Status    string   `json:"status"`
	To        Address  `json:"to"`
	Workflow  Workflow `json:"workflow,omitempty"`
	Parent    ID       `json:"parent,omitempty"`
	Position  int      `json:"position,omitempty"` // in the mailbox, 1 is next; at most 100 are counted
	Routed    *Routed  `json:"routed,omitempty"`
	BlockedBy []string `json:"blocked_by,omitempty"`
	Warnings  []string `json:"warnings,omitempty"`
}

// Routed says why an address that is not an agent went where it went.
type Routed struct {
	Chosen     Agent       `json:"chosen,omitempty"`
	Candidates []Candidate `json:"candidates,omitempty"`
	Excluded   []Candidate `json:"excluded,omitempty"`
}

// Candidate is an agent that was considered, and why.
type Candidate struct {
	Agent Agent  `json:"agent"`
	Why   string `json:"why,omitempty"`
}

// ClaimIn are the arguments of claim_handoff.
type ClaimIn struct {
	// Default: next for you
	HandoffID string `json:"handoff_id,omitempty"`
	// Wait for mail (≤50)
	WaitSeconds int      `json:"wait_seconds,omitempty" jsonschema:"minimum=0,maximum=50"`
	Tags        []string `json:"tags,omitempty"` // with one of these
	View        string   `json:"view,omitempty" jsonschema:"enum=brief,enum=full"`
	// Of the brief, default 1500
	MaxTokens int `json:"max_tokens,omitempty" jsonschema:"minimum=100,maximum=100000"`
}

// ClaimOut is the result of claim_handoff.
type ClaimOut struct {
	Empty     bool       `json:"empty,omitempty"` // nothing waits
	HandoffID ID         `json:"handoff_id,omitempty"`
	Token     string     `json:"claim_token,omitempty"` // fencing token: a newer claim voids it
	LeaseEnds *time.Time `json:"lease_expires_at,omitempty"`
	Attempt   int        `json:"attempt,omitempty"`
	From      Agent      `json:"from,omitempty"`
	Title     string     `json:"title,omitempty"`
	Priority  Priority   `json:"priority,omitempty"`
	Workflow  Workflow   `json:"workflow,omitempty"`
	Criteria  int        `json:"criteria,omitempty"` // how many complete_handoff must answer
	Brief     string     `json:"brief,omitempty"`
	// All that was sent, with view full
	Handoff  *Handoff  `json:"handoff,omitempty" jsonschema_extras:"x-free=true"`
	Omitted  []string  `json:"omitted,omitempty"` // left out of the brief; get_handoff full has them
	Transfer *Transfer `json:"transfer,omitempty"`
	Holding  []ID      `json:"holding,omitempty"` // all that this agent holds
}

// Transfer says how much context came along, in estimated tokens.
type Transfer struct {
	Strategy       string `json:"strategy"`
	Tokens         int    `json:"tokens"`
	OriginalTokens int    `json:"original_tokens,omitempty"`
	SummaryTokens  int    `json:"summary_tokens,omitempty"`
}

// CompleteIn are the arguments of complete_handoff: which claim ends, and with what result.
type CompleteIn struct {
	HandoffID string `json:"handoff_id" jsonschema:"minLength=1"` // as ho_12, or 12
	Token     string `json:"claim_token,omitempty"`               // default: of the one claim this connection holds
	Result
	Origin *Origin `json:"origin,omitempty" jsonschema_extras:"x-hidden=true"`
}

// CompleteOut is the result of complete_handoff.
type CompleteOut struct {
	HandoffID    ID         `json:"handoff_id"`
	Status       Status     `json:"status"`
	Outcome      Outcome    `json:"outcome"`
	CompletionID string     `json:"completion_id"`
	Unmet        []Answered `json:"unmet,omitempty"`
	Forwarded    *SendOut   `json:"forwarded,omitempty"`
	Warnings     []string   `json:"warnings,omitempty"`
}

// FailIn are the arguments of fail_handoff: which claim ends, why, and how the work goes on.
type FailIn struct {
	HandoffID string `json:"handoff_id" jsonschema:"minLength=1"` // as ho_12, or 12
	Token     string `json:"claim_token,omitempty"`               // default: of the one claim this connection holds
	// rejected: not for you
	Outcome Outcome `json:"outcome,omitempty" jsonschema:"enum=failed,enum=rejected"`
	FailureDetail
	Questions []string `json:"questions,omitempty"` // to whoever goes on
	// Default rollback
	Then Then `json:"then,omitempty"`
	// Default: on_failure, else the sender
	RollbackTo  string `json:"rollback_to,omitempty"`
	Alternative string `json:"suggested_alternative,omitempty"` // who could do it
	// {state{}, note}
	Checkpoint *Checkpoint `json:"checkpoint,omitempty" jsonschema_extras:"x-free=true"`

	Reason string  `json:"reason,omitempty" jsonschema_extras:"x-hidden=true"` // of the rollback
	Origin *Origin `json:"origin,omitempty" jsonschema_extras:"x-hidden=true"`
}

// FailOut is the result of fail_handoff.
type FailOut struct {
	HandoffID       ID       `json:"handoff_id"`
	Status          Status   `json:"status"`
	FailureID       string   `json:"failure_id"`
	Then            Then     `json:"then,omitempty"`
	RollbackHandoff ID       `json:"rollback_handoff,omitempty"` // the handoff that goes on, also for retry and escalate
	To              Address  `json:"to,omitempty"`
	Warnings        []string `json:"warnings,omitempty"`
}

// Action is what update_handoff does.
type Action string

// The actions of update_handoff.
const (
	ActProgress Action = "progress"
	ActAsk      Action = "ask"
	ActAnswer   Action = "answer"
	ActRelease  Action = "release"
	ActAmend    Action = "amend"
	ActCancel   Action = "cancel"
	ActRetry    Action = "retry"
	ActReturn   Action = "return"
	ActApprove  Action = "approve"
	ActRefuse   Action = "refuse"
)

// UpdateIn are the arguments of update_handoff.
type UpdateIn struct {
	HandoffID string `json:"handoff_id" jsonschema:"minLength=1"` // as ho_12, or 12
	Action    Action `json:"action"`
	// Answers go here (≤4 KiB)
	Note      string   `json:"note,omitempty"`
	Token     string   `json:"claim_token,omitempty"` // default: of the one claim this connection holds
	Percent   int      `json:"percent,omitempty" jsonschema:"minimum=0,maximum=100"`
	Questions []string `json:"questions,omitempty" jsonschema:"maxItems=20"` // of ask, to the sender
	// {needs_more_context[], needs_permission[], estimated_completion}
	Conditions *Conditions `json:"conditions,omitempty" jsonschema_extras:"x-free=true"`
	// For release, amend
	To string `json:"to,omitempty"`
	// For amend: as send_handoff, merged; for progress: {checkpoint{state, note}}
	Changes *Changes `json:"changes,omitempty" jsonschema_extras:"x-free=true"`
}

// Changes are what amend merges into a handoff: lists are extended, maps merged, the rest replaced.
type Changes struct {
	To           string            `json:"to,omitempty"`
	Task         string            `json:"task,omitempty"`
	Title        string            `json:"title,omitempty"`
	Type         string            `json:"type,omitempty"`
	Summary      string            `json:"summary,omitempty"`
	Detail       string            `json:"detail,omitempty"`
	Data         map[string]string `json:"data,omitempty"`
	Context      *Context          `json:"context,omitempty"`
	Expectations *Expectations     `json:"expectations,omitempty"`
	Rollback     *Rollback         `json:"rollback,omitempty"`
	Priority     Priority          `json:"priority,omitempty"`
	Deadline     string            `json:"deadline,omitempty"`
	Tags         []string          `json:"tags,omitempty"`
	Requirements []string          `json:"requirements,omitempty"`
	Checkpoint   *Checkpoint       `json:"checkpoint,omitempty"` // only with progress
}

// UpdateOut is the result of update_handoff: where the handoff stands, and what the action changed.
type UpdateOut struct {
	HandoffID  ID         `json:"handoff_id"`
	Status     Status     `json:"status"`
	Action     Action     `json:"action"`
	To         Address    `json:"to,omitempty"`
	Token      string     `json:"claim_token,omitempty"`
	LeaseEnds  *time.Time `json:"lease_expires_at,omitempty"`
	Checkpoint string     `json:"checkpoint_id,omitempty"`
	Created    ID         `json:"new_handoff,omitempty"` // by retry and return
	Changed    []string   `json:"changed,omitempty"`
	Children   []ID       `json:"children,omitempty"` // still open, not cancelled along
	Warnings   []string   `json:"warnings,omitempty"`
}
