package schemas

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// CompleteIn holds the arguments of complete_handoff: the claim that ends, and the result of the work. The holder makes
// this call. The mailbox keeps the result in a [Completion]. A repeated call with the same arguments gets the first
// answer again.
type CompleteIn struct {
	HandoffID string `json:"handoff_id" jsonschema:"minLength=1"` // as ho_12, or 12
	Token     string `json:"claim_token,omitempty"`               // default: of the one claim this connection holds
	Result
	Outcome Outcome `json:"outcome,omitempty" jsonschema:"enum=success,enum=partial"` // criteria that are not met make it partial anyway
	Origin  *Origin `json:"origin,omitempty" jsonschema_extras:"x-hidden=true"`
}

// Result is the holder's account of the finished work. It comes as arguments of complete_handoff, and the [Completion]
// keeps it unchanged. A new field of Result is accepted, stored and published without further code.
//
// Version, summary, detail and data are the payload of the Kelos TaskHandoff proposal: [MaxSummary] limits the summary,
// and [MaxDetail] limits detail and data together, in characters. The fields results and outputs do not belong to that
// payload. They hold facts about the run (such as branch, commit, pr_url and cost_usd). Deliverables, verification and
// notes come from the handoff protocol agent. Output is the value that the output schema of the handoff describes.
type Result struct {
	Version int `json:"version,omitempty" jsonschema:"minimum=1,maximum=1000000000" jsonschema_extras:"x-hidden=true"`
	// What was done (≤4 KiB)
	Summary string            `json:"summary" jsonschema:"minLength=1"`
	Detail  string            `json:"detail,omitempty"` // ≤64 KiB
	Data    map[string]string `json:"data,omitempty"`   // {name: text}, for programs

	// branch, commit, pr_url, cost_usd…
	Results map[string]any `json:"results,omitempty"` // {branch, commit, pr_url, cost_usd, input_tokens…: text or number}
	Outputs []string       `json:"outputs,omitempty" jsonschema_extras:"x-hidden=true"`

	Deliverables []Delivered   `json:"deliverables,omitempty"`
	Verification *Verification `json:"verification,omitempty"`
	// Long text, or as output_schema asks
	Output json.RawMessage `json:"output,omitempty" jsonschema_extras:"x-any=true"`
	Notes  []string        `json:"notes,omitempty"` // for the next agent
	// Passes the work on, as send_handoff
	Continuation *Continuation `json:"continuation,omitempty" jsonschema_extras:"x-optional=true"` // {to, task… as send_handoff} passes on; suggested_next: text is only shown
}

// CompleteOut is the result of complete_handoff: the state of the handoff, the criteria that are not met, and the new
// handoff if the continuation passed the work on.
type CompleteOut struct {
	HandoffID    ID                  `json:"handoff_id"`
	Status       Status              `json:"status"`
	Outcome      Outcome             `json:"outcome"`
	CompletionID string              `json:"completion_id"`
	Unmet        []AnsweredCriterion `json:"unmet,omitempty"`
	Forwarded    *SendOut            `json:"forwarded,omitempty"`
	Warnings     []string            `json:"warnings,omitempty"`
	Suggested    []RoutingCandidate  `json:"suggested_next,omitempty"` // as in the completion, unless a rule of a file continues the work
}

// Completion is the record that the work is done, with the evidence. The mailbox makes it from the holder's result,
// gives it an id and enters the holder as its source. It never changes again. If a completion arrives after the holder
// lost its claim, the mailbox keeps the completion with the handoff, but the completion does not end the handoff.
// Suggested has agents that accept the type of a deliverable, the best first, if nobody has said how the work goes on.
type Completion struct {
	HandoffID    ID        `json:"handoff_id,omitempty"`
	CompletionID string    `json:"completion_id,omitempty"`
	Timestamp    time.Time `json:"timestamp,omitzero"`
	Status       Outcome   `json:"status"` // success, or partial when a criterion is unmet
	Source       Source    `json:"source"`
	Result
	Criteria []AnsweredCriterion `json:"criteria,omitempty"`      // each criterion with its answer
	Tree     *Tree               `json:"tree,omitempty"`          // observed by the process, not said by the holder
	Awaits   bool                `json:"awaits_checks,omitempty"` // partial only until an observation of its checks passes
	Conforms bool                `json:"-"`                       // the output was compared with the schema of the sender
	Late     bool                `json:"late,omitempty"`          // arrived after the claim was lost
	Parts    string              `json:"open_parts,omitempty"`    // the parts that the holder had sent and that were open, with their states
	Origin   *Origin             `json:"origin,omitempty"`

	Suggested []RoutingCandidate `json:"suggested_next,omitempty"`
}

