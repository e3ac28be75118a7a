package client

import "slices"

// ShellVariables holds the names of the variables that a client sets in the environment of its shells. A name is empty
// if the client sets no such variable.
type ShellVariables struct {
	Signs   []string // a shell with any of these variables, not empty, belongs to the client
	Session string   // the variable with the id of the session
	Process string   // the variable with the number of the client's process; empty: there is none

	// Project is the variable with the project's directory, which servers and hooks of the client have, too.
	Project string

	// Attended is a variable that is 0 if no person uses the session. Then the client waits for its background commands
	// before it ends.
	Attended string
}

// IsUnattended reports whether the environment says that no person uses the session: see [ShellVariables].
func IsUnattended(getenv func(string) string) bool {
	return slices.ContainsFunc(All(), func(c Client) bool {
		return c.Shell.Attended != "" && getenv(c.Shell.Attended) == "0"
	})
}

// ProjectVariables returns the variables in which the clients store the project's directory.
func ProjectVariables() (names []string) {
	for _, c := range All() {
		if c.Shell.Project != "" {
			names = append(names, c.Shell.Project)
		}
	}
	return names
}
