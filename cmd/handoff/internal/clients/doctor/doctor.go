// Package doctor searches for faults that keep agents on this machine from passing work to each other. With each fault
// it returns one command that mends the fault or shows more of it.
//
// An examination is a function about one subject. It returns findings about the files of a workspace ([Files]), the
// process that has it open ([Owner]), its content ([Store], [Work]), the name under which commands act ([Identity]),
// the program itself ([Version]) and each client ([Client]). An examination mends nothing. The processes that it starts
// have ended when it returns, and it removes the files that it makes.
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

// try adds the command that mends the fault, or shows more of it; empty: none helps.
func (f Finding) try(command string) Finding {
	f.Remedy = command
	return f
}
