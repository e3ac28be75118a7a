// Package checks runs the checks of a repository on work.
//
// The file .handoff/checks.yaml of a repository is a list of checks by name: commands, and questions about the files
// of a commit. It is read from the base of the work, never from a working tree, so that a change cannot weaken its
// own gate. A person allows a list once, by its digest; a changed list needs a new permission. Without permission
// nothing runs, and no command ever comes from a handoff.
//
// A command runs in a clean tree of its own, at the commit under test. The tree is kept between runs below the
// directory of handoff's files, in a slot:
//
//	REPOSITORY/git         a git directory that borrows the objects of the repository, and has no configuration of it
//	REPOSITORY/kept-KEY    the tests that passed at a base
//	REPOSITORY/N/lock      held while a process uses slot N
//	REPOSITORY/N/mark      the id of the command that runs in it
//	REPOSITORY/N/git       a git directory as above, with the index of the tree
//	REPOSITORY/N/tree      the files, with another git directory for the command
//
// Between the command and this process stands a supervisor, see [Supervise]: it ends all processes that a command
// started, also when this process is killed.
//
// git worktree would leave traces in the repository, and run its hooks and filters; therefore handoff has its own git
// directory. The next run writes into the kept tree only the files that differ.
//
// The supervisor is this program again. The end of its input tells it that the process that waits for it was killed.
// On Linux it inherits processes that detach themselves, so it can end all of them. A second supervisor above it does
// the same if the first was stopped or killed. If both were killed, the process that runs the checks does it: it
// adopts orphans during the run, and knows them by their session, which no process can enter from another one, so it
// takes neither its own children nor their exit status. If that process was killed too, a variable in the environment
// of the processes identifies them. The lock of the slot passes to the supervisor and to git, so no other run enters
// a tree in which a process still works.
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

// A Check is one row of a list of checks: a command, or a question about a commit. Only the fields of its kind are set.
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

// WantedNames returns the names of the checks to run: the names in asked, and the checks of the list that always run.
// Each name is there once.
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

// String describes a check in one line, for the person that allows it.
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

// checkField describes one field of a check. Of is the name of the kind of checks that has the field. The name of a
// kind is the name of its main field, and for a main field of is empty. The fields touches and leaves belong to one
// kind.
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
