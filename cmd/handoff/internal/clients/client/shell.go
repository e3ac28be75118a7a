package client

import "slices"

// A Shell is what a client sets in the environment of the shells that it starts. The zero value says that nothing is
// known.
type Shell struct {
	Signs   []string // any of these variables, not empty, shows that it is the client's
	Run     string   // the variable with the id of the session
	Process string   // the variable with the number of the client's process; empty where shells are not told

	// Project is the variable with the directory of the project, for servers and hooks too. Empty: there is none.
	Project string

	// Attended is a variable that is 0 if nobody sits at the session. The client then waits for the commands that it
	// runs in the background. Empty: there is no such variable.
	Attended string
}

// Unattended tells whether a client says so in the environment: see [Shell].
func Unattended(getenv func(string) string) bool {
	return slices.ContainsFunc(All(), func(c Client) bool {
		return c.Shell.Attended != "" && getenv(c.Shell.Attended) == "0"
	})
}

// ProjectVariables are those in which clients say where the project is.
func ProjectVariables() (names []string) {
	for _, c := range All() {
		if c.Shell.Project != "" {
			names = append(names, c.Shell.Project)
		}
	}
	return names
}
