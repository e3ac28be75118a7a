// Package checks runs the checks of a repository on work.
//
// Its caller reads the list of checks with [Runner.ReadList] and runs a [Job] with [Runner.Run]. The list is the file
// .handoff/checks.yaml of the repository. A check in it is a command, or a question about the files of a commit. The
// list is read from the base of the work and never from a working tree, so that the work cannot weaken its own checks.
// A person allows a list once, by its digest. A changed list needs a new permission. Without permission nothing runs.
// No command ever comes from a handoff.
//
// A command runs in a clean tree at the commit under test. The tree is in a slot below the directory of handoff's
// files. Slots are kept between runs, and the next run writes only the files that differ:
//
//	REPOSITORY/git         a git directory that borrows the objects of the repository, without its configuration
//	REPOSITORY/kept-KEY    the tests that passed at a base
//	REPOSITORY/N/lock      a lock that the process which uses slot N holds
//	REPOSITORY/N/mark      the id of the command that runs in the slot
//	REPOSITORY/N/git       a git directory that borrows objects, with the index of the tree
//	REPOSITORY/N/tree      the files, with another git directory for the command
//
// The slots do not use git worktree, because git worktree would leave traces in the repository and run its hooks and
// filters.
//
// A supervisor runs the command, and ends all processes that the command started. The supervisor is this program again,
// see [Supervise]. When its input ends, it knows that the process that runs the checks was killed. On Linux the
// supervisor adopts orphaned processes, so it can end all of them. A second supervisor above it does the same if the
// command stopped or killed the first one. If both supervisors were killed, the process that runs the checks ends the
// remaining processes. It knows them by their session, which no other process can enter. If that process was killed
// too, the next run finds the processes by a variable in their environment. The supervisor and git inherit the lock of
// the slot, so no other run uses a tree while a process still works in it.
package checks

import (
	"slices"
	"strings"
	"time"

	"handoff/schemas"
)

// File is the path of the list in a repository.
const File = ".handoff/checks.yaml"

// List is the list of checks of a repository.
type List struct {
	Digest string  `json:"digest"` // SHA-256 of its bytes, in hexadecimal
	Checks []Check `json:"checks"`
}

// Check is one row of a list of checks: a command, or a question about a commit. Only the fields of its kind are set.
type Check struct {
	Name   string `json:"name"`
	Always bool   `json:"always,omitempty"` // the check runs for all work in the repository

	Run     string        `json:"run,omitempty"` // a line for the shell
	Timeout time.Duration `json:"timeout_ns,omitempty"`
	Dir     string        `json:"dir,omitempty"`
	Env     []string      `json:"env,omitempty"`    // names of variables to pass on
	Report  string        `json:"report,omitempty"` // gotest, or junit: and the path of a file
	Kept    bool          `json:"kept,omitempty"`   // tests that passed at the base must pass
	Base    []string      `json:"base,omitempty"`   // globs of files that are taken from the base

	Exists  string   `json:"exists,omitempty"`  // a file that the commit must have
	Touches []string `json:"touches,omitempty"` // globs: the commit must change a file that matches
	Leaves  []string `json:"leaves,omitempty"`  // globs: the commit must change no file that matches
	Tree    string   `json:"tree,omitempty"`    // clean
	JSON    string   `json:"json,omitempty"`    // a file of the commit that must meet Schema
	Schema  string   `json:"schema,omitempty"`  // a JSON Schema of the base
}

// WantedNames returns the names in asked, and the names of the checks that always run. It returns each name once.
func (l List) WantedNames(asked []string) []string {
	for _, c := range l.Checks {
		if c.Always {
			asked = append(slices.Clip(asked), c.Name)
		}
	}
	return schemas.Unique(asked)
}

// Names returns the names of all checks, in the order of the list.
func (l List) Names() []string { return schemas.Map(l.Checks, func(c Check) string { return c.Name }) }

// String describes a check in one line for the person that allows it.
func (c Check) String() string {
	var what []string
	say := func(name, said string) {
		if said != "" && name+said != "dir." {
			what = append(what, name+" "+said)
		}
	}
	for _, f := range c.fields() {
		switch value := f.value.(type) {
		case *string:
			say(f.name, *value)
		case *[]string:
			say(f.name, strings.Join(*value, " "))
		case *time.Duration:
			if *value != 0 {
				say(f.name, value.String())
			}
		case *bool:
			if *value {
				what = append(what, f.name)
			}
		}
	}
	return c.Name + ": " + strings.Join(what, "; ")
}

// checkField describes one field of a check. Each kind of check is named after its main field (such as "run"). For a
// main field, the kind is empty. For another field, such as "dir", it is the kind of check that may have the field, or
// "any".
type checkField struct {
	name  string
	value any // a pointer into the check
	kind  string
}

// fields returns the fields of a check, in the order of their display.
func (c *Check) fields() []checkField {
	return []checkField{
		{"run", &c.Run, ""},
		{"exists", &c.Exists, ""},
		{"touches", &c.Touches, ""},
		{"leaves", &c.Leaves, ""},
		{"tree", &c.Tree, ""},
		{"json", &c.JSON, ""},
		{"schema", &c.Schema, "json"},
		{"dir", &c.Dir, "run"},
		{"env", &c.Env, "run"},
		{"report", &c.Report, "run"},
		{"base", &c.Base, "run"},
		{"timeout", &c.Timeout, "run"},
		{"kept", &c.Kept, "run"},
		{"always", &c.Always, "any"},
	}
}