// Commit returns the id of the delivered commit, perhaps shortened. It is the commit in the results, or else the commit
// of the working tree. It is empty if neither is known.
func (c *Completion) Commit() string {
	said, _ := c.Results["commit"].(string)
	if said = strings.ToLower(strings.TrimSpace(said)); IsCommitID(said) {
		return said
	}
	if c.Tree != nil {
		return c.Tree.Commit
	}
	return ""
}

// AsRead returns the result in the three places where agents read it: summary, results and output. Data joins the
// results, unless they have another value of the same name. Notes and detail are the output, as a text, if the holder
// gave no other output. The registry keeps the result as the holder wrote it.
func (r Result) AsRead() Result {
	results, rest := map[string]any{}, map[string]string{}
	maps.Copy(results, r.Results)
	for name, text := range r.Data {
		if _, named := r.Results[name]; named {
			rest[name] = text
		} else {
			results[name] = text
		}
	}
	r.Results, r.Data = results, rest
	text := strings.TrimSpace(strings.Join(r.Notes, "; ") + "\n\n" + r.Detail)
	if len(r.Output) == 0 && text != "" {
		r.Output, _ = json.Marshal(text)
		r.Notes, r.Detail = nil, ""
	}
	return r
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
func (c Completion) Files() []string {
	return slices.Concat(Map(c.Deliverables, Delivered.Files)...)
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

// AnsweredCriterion is one criterion in the sender's words, with its answer. Check names the check that decides the
// criterion. It is empty if only the holder can answer. If the check ran, Observed holds its result. If the check
// should have run but did not, Unobserved says why, and the holder's answer counts only if Claimed is set. The sender
// sets Claimed to accept the holder's claim.
type AnsweredCriterion struct {
	Number     int          `json:"number"`
	Criterion  string       `json:"criterion"`
	Check      string       `json:"check,omitempty"`
	Met        bool         `json:"met"`
	Evidence   string       `json:"evidence,omitempty"`
	Observed   *Observation `json:"observed,omitempty"`
	Unobserved string       `json:"unobserved,omitempty"`
	Claimed    bool         `json:"claim_is_enough,omitempty"`
}

// IsMet reports whether the criterion is met. The holder must say that it is met. If a check decides the criterion, the
// check must also have passed, or the sender must accept a claim. A completion of an earlier version of handoff has
// neither an observation nor a reason in Unobserved. Then the holder's claim is enough.
func (a AnsweredCriterion) IsMet() bool {
	if a.Observed != nil {
		return a.Met && a.Observed.Passed
	}
	return a.Met && (a.Unobserved == "" || a.Claimed)
}

// EvidenceText returns a text about an answer: the observation of its check or the word "claimed", and then the
// holder's evidence. The exception is a completion without any check: all its answers are claims, so the text is the
// evidence alone.
func (c *Completion) EvidenceText(a AnsweredCriterion) string {
	basis := ""
	switch {
	case a.Observed != nil:
		basis = a.Observed.String()
	case a.Unobserved != "":
		basis = "not observed: " + a.Unobserved
		if a.Claimed {
			basis = "claimed, " + basis
		}
	case slices.ContainsFunc(c.Criteria, func(a AnsweredCriterion) bool { return a.Check != "" }):
		basis = "claimed"
	}
	if basis != "" && a.Evidence != "" {
		basis += "; "
	}
	return basis + a.Evidence
}

// UnobservedReasons returns one sentence for each check that was not observed. The sentence gives the reason. Another
// sentence names the open parts, whose results nobody has seen either.
func (c *Completion) UnobservedReasons() (texts []string) {
	for _, a := range c.Criteria {
		if a.Unobserved != "" && a.Observed == nil {
			texts = append(texts, fmt.Sprintf("the check %s is %s", a.Check, c.EvidenceText(AnsweredCriterion{Unobserved: a.Unobserved, Claimed: a.Claimed})))
		}
	}
	if c.Parts != "" {
		texts = append(texts, c.Parts)
	}
	return texts
}

// Continuation passes the work on to another agent if To is set: the completion and the new handoff are committed
// together or not at all. Without To the mailbox makes no handoff, and only shows the continuation to the sender, like
// the next steps of the handoff protocol agent. SuggestedNext is only shown, with or without To.
type Continuation struct {
	SendIn
	SuggestedNext  string         `json:"suggested_next,omitempty"`
	Reason         string         `json:"reason,omitempty"`
	ContextForNext map[string]any `json:"context_for_next,omitempty"`
}
