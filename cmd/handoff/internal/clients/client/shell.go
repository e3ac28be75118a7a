package client

// A Shell is what a client sets in the environment of the shells that it starts. The zero value: nothing that is known.
type Shell struct {
	Signs   []string // any of these variables, not empty, shows that it is the client's
	Run     string   // the variable with the id of the session
	Process string   // the variable with the number of the client's process; empty where shells are not told
}
