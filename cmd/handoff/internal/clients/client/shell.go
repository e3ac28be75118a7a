package client

import "slices"

// A ShellVariables holds the variables that a client sets in the environment of its shells. The zero value says that nothing is
// known.
type ShellVariables struct {
	Signs   []string // a shell with any of these variables, not empty, belongs to the client
	Session string   // the variable with the id of the session
	Process string   // the variable with the number of the client's process; empty: there is none

	// Project is the variable with the project's directory. The client sets it for its servers and hooks, too. It is
	// empty if the client has no variable for the directory.
	Project string

	// Attended is a variable that is 0 if no person sits at the session. Without a person, the client ends only after
	// the commands that it runs in the background. Attended is empty if the client has no variable for this.
	Attended string
}

// IsUnattended reports whether the environment says that no person sits at the session: see [ShellVariables].
func IsUnattended(getenv func(string) string) bool {
	return slices.ContainsFunc(All(), func(c Client) bool {
		return c.Shell.Attended != "" && getenv(c.Shell.Attended) == "0"
	})
}

// ProjectVariables returns the variables in which clients name the directory of the project.
func ProjectVariables() (names []string) {
	for _, c := range All() {
		if c.Shell.Project != "" {
			names = append(names, c.Shell.Project)
		}
	}
	return names
}
