package schemas

import "time"

// HistoryIn are the arguments of handoff_history: the workflow, by its name or by any of its handoffs; without either
// that of the newest handoff. Limit counts handoffs.
type HistoryIn struct {
	// Any of the chain
	HandoffID string `json:"handoff_id,omitempty"`
	Workflow  string `json:"workflow,omitempty"`
	Format    string `json:"format,omitempty" jsonschema:"enum=tree,enum=rows,enum=mermaid,enum=markdown"`
	// Default 50
	Limit int `json:"limit,omitempty" jsonschema:"minimum=1,maximum=500" jsonschema_extras:"x-clamp=true"`
}

// HistoryOut is the result of handoff_history. LogVerified says that what is stored agrees with the registry: nothing of
// the log was changed since it was written. It says nothing of the work. Output, FinalAgent and Chain are those of a
// RunResult in the kernl handoffs design; the chain comes with the rows.
type HistoryOut struct {
	Workflow   Workflow `json:"workflow"`
	Tree       string   `json:"tree,omitempty"`
	Mermaid    string   `json:"mermaid,omitempty"`
	Markdown   string   `json:"markdown,omitempty"` // a page for a pull request
	Items      []Step   `json:"items,omitempty"`
	Chain      []Hop    `json:"chain,omitempty"`
	FinalAgent Agent    `json:"final_agent,omitempty"`
	Output     string   `json:"output,omitempty"` // summary of the last to end
	// The log is as it was written; says nothing of the work
	LogVerified bool `json:"log_verified"`
	More        int  `json:"more,omitempty"` // handoffs past the limit
	// Limits of the workflow
	Limits   []Budget `json:"limits,omitempty"`
	Warnings []string `json:"warnings,omitempty"` // time is behind
	Shown    int      `json:"-"`                  // handoffs, for the advice how to get the rest
}

// Budget is what a workflow has used of one of its limits, see [WorkflowLimits].
type Budget struct {
	Limit string  `json:"limit"`
	Used  float64 `json:"used"`
	Of    float64 `json:"of"`
}

// Step is one handoff in a history. It says who sent it to whom, how it ended, and what came back in figures.
type Step struct {
	HandoffID     ID             `json:"handoff_id"`
	Parent        ID             `json:"parent,omitempty"`
	From          Agent          `json:"from"`
	Rule          string         `json:"rule,omitempty"` // of a file that sent it, and from is system
	To            Address        `json:"to"`
	Holder        Agent          `json:"holder,omitempty"`
	Title         string         `json:"title"`
	Status        Status         `json:"status"`
	Outcome       Outcome        `json:"outcome,omitempty"`
	SentAt        time.Time      `json:"sent_at"`
	ClaimedAt     *time.Time     `json:"claimed_at,omitempty"`
	EndedAt       *time.Time     `json:"ended_at,omitempty"`
	Seconds       int            `json:"seconds,omitempty"` // at work
	BlockedBy     []string       `json:"blocked_by,omitempty"`
	Waited        int            `json:"waited_seconds,omitempty"` // since the first claim: for an answer, or for somebody to go on
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
	After         []ID           `json:"after,omitempty"`       // for which it waits or waited
	Story         []Moment       `json:"story,omitempty"`       // what happened last between the claim and the end
	Earlier       int            `json:"earlier,omitempty"`     // moments before those of the story
	Summary       string         `json:"summary,omitempty"`     // of the outcome
	Reason        string         `json:"reason,omitempty"`      // of a failure, rejection or return
	RollbackTo    Address        `json:"rollback_to,omitempty"` // who went on
	Unmet         int            `json:"unmet,omitempty"`
	Results       map[string]any `json:"results,omitempty"` // branch, commit, cost …

	Trees  []string `json:"trees,omitempty"`  // in which it was sent, claimed and completed, as "sent, claimed in main@1a2b3c4d5e"
	Unseen []string `json:"unseen,omitempty"` // what the completion says and git does not see

	Done *Completion `json:"-"` // for those who draw it
}

// Moment is an [Event] for readers: what happened, and what was said with it. The registry keeps what verifies it.
type Moment struct {
	N      uint64    `json:"n"`
	At     time.Time `json:"at"`
	Agent  Agent     `json:"agent"`
	Action string    `json:"action"`
	To     Status    `json:"to,omitempty"`    // where the state changed
	Other  ID        `json:"other,omitempty"` // a handoff that this one made, or was made by
	Text   string    `json:"text,omitempty"`

	PassedTo Address `json:"passed_to,omitempty"` // by whoever held it
	Tree     string  `json:"tree,omitempty"`      // in which it was done, as "main@1a2b3c4d5e, dirty"
}

// Hop is one passing of work. Its fields are those of the kernl handoffs design.
type Hop struct {
	From      Agent     `json:"from"`
	To        Address   `json:"to"`
	Message   string    `json:"message"`
	Timestamp time.Time `json:"timestamp"`
}
