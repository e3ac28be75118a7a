package schemas

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// CompleteIn holds the arguments of complete_handoff: the claim that ends, and its result. The holder sends them. The
// mailbox keeps the result in a [Completion]. A repeat with the same arguments returns the first result again.
type CompleteIn struct {
	HandoffID string `json:"handoff_id" jsonschema:"minLength=1"` // as ho_12, or 12
	Token     string `json:"claim_token,omitempty"`               // default: of the one claim this connection holds
	Result
	// As the holder says; criteria that are not met make it partial anyway
	Outcome Outcome `json:"outcome,omitempty" jsonschema:"enum=success,enum=partial" jsonschema_extras:"x-hidden=true"`
	Origin  *Origin `json:"origin,omitempty" jsonschema_extras:"x-hidden=true"`
}

// Result is the holder's account of the finished work: complete_handoff takes it, and the completion keeps it
// unchanged. A new field of Result is accepted, stored and published without further code.
//
// Version, summary, detail and data are the payload of the Kelos TaskHandoff proposal: [MaxSummary] bounds the
// summary and [MaxDetail] detail and data together, in characters. Results and outputs are metadata of the run, apart
// from the payload: branch, commit, pr_url, cost_usd, input_tokens, output_tokens. Deliverables, verification and
// notes come from the handoff protocol agent. Output answers the output schema of the handoff.
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
	Notes  []string        `json:"notes,omitempty"` // for the next agent
	// {to, task… as send_handoff} passes on; suggested_next: text is only shown
	Continuation *Continuation `json:"continuation,omitempty" jsonschema_extras:"x-free=true,x-optional=true"`
}

// CompleteOut is the result of complete_handoff: the state of the handoff, the unmet criteria, and the handoff to
// which the continuation passed the work.
type CompleteOut struct {
	HandoffID    ID         `json:"handoff_id"`
	Status       Status     `json:"status"`
	Outcome      Outcome    `json:"outcome"`
	CompletionID string     `json:"completion_id"`
	Unmet        []Answered `json:"unmet,omitempty"`
	Forwarded    *SendOut   `json:"forwarded,omitempty"`
	Warnings     []string   `json:"warnings,omitempty"`
}

// Completion says that the work is done, and shows it. The mailbox makes it of the holder's result, numbers it and
// signs it with the name of the holder. It never changes again. A completion that arrives after the claim was lost is
// kept with the handoff and ends nothing.
type Completion struct {
	HandoffID    ID        `json:"handoff_id,omitempty"`
	CompletionID string    `json:"completion_id,omitempty"`
	Timestamp    time.Time `json:"timestamp,omitzero"`
	Status       Outcome   `json:"status"` // success, or partial when a criterion is unmet
	Source       Source    `json:"source"`
	Result
	Criteria []Answered `json:"criteria,omitempty"`      // each criterion with its answer
	Tree     *Tree      `json:"tree,omitempty"`          // observed by the process, not said by the holder
	Awaits   bool       `json:"awaits_checks,omitempty"` // partial only until an observation of its checks passes
	Conforms bool       `json:"-"`                       // the output was compared with the schema of the sender
	Late     bool       `json:"late,omitempty"`          // arrived after the claim was lost
	Origin   *Origin    `json:"origin,omitempty"`
}

// Commit returns the delivered commit: the commit that the results name, else the commit of the working tree if it is
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

// Delivered is one delivered thing.
type Delivered struct {
	Type          string   `json:"type,omitempty"`
	Description   string   `json:"description,omitempty" jsonschema_extras:"x-gist=true"`
	FilesCreated  []string `json:"files_created,omitempty"`
	FilesModified []string `json:"files_modified,omitempty"`
	TestsCreated  []string `json:"tests_created,omitempty"`
}

// Files returns all files that it names.
func (d Delivered) Files() []string {
	return slices.Concat(d.FilesCreated, d.FilesModified, d.TestsCreated)
}

// Files returns all files that its deliverables name.
func (c Completion) Files() (files []string) {
	for _, d := range c.Deliverables {
		files = append(files, d.Files()...)
	}
	return files
}

// Verification holds the checks that the holder ran and their results, as in the handoff protocol agent. A check that
// the holder did not run is nil, which is not the same as false.
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

// Command is a command that the holder ran to verify the work.
type Command struct {
	Command  string `json:"command"`
	ExitCode int    `json:"exit_code"`
	Output   string `json:"output,omitempty"`
}

// Answered is one criterion as the sender wrote it, with its answer. The answer is observed if a check ran, else
// claimed. Check is the check that decides it, empty for a criterion that only the holder can answer. If the check
// was not observed, Unobserved says why. Its answer counts then only if the sender said that a claim is enough.
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

// IsMet tells whether the holder says so and the answer counts: a check was observed to pass, or a claim is enough. A
// check without a reason comes from a completion of a version in which a claim was always enough.
func (a Answered) IsMet() bool {
	if a.Observed != nil {
		return a.Met && a.Observed.Passed
	}
	return a.Met && (a.Unobserved == "" || a.Claimed)
}

// EvidenceText returns the basis of an answer and then its evidence. The basis is an observation, or the word that it
// is claimed. If no criterion of a completion is decided by a check, everything is claimed, and the text is the
// evidence alone.
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

// Unobserved returns a sentence for each check that was not observed, with the reason.
func (c *Completion) Unobserved() (texts []string) {
	for _, a := range c.Criteria {
		if a.Unobserved != "" && a.Observed == nil {
			texts = append(texts, fmt.Sprintf("the check %s is %s", a.Check, c.EvidenceText(Answered{Unobserved: a.Unobserved, Claimed: a.Claimed})))
		}
	}
	return texts
}

// Continuation passes the work on in the same step if To is set: the completion and the new handoff are committed
// together or not at all. Without To the mailbox only shows it to the sender, like the next steps of the handoff
// protocol agent. SuggestedNext is only shown in any case.
type Continuation struct {
	SendIn
	SuggestedNext  string         `json:"suggested_next,omitempty"`
	Reason         string         `json:"reason,omitempty"`
	ContextForNext map[string]any `json:"context_for_next,omitempty"`
}
