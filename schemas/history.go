package schemas

import "time"

// MaxHistory is the largest number of handoffs that a history shows.
const MaxHistory = 500

// HistoryIn holds the arguments of handoff_history: a workflow, given by its name or by one of its handoffs. If the
// call gives neither, it shows the workflow of the newest handoff. Limit is the largest number of handoffs to show.
type HistoryIn struct {
	HandoffID string `json:"handoff_id,omitempty"` // any of the chain
	Workflow  string `json:"workflow,omitempty"`
	Format    string `json:"format,omitempty" jsonschema:"enum=tree,enum=rows,enum=mermaid,enum=markdown"`
	Limit     int    `json:"limit,omitempty" jsonschema:"minimum=1,maximum=500" jsonschema_extras:"x-clamp=true"` // default 50
}

// HistoryOut is the result of handoff_history. LogVerified is true if the stored rows agree with the audit registry.
// Then the log is as it was written; this says nothing about the work itself. Output, FinalAgent and Chain come from
// RunResult of the kernl handoffs design. Chain is only set for the format "rows".
type HistoryOut struct {
	Workflow   Workflow      `json:"workflow"`
	Tree       string        `json:"tree,omitempty"`
	Mermaid    string        `json:"mermaid,omitempty"`
	Markdown   string        `json:"markdown,omitempty"` // a page for a pull request
	Items      []HistoryStep `json:"items,omitempty"`
	Chain      []WorkPassing `json:"chain,omitempty"`
	FinalAgent Agent         `json:"final_agent,omitempty"`
	Output     string        `json:"output,omitempty"` // summary of the last handoff to end
	// The log is as it was written; says nothing of the work
	LogVerified bool          `json:"log_verified"`
	More        int           `json:"more,omitempty"` // handoffs past the limit
	Sums        *WorkflowSums `json:"sums,omitempty"`
	// Limits of the workflow
	Limits   []WorkflowBudget `json:"limits,omitempty"`
	Warnings []string         `json:"warnings,omitempty"` // time is behind
	Shown    int              `json:"-"`                  // number of handoffs, for the advice on how to get the rest
}

// WorkflowBudget is one limit of a workflow and the part of it that is used, see [WorkflowLimits].
type WorkflowBudget struct {
	Limit string  `json:"limit"`
	Used  float64 `json:"used"`
	Of    float64 `json:"of"`
}

// WorkflowSums adds up all handoffs of a workflow. Seconds counts their work, and Rounds the handoffs that repeat
// returned work. Reported has the sum of each amount that results name.
type WorkflowSums struct {
	Handoffs int           `json:"handoffs"`
	Results  int           `json:"results"` // completions
	Rounds   int           `json:"rework_rounds,omitempty"`
	Seconds  int           `json:"seconds,omitempty"`
	Reported []ReportedSum `json:"reported,omitempty"`
}

// ReportedSum is the sum of an amount, such as cost_usd or input_tokens, and the number of results that name it.
type ReportedSum struct {
	Name    string  `json:"name"`
	Sum     float64 `json:"sum"`
	Results int     `json:"results"`
}

// HistoryStep is one handoff in a history: its sender and address, its end, and amounts from its result (such as tests
// that passed).
type HistoryStep struct {
	HandoffID     ID             `json:"handoff_id"`
	Parent        ID             `json:"parent,omitempty"`
	From          Agent          `json:"from"`
	Rule          string         `json:"rule,omitempty"` // name of the file's rule that sent it; from is system then
	To            Address        `json:"to"`
	Holder        Agent          `json:"holder,omitempty"`
	Title         string         `json:"title"`
	Status        Status         `json:"status"`
	Outcome       Outcome        `json:"outcome,omitempty"`
	SentAt        time.Time      `json:"sent_at"`
	ClaimedAt     *time.Time     `json:"claimed_at,omitempty"`
	EndedAt       *time.Time     `json:"ended_at,omitempty"`
	Seconds       int            `json:"seconds,omitempty"` // of work
	BlockedBy     []string       `json:"blocked_by,omitempty"`
	Waited        int            `json:"waited_seconds,omitempty"` // since the first claim: for an answer, or for an agent to go on
	Depth         int            `json:"depth"`
	Attempt       int            `json:"attempt,omitempty"`
	RetryOf       ID             `json:"retry_of,omitempty"`
	ReworkOf      ID             `json:"rework_of,omitempty"`
	Round         int            `json:"round,omitempty"` // of rework
	FilesCreated  int            `json:"files_created,omitempty"`
	FilesModified int            `json:"files_modified,omitempty"`
	TestsPassed   int            `json:"tests_passed,omitempty"`
	TestsFailed   int            `json:"tests_failed,omitempty"`
	TestsCreated  int            `json:"tests_created,omitempty"`
	After         []ID           `json:"after,omitempty"`       // its dependencies
	Story         []HistoryEvent `json:"story,omitempty"`       // the last events between the claim and the end
	Earlier       int            `json:"earlier,omitempty"`     // number of events before the story
	Summary       string         `json:"summary,omitempty"`     // of the outcome
	Reason        string         `json:"reason,omitempty"`      // of a failure, rejection or return
	RollbackTo    Address        `json:"rollback_to,omitempty"` // address of the handoff that went on
	Unmet         int            `json:"unmet,omitempty"`
	Results       map[string]any `json:"results,omitempty"` // branch, commit, cost …

	Trees  []string `json:"trees,omitempty"`  // of the send, the claim and the completion, such as "sent, claimed in main@1a2b3c4d5e"
	Unseen []string `json:"unseen,omitempty"` // claims of the completion that git does not show

	Done *Completion `json:"-"` // for the drawing of the history
}

// HistoryEvent is an [Event] in a form for readers: the action and its text. It leaves out the hashes, which the
// registry keeps for verification.
type HistoryEvent struct {
	N      uint64    `json:"n"`
	At     time.Time `json:"at"`
	Agent  Agent     `json:"agent"`
	Action string    `json:"action"`
	To     Status    `json:"to,omitempty"`    // set if the state changed
	Other  ID        `json:"other,omitempty"` // a handoff that this one made, or that made this one
	Text   string    `json:"text,omitempty"`

	PassedTo Address `json:"passed_to,omitempty"` // by its holder
	Tree     string  `json:"tree,omitempty"`      // of the action, such as "main@1a2b3c4d5e, dirty"
}

// WorkPassing is one passing of work from an agent to another. Its fields come from the kernl handoffs design.
type WorkPassing struct {
	From      Agent     `json:"from"`
	To        Address   `json:"to"`
	Message   string    `json:"message"`
	Timestamp time.Time `json:"timestamp"`
}
