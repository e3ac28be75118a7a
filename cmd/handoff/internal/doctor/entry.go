package doctor

import "handoff/cmd/handoff/internal/client"

// An entry is our server as a file of a client lists it.
type entry struct {
	client.Listed

	scope  string // user, project, local or plugin
	path   string // of the file
	shared bool   // it came with the project, and is not the user's
}
