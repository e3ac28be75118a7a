package schemas

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// CompleteIn are the arguments of complete_handoff: which claim ends, and with what result. The holder sends them. The
// mailbox keeps the result in a [Completion]. A repeat with the same arguments gives the first result again.
type CompleteIn struct {
	HandoffID string `json:"handoff_id" jsonschema:"minLength=1"` // as ho_12, or 12
	Token     string `json:"claim_token,omitempty"`               // default: of the one claim this connection holds
	Result
	// As the holder says; criteria that are not met make it partial anyway
	Outcome Outcome `json:"outcome,omitempty" jsonschema:"enum=success,enum=partial" jsonschema_extras:"x-hidden=true"`
	Origin  *Origin `json:"origin,omitempty" jsonschema_extras:"x-hidden=true"`
}

// Result is what a holder hands in when the work is done: complete_handoff takes it, and the completion keeps it as it
// was given. A field that is added here is accepted, kept and published.
//
// Version, summary, detail and data are the payload of the Kelos TaskHandoff proposal: [MaxSummary] bounds the summary
// and [MaxDetail] detail and data together, in characters. Results and outputs are metadata of
// the run, apart from the payload: branch, commit, pr_url, cost_usd, input_tokens, output_tokens. Deliverables,
// verification and notes are those of the handoff protocol agent. Output answers the output schema of the handoff.
type Result struct {
	Version int `json:"version,omitempty" jsonschema:"minimum=1,maximum=1000000000" jsonschema_extras:"x-hidden=true"`
	// What was done (≤4 KiB)
	Summary string `json:"summary" jsonschema:"minLength=1"`
	// ≤64 KiB
	Detail string `json:"detail,omitempty"`
	// {name: text}, for programs
	Data map[string]string `json:"data,omitempty"`

	// {branch, commit, pr_url, cost_usd, input_tokens…: text or number}
	Results map[string]any `json:"results,omitempty"`
	Outputs []string       `json:"outputs,omitempty" jsonschema_extras:"x-hidden=true"`

	Deliverables []Delivered   `json:"deliverables,omitempty" jsonschema_extras:"x-free=true"`
	Verification *Verification `json:"verification,omitempty" jsonschema_extras:"x-free=true"`
	// As output_schema asks
	Output json.RawMessage `json:"output,omitempty" jsonschema_extras:"x-any=true"`
	Notes  []string        `json:"notes,omitempty"` // for whoever goes on
	// {to, task… as send_handoff} passes on; suggested_next: text is only shown
	Continuation *Continuation `json:"continuation,omitempty" jsonschema_extras:"x-free=true,x-optional=true"`
}

// CompleteOut is the result of complete_handoff: how the handoff ended, which criteria stay unmet, and the handoff to
// which the continuation passed the work on.
type CompleteOut struct {
	HandoffID    ID         `json:"handoff_id"`
	Status       Status     `json:"status"`
	Outcome      Outcome    `json:"outcome"`
	CompletionID string     `json:"completion_id"`
	Unmet        []Answered `json:"unmet,omitempty"`
	Forwarded    *SendOut   `json:"forwarded,omitempty"`
	Warnings     []string   `json:"warnings,omitempty"`
}

// Completion says that the work is done, and shows it. The mailbox makes it of what the holder handed in, numbers it
// and signs it with the name of the holder; it never changes again. A completion that arrives after the claim was lost
// is kept beside the handoff and ends nothing.
type Completion struct {
	HandoffID    ID        `json:"handoff_id,omitempty"`
	CompletionID string    `json:"completion_id,omitempty"`
	Timestamp    time.Time `json:"timestamp,omitzero"`
	Status       Outcome   `json:"status"` // success, or partial when a criterion is unmet
	Source       Source    `json:"source"`
	Result
	Criteria []Answered `json:"criteria,omitempty"`      // asked and answered, one by one
	Tree     *Tree      `json:"tree,omitempty"`          // observed, not said
	Awaits   bool       `json:"awaits_checks,omitempty"` // partial only until a look at its checks passes
	Conforms bool       `json:"-"`                       // the output was compared with the schema of the sender
	Late     bool       `json:"late,omitempty"`          // arrived after the claim was lost
	Origin   *Origin    `json:"origin,omitempty"`
}

// Commit is the commit that was delivered: the one that the results name, else that of the working tree, as far as it is
// known. It may be the beginning of an id.
func (c *Completion) Commit() string {
	said, _ := c.Results["commit"].(string)
	if said = strings.ToLower(strings.TrimSpace(said)); IsCommit(said) {
		return said
	}
	if c.Tree != nil {
		return c.Tree.Commit
	}
	return ""
}

