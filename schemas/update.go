package schemas

import "time"

// Action is an action of update_handoff. Each action is allowed in some states only, and to some callers only: package
// mailbox/life has the table.
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
	ActAccept   Action = "accept"
	ActReturn   Action = "return"
	ActApprove  Action = "approve"
	ActRefuse   Action = "refuse"
)

// Actions lists them in the order of their explanation.
var Actions = []Action{
	ActProgress, ActAsk, ActAnswer, ActRelease, ActAmend, ActCancel, ActAccept, ActReturn, ActRetry, ActApprove, ActRefuse,
}

// UpdateIn holds the arguments of update_handoff: one action on a handoff. Most actions need a handoff that has not
// ended; some continue the work of an ended handoff. The holder reports progress, asks and releases; the sender
// answers, amends, cancels, accepts, returns and retries; a person approves and refuses. Percent is how much of the
// whole work is done. The note may be as long as a task, see [Limits].
type UpdateIn struct {
	HandoffID string `json:"handoff_id" jsonschema:"minLength=1"` // as ho_12, or 12
	Action    Action `json:"action"`
	// Answers go here (≤4 KiB)
	Note      string   `json:"note,omitempty"`
	Token     string   `json:"claim_token,omitempty"` // default: of the one claim this connection holds
	Percent   int      `json:"percent,omitempty" jsonschema:"minimum=0,maximum=100"`
	Questions []string `json:"questions,omitempty" jsonschema:"maxItems=20"` // of ask, to the sender
	// Of ask
	Conditions *Conditions `json:"conditions,omitempty"`
	To         string      `json:"to,omitempty"` // for release, amend, return, retry
	// As send_handoff; lists grow; remove: {deadline: true, after: [ho_2]}
	Changes *Changes `json:"changes,omitempty"` // {task… as send_handoff; lists grow, remove: {deadline: true, after: [ho_2]}}

	Origin *Origin `json:"origin,omitempty" jsonschema_extras:"x-hidden=true"` // of the acknowledgement with the question
	Tree   *Tree   `json:"tree,omitempty" jsonschema_extras:"x-filled=true"`   // of progress: observed by the process, not said
}

// Changes are the changed parts of a handoff: they are appended to lists, added to maps, and replace other fields. The
// action "amend" merges them into the handoff. The actions "return" and "retry" merge them into the new handoff that
// continues the work. Remove names the parts to remove. An empty list in options.after or options.after_accepted
// empties that list. If the first item of the new list is "none", the list is emptied before the other items are added.
// The limits of a send apply to the changed handoff. Checkpoint belongs to the actions "progress", "ask" and "release".
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
	Priority     Priority          `json:"priority,omitempty"` // also P0 (critical), P1, P2, P3 and P4 (low), or 0 to 4
	Deadline     string            `json:"deadline,omitempty"`
	Tags         []string          `json:"tags,omitempty"`
	Requirements []string          `json:"requirements,omitempty"`
	Options      *SendOptions      `json:"options,omitempty"`
	Remove       Removal           `json:"remove,omitempty"`
	Checkpoint   *Checkpoint       `json:"checkpoint,omitempty"` // with progress, ask and release

	Role string `json:"role,omitempty" jsonschema:"maxLength=64" jsonschema_extras:"x-hidden=true"` // required for the work
}

// Removal names the parts of a handoff to remove before other changes are merged, as {"tags": ["urgent"], "after":
// ["ho_2"], "deadline": []}. Under the name of a field stand its entries to remove: a text by its exact wording or by
// its number from 1, an object by its first text, data by its name, and a handoff to wait for by its id. An empty list
// removes the whole field. Under "empty" stand the paths of fields that came with an empty value, which is refused if
// the handoff has a value there. All other names are without the object around them.
type Removal map[string][]string

// Conditions are what a holder needs before it continues, as in the conditional acknowledgement of the agent handoff
// protocols. Only a person can grant a permission. EstimatedCompletion is a duration, see [ParseDuration].
type Conditions struct {
	NeedsContext        []string `json:"needs_more_context,omitempty"`
	NeedsPermission     []string `json:"needs_permission,omitempty"` // only human grants these
	EstimatedCompletion string   `json:"estimated_completion,omitempty" jsonschema_extras:"x-form='20m'"`
}

// UpdateOut is the result of update_handoff: the state of the handoff, and what the action changed.
type UpdateOut struct {
	HandoffID  ID         `json:"handoff_id"`
	NoticeID   NoticeID   `json:"notice_id,omitempty"` // instead of handoff_id for a message that was withdrawn or answered
	Reply      NoticeID   `json:"reply,omitempty"`     // the message that answers it
	Status     Status     `json:"status"`
	Action     Action     `json:"action"`
	To         Address    `json:"to,omitempty"`
	Token      string     `json:"claim_token,omitempty"`
	LeaseEnds  *time.Time `json:"lease_expires_at,omitempty"`
	Checkpoint string     `json:"checkpoint_id,omitempty"`
	Created    ID         `json:"new_handoff,omitempty"` // by retry and return
	Changed    []string   `json:"changed,omitempty"`
	BlockedBy  []string   `json:"blocked_by,omitzero"` // after amend
	Children   []ID       `json:"children,omitempty"`  // descendants that stay open and are not cancelled along
	Warnings   []string   `json:"warnings,omitempty"`

	Reader Agent `json:"-"` // the agent that may read a progress report, without a notice of it
}
