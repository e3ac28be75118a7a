// Package doctor finds faults that keep agents on this machine from passing work to each other. A finding may have one
// command, which removes the fault or shows more about it.
//
// Each examination is one function. [ExamineFiles] examines the files of a workspace, [ExamineOwner] the process that
// has the workspace open, [ExamineStore] and [ExamineHandoffs] its content, [ExamineIdentity] the agent name of
// commands, [ExamineVersion] the program, and [ExamineClient] one client. An examination changes nothing. When it
// returns, the processes that it started have ended, and its temporary files are removed.
package doctor

import (
	"fmt"
	"slices"
)

// Severity says how bad a finding is.
type Severity string

// The severities, from the best to the worst.
const (
	OK      Severity = "ok"
	Skipped Severity = "skipped" // it was not examined, or does not exist; that is no fault
	Warning Severity = "warning" // it works, but not as well or not for as long as it should
	Error   Severity = "error"   // it does not work
)

var states = []Severity{OK, Skipped, Warning, Error}

// A Finding is one result of an examination.
type Finding struct {
	Subject string   `json:"subject"`
	State   Severity `json:"state"`
	Message string   `json:"message"`
	Remedy  string   `json:"remedy,omitempty"` // one command for a shell; empty if none helps
}

// WorstSeverity returns the greatest severity among findings, or [OK] if there are none.
func WorstSeverity(findings []Finding) Severity {
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

var ok, skipped, warning, failure = OK.newFinding, Skipped.newFinding, Warning.newFinding, Error.newFinding

// newFinding makes a finding in this state.
func (s Severity) newFinding(subject, format string, args ...any) Finding {
	return Finding{Subject: subject, State: s, Message: fmt.Sprintf(format, args...)}
}

// withCommand returns the finding with a command that removes the fault or shows more about it. The command is "" if no
// command helps.
func (f Finding) withCommand(command string) Finding {
	f.Remedy = command
	return f
}
