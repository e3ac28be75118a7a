// Package checks looks itself whether work holds what its repository asks for.
//
// The file .handoff/checks.yaml of a repository is a list of checks by name: commands, and questions about the files of
// a commit. It is read from the base of the work, never from a working tree, so that a change cannot weaken its own
// gate. A person allows a list once, by its digest; another list asks again. Without that nothing runs, and no command
// ever comes from a handoff.
//
// A command runs in a clean tree of its own, at the commit that is looked at. The tree is kept between runs below the
// directory of handoff's files, in a slot:
//
//	REPOSITORY/git         a git directory that borrows the objects of the repository, and has no configuration of it
//	REPOSITORY/kept-KEY    the tests that passed at a base
//	REPOSITORY/N/lock      held while somebody uses slot N
//	REPOSITORY/N/mark      the id of the command that runs in it
//	REPOSITORY/N/git       a git directory as above, with the index of the tree
//	REPOSITORY/N/tree      the files, with another git directory for the command
//
// Between the command and this process stands a supervisor, see [Supervise]: it ends all that a command started, also
// when this process is killed.
//
// git worktree would leave traces in the repository, and run its hooks and filters; therefore the git directory of
// our own. The next run writes into the kept tree only what differs.
//
// The supervisor is this program again. The end of its input tells it that the process that waits for it was killed.
// On Linux it inherits processes that detach themselves, so it can end all of them. A second supervisor above it does
// the same if the first was stopped or killed, and the process that looks does it if both were: it adopts orphans
// while it looks, and knows them by their session, which no process can enter from another one, so neither its own
// children nor their exit status are taken. If that process was killed too, a variable in the environment of the
// processes finds them. The lock of the slot passes to the supervisor and to git, so no other run comes into a tree
// in which something still works.
package checks

import (
	"slices"
	"strings"
	"time"

	"handoff/schemas"
)

// File is where a list stands in a repository.
const File = ".handoff/checks.yaml"

// List is what a repository asks for.
type List struct {
	Digest string  `json:"digest"` // SHA-256 of its bytes, in hexadecimal
	Checks []Check `json:"checks"`
}

// Check is one row of a list: a command, or a question about a commit. Its other fields are empty.
type Check struct {
	Name   string `json:"name"`
	Always bool   `json:"always,omitempty"` // it is asked of all work in the repository

	Run     string        `json:"run,omitempty"` // a line for the shell
	Timeout time.Duration `json:"timeout_ns,omitempty"`
	Dir     string        `json:"dir,omitempty"`
	Env     []string      `json:"env,omitempty"`    // names of variables that are passed along
	Report  string        `json:"report,omitempty"` // gotest, or junit: and the path of a file
	Kept    bool          `json:"kept,omitempty"`   // what passed at the base must pass
	Base    []string      `json:"base,omitempty"`   // globs of files that are as at the base

	Exists  string   `json:"exists,omitempty"`  // a file of the commit
	Touches []string `json:"touches,omitempty"` // globs: the commit changes one such file
	Leaves  []string `json:"leaves,omitempty"`  // globs: the commit changes no such file
	Tree    string   `json:"tree,omitempty"`    // clean
	JSON    string   `json:"json,omitempty"`    // a file of the commit meets
	Schema  string   `json:"schema,omitempty"`  // a JSON Schema of the base
}

// Wanted are the names that are asked for, each once, with those that are always.
func (l List) Wanted(asked []string) []string {
	for _, c := range l.Checks {
		if c.Always {
			asked = append(slices.Clip(asked), c.Name)
		}
	}
	return schemas.Unique(asked)
}

// Names are those of all checks, in the order of the list.
func (l List) Names() []string { return schemas.Map(l.Checks, func(c Check) string { return c.Name }) }

// String says in a line what a check does, as a person reads it before it is allowed.
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

// A field of a check is of one kind of checks. The kind has the name of the field that says what is looked at: of those
// fields it is empty. Touches and leaves make one kind together.
type field struct {
	name  string
	value any // a pointer into the check
	of    string
}

// fields are those of a check, as it is shown.
func (c *Check) fields() []field {
	return []field{
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
