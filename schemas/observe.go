package schemas

import "time"

// Observation is what handoff found itself when it looked whether a check holds that a repository defines, at one commit.
// An agent cannot say it: it comes with the [Caller], from the process beside the checkout.
type Observation struct {
	Check  string    `json:"check"`
	Passed bool      `json:"passed"`
	Why    string    `json:"why,omitempty"` // what does not hold, in a sentence
	Commit string    `json:"commit"`        // in a clean tree of which it was looked at
	List   string    `json:"list"`          // digest of the list of checks that a person allowed
	At     time.Time `json:"at"`

	// Of a command.
	Exit   *int   `json:"exit_status,omitempty"`
	Millis int64  `json:"duration_ms,omitempty"`
	Tail   string `json:"output_tail,omitempty"`   // the last 4 KiB of what it printed
	Output string `json:"output_digest,omitempty"` // SHA-256 of all that it printed, in hexadecimal
}

// Sight is what the process beside a checkout saw of the checks that a completion has to pass. Of each check that was
// asked for and is not observed, Unobserved says why not.
type Sight struct {
	Observed   []Observation     `json:"observed,omitempty"`
	Unobserved map[string]string `json:"unobserved,omitempty"` // by the name of the check
}
