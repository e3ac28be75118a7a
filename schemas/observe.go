package schemas

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Observation is what handoff found itself when it looked whether a check holds that a repository defines, at one
// commit. An agent cannot say it: it comes with the [Caller], from the process beside the checkout.
type Observation struct {
	Check  string    `json:"check"`
	Passed bool      `json:"passed"`
	Why    string    `json:"why,omitempty"`  // what does not hold, in a sentence
	Commit string    `json:"commit"`         // in a clean tree of which it was looked at
	List   string    `json:"list,omitempty"` // digest of the list of checks that a person allowed
	At     time.Time `json:"at"`

	// Of a command.
	Exit   *int   `json:"exit_status,omitempty"`
	Millis int64  `json:"duration_ms,omitempty"`
	Tail   string `json:"output_tail,omitempty"`   // the last 4 KiB of what it printed
	Output string `json:"output_digest,omitempty"` // SHA-256 of all that it printed, in hexadecimal
}

// CheckReport is what the process beside a checkout saw of the checks that a completion has to pass. Of each check that was
// asked for and is not observed, Unobserved says why not.
type CheckReport struct {
	Observed   []Observation     `json:"observed,omitempty"`
	Unobserved map[string]string `json:"unobserved,omitempty"` // by the name of the check
	Unread     string            `json:"unread,omitempty"`     // why nobody knows which checks there are
	Failed     []Observation     `json:"failed,omitempty"`     // when an earlier completion was refused

	Uncommitted []string `json:"uncommitted,omitempty"` // files with changes that nobody looked at
}

// Checks are the names of all, those that are observed first and those that only failed before last; a name may come
// twice.
func (s *CheckReport) Checks() []string {
	if s == nil {
		return nil
	}
	name := func(o Observation) string { return o.Check }
	return slices.Concat(Map(s.Observed, name), slices.Sorted(maps.Keys(s.Unobserved)), Map(s.Failed, name))
}

// String tells in one line what was seen where.
func (o Observation) String() string {
	how := "passes"
	if !o.Passed {
		how = strings.TrimSpace("does not pass: " + Visible(Clip(o.Why, 400)))
	}
	text := fmt.Sprintf("observed: the check %s %s, at %s", o.Check, strings.TrimSuffix(how, "."), ShortCommit(o.Commit))
	if o.Millis > 0 {
		text += fmt.Sprintf(" in %.1f s", float64(o.Millis)/1000)
	}
	return text
}

// Of is what was observed of a check, nil for nothing.
func (s *CheckReport) Observation(check string) *Observation {
	return findObservation(check, OrZero(s).Observed)
}

// EarlierFailure is how a check was seen not to pass when an earlier completion was refused, nil for never.
func (s *CheckReport) EarlierFailure(check string) *Observation {
	return findObservation(check, OrZero(s).Failed)
}

func findObservation(check string, all []Observation) *Observation {
	i := slices.IndexFunc(all, func(o Observation) bool { return o.Check == check })
	if i < 0 {
		return nil
	}
	return &all[i]
}

// Refusal is why the completion of a handoff was refused that stays with its holder. Failed are the checks that were
// seen not to pass and were not seen to pass since. Result is the digest of what the holder handed in.
type Refusal struct {
	Note   string        `json:"note"`
	Failed []Observation `json:"failed,omitempty"`
	Tree   *Tree         `json:"tree,omitempty"`
	Result string        `json:"result_digest"`
}

// Same tells whether two refusals are of the same result, for checks that failed at the same commits.
func (r Refusal) Same(o Refusal) bool {
	return r.Result == o.Result && slices.EqualFunc(r.Failed, o.Failed, func(a, b Observation) bool {
		return a.Check == b.Check && a.Commit == b.Commit
	})
}

// ObserveIn are the arguments of the administrative tool checks_observe: what a process beside a checkout saw of the
// checks of completed work, after its completion.
type ObserveIn struct {
	HandoffID string        `json:"handoff_id" jsonschema:"minLength=1"`
	Seen      []Observation `json:"seen" jsonschema:"minItems=1,maxItems=100"`
}

// ObserveOut is the result of checks_observe: how the handoff stands now, and what is not met.
type ObserveOut struct {
	HandoffID ID         `json:"handoff_id"`
	Outcome   Outcome    `json:"outcome"`
	Unmet     []Answered `json:"unmet,omitempty"`
}
