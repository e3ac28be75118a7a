// Package doctor searches for faults that keep agents on this machine from passing work to each other. With each fault
// it returns one command that mends the fault or shows more about it.
//
// Each examination is a function about one subject: the files of a workspace ([Files]), the process that has the
// workspace open ([Owner]), the content of the workspace ([Store], [Work]), the name under which commands act
// ([Identity]), the program itself ([Version]) and each client ([Client]). It returns its findings and mends nothing.
// When it returns, the processes that it started have ended, and it has removed the files that it made.
package doctor

import (
	"fmt"
	"slices"
)

// State says how bad a finding is.
type State string

// The states, from the best to the worst.
const (
	OK      State = "ok"
	Skipped State = "skipped" // it was not examined, or does not exist; that is no fault
	Warning State = "warning" // it works, but not as well or not for as long as it should
	Error   State = "error"   // it does not work
)

var states = []State{OK, Skipped, Warning, Error}

// A Finding is one result of an examination.
type Finding struct {
	Subject string `json:"subject"`
	State   State  `json:"state"`
	Message string `json:"message"`
	Remedy  string `json:"remedy,omitempty"` // one command for a shell; empty if none helps
}

// Worst returns the worst state among findings, and [OK] without any.
func Worst(findings []Finding) State {
	worst := 0
	for _, f := range findings {
		worst = max(worst, slices.Index(states, f.State))
	}
	return states[worst]
}

// The subjects.
const (
	aboutStore    = "store"
	aboutOwner    = "owner"
	aboutVersion  = "version"
	aboutIdentity = "identity"
	aboutWork     = "work"
	aboutClients  = "clients"
	aboutHooks    = "hooks"
	aboutNetwork  = "network"
	aboutAgents   = "agents"
)

func ok(subject, format string, a ...any) Finding      { return OK.of(subject, format, a...) }
func skipped(subject, format string, a ...any) Finding { return Skipped.of(subject, format, a...) }
func warning(subject, format string, a ...any) Finding { return Warning.of(subject, format, a...) }
func failure(subject, format string, a ...any) Finding { return Error.of(subject, format, a...) }

// of makes a finding in this state.
func (s State) of(subject, format string, args ...any) Finding {
	return Finding{Subject: subject, State: s, Message: fmt.Sprintf(format, args...)}
}

// try returns the finding with a command that mends the fault or shows more about it. An empty command means that no
// command helps.
func (f Finding) try(command string) Finding {
	f.Remedy = command
	return f
}
