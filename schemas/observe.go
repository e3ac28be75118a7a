package schemas

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Observation is the result of one check of a repository at one commit, as handoff itself found it. The process that
// runs in the checkout adds it to the [Caller] of a call, so an agent cannot make one up.
type Observation struct {
	Check  string    `json:"check"`
	Passed bool      `json:"passed"`
	Why    string    `json:"why,omitempty"`  // why the check does not pass, in a sentence
	Commit string    `json:"commit"`         // of the clean tree that was observed
	List   string    `json:"list,omitempty"` // digest of the list of checks that a person allowed
	At     time.Time `json:"at,omitzero"`

	// Of a command.
	Exit   *int   `json:"exit_status,omitempty"`
	Millis int64  `json:"duration_ms,omitempty"`
	Tail   string `json:"output_tail,omitempty"`   // the last 4 KiB of its output
	Output string `json:"output_digest,omitempty"` // SHA-256 of its whole output, in hexadecimal
}

// CheckReport holds what the process in a checkout observed about the checks that a completion must pass. If the
// process could not observe one of these checks, Unobserved gives the reason.
type CheckReport struct {
	Observed   []Observation     `json:"observed,omitempty"`
	Unobserved map[string]string `json:"unobserved,omitempty"` // by the name of the check
	Unread     string            `json:"unread,omitempty"`     // why the list of checks is unknown
	Failed     []Observation     `json:"failed,omitempty"`     // at the refusal of an earlier completion

	Uncommitted []string `json:"uncommitted,omitempty"` // files whose changes were not observed

	// Listed has the names of all checks in the caller's checkout. It comes with a list of agents.
	Listed []string `json:"listed,omitempty"`

	// Preview has the checks in Listed that could run now. If none of them could, Unread gives the reason. It comes with a
	// call that may ask for checks.
	Preview *CheckReport `json:"preview,omitempty"`
}

// Checks returns the names of all checks in the report: the observed checks, then the checks that were not observed,
// then the checks that failed at an earlier completion. A name may be in the result twice.
func (s *CheckReport) Checks() []string {
	if s == nil {
		return nil
	}
	name := func(o Observation) string { return o.Check }
	return slices.Concat(Map(s.Observed, name), slices.Sorted(maps.Keys(s.Unobserved)), Map(s.Failed, name))
}

// String describes the observation in one line, with the commit.
func (o Observation) String() string {
	how := "passes"
	if !o.Passed {
		how = strings.TrimSpace("does not pass: " + EscapeHidden(Clip(o.Why, 400)))
	}
	text := fmt.Sprintf("observed: the check %s %s, at %s", o.Check, strings.TrimSuffix(how, "."), ShortCommit(o.Commit))
	if o.Millis > 0 {
		text += fmt.Sprintf(" in %.1f s", float64(o.Millis)/1000)
	}
	return text
}

// Observation returns the observation of a check, or nil.
func (s *CheckReport) Observation(check string) *Observation {
	return findObservation(check, ValueOrZero(s).Observed)
}

// EarlierFailure returns the failed observation of a check for which an earlier completion of this handoff was refused,
// or nil.
func (s *CheckReport) EarlierFailure(check string) *Observation {
	return findObservation(check, ValueOrZero(s).Failed)
}

func findObservation(check string, all []Observation) *Observation {
	i := slices.IndexFunc(all, func(o Observation) bool { return o.Check == check })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// CompletionRefusal says why the mailbox refused a completion. The holder keeps the handoff after the refusal. Failed
// lists the failed checks that have not passed since. Result is the digest of the result that the holder sent.
type CompletionRefusal struct {
	Note   string        `json:"note"`
	Failed []Observation `json:"failed,omitempty"`
	Tree   *Tree         `json:"tree,omitempty"`
	Result string        `json:"result_digest"`
}

// SameAs reports whether two refusals are for the same result and for the same failed checks at the same commits.
func (r CompletionRefusal) SameAs(o CompletionRefusal) bool {
	return r.Result == o.Result && slices.EqualFunc(r.Failed, o.Failed, func(a, b Observation) bool {
		return a.Check == b.Check && a.Commit == b.Commit
	})
}

// ObserveIn holds the arguments of the administrative tool checks_observe. With it a process in a checkout adds
// observations to a handoff that was completed earlier.
type ObserveIn struct {
	HandoffID string        `json:"handoff_id" jsonschema:"minLength=1"`
	Seen      []Observation `json:"seen" jsonschema:"minItems=1,maxItems=100"`
}

// ObserveOut is the result of checks_observe: the outcome of the handoff with the new observations, and the criteria
// that are not met.
type ObserveOut struct {
	HandoffID ID                  `json:"handoff_id"`
	Outcome   Outcome             `json:"outcome"`
	Unmet     []AnsweredCriterion `json:"unmet,omitempty"`
}