// Delivered is one thing that came back.
type Delivered struct {
	Type          string   `json:"type,omitempty"`
	Description   string   `json:"description,omitempty" jsonschema_extras:"x-gist=true"`
	FilesCreated  []string `json:"files_created,omitempty"`
	FilesModified []string `json:"files_modified,omitempty"`
	TestsCreated  []string `json:"tests_created,omitempty"`
}

// Files are all that it names.
func (d Delivered) Files() []string {
	return slices.Concat(d.FilesCreated, d.FilesModified, d.TestsCreated)
}

// Files are all that its deliverables name.
func (c Completion) Files() (files []string) {
	for _, d := range c.Deliverables {
		files = append(files, d.Files()...)
	}
	return files
}

// Verification is what was checked and how it ended, as in the handoff protocol agent. What the holder did not check
// is nil, which is not the same as false.
type Verification struct {
	TestsPassing     *bool       `json:"tests_passing,omitempty"`
	TypeCheckPassing *bool       `json:"type_check_passing,omitempty"`
	LintPassing      *bool       `json:"lint_passing,omitempty"`
	TestsPassed      int         `json:"tests_passed,omitempty" jsonschema:"minimum=0,maximum=1000000000"`
	TestsFailed      int         `json:"tests_failed,omitempty" jsonschema:"minimum=0,maximum=1000000000"`
	Criteria         []Criterion `json:"criteria,omitempty"`
	Commands         []Command   `json:"commands,omitempty"`
}

// Criterion answers one criterion of the handoff, named by its number or its exact text.
type Criterion struct {
	Criterion string `json:"criterion" jsonschema_extras:"x-form=number or text"`
	Met       bool   `json:"met"`
	Evidence  string `json:"evidence,omitempty"`
}

// Command is a command that was run to verify.
type Command struct {
	Command  string `json:"command"`
	ExitCode int    `json:"exit_code"`
	Output   string `json:"output,omitempty"`
}

// Answered is one criterion as it was asked, with the answer: observed where a check looked, else claimed. Check is the
// check that decides it, empty for a criterion that only the holder can answer. Of a check that is not observed,
// Unobserved says why; its answer counts only where the sender said that a claim is enough.
type Answered struct {
	Number     int          `json:"number"`
	Criterion  string       `json:"criterion"`
	Check      string       `json:"check,omitempty"`
	Met        bool         `json:"met"`
	Evidence   string       `json:"evidence,omitempty"`
	Observed   *Observation `json:"observed,omitempty"`
	Unobserved string       `json:"unobserved,omitempty"`
	Claimed    bool         `json:"claim_is_enough,omitempty"`
}

// IsMet tells whether the holder says so and that counts: a check was observed to pass, or a claim is enough. A check
// without a reason is of a completion that was recorded when a claim was always enough.
func (a Answered) IsMet() bool {
	if a.Observed != nil {
		return a.Met && a.Observed.Passed
	}
	return a.Met && (a.Unobserved == "" || a.Claimed)
}

// EvidenceText is the evidence of an answer behind what it rests on: what was observed, or that it is claimed. Where a
// completion has no criterion that a check decides, everything is claimed, and it is the evidence alone.
func (c *Completion) EvidenceText(a Answered) string {
	basis := ""
	switch {
	case a.Observed != nil:
		basis = a.Observed.String()
	case a.Unobserved != "":
		basis = "not observed: " + a.Unobserved
		if a.Claimed {
			basis = "claimed, " + basis
		}
	case slices.ContainsFunc(c.Criteria, func(a Answered) bool { return a.Check != "" }):
		basis = "claimed"
	}
	if basis != "" && a.Evidence != "" {
		basis += "; "
	}
	return basis + a.Evidence
}

// Unobserved names the checks at which nobody looked, each in a sentence with the reason.
func (c *Completion) Unobserved() (texts []string) {
	for _, a := range c.Criteria {
		if a.Unobserved != "" && a.Observed == nil {
			texts = append(texts, fmt.Sprintf("the check %s is %s", a.Check, c.EvidenceText(Answered{Unobserved: a.Unobserved, Claimed: a.Claimed})))
		}
	}
	return texts
}

// Continuation passes the work on in the same step, when To is set: the completion and the new handoff are committed
// together or not at all. Without To it is only shown to the sender, as the next steps of the handoff protocol agent
// are. SuggestedNext is only shown in any case.
type Continuation struct {
	SendIn
	SuggestedNext  string         `json:"suggested_next,omitempty"`
	Reason         string         `json:"reason,omitempty"`
	ContextForNext map[string]any `json:"context_for_next,omitempty"`
}
