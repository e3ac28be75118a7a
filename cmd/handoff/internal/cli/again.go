package cli

import (
	"strings"

	"handoff/cmd/handoff/internal/shell"
	"handoff/schemas"
)

// Again are the flags of this command line that one which it advises must repeat to act as the same agent in
// the same workspace: those that the environment does not say. It begins with a space, or is empty.
func (a *App) Again() string {
	return a.agentAgain() + a.PlaceAgain()
}

func (a *App) agentAgain() string { return a.FlagAgain("agent", a.Agent) }

// PlaceAgain are those of the workspace alone.
func (a *App) PlaceAgain() string {
	return a.FlagAgain("dir", a.Dir) + a.FlagAgain("workspace", a.Workspace)
}

// FlagAgain is one of them, of the name and the value of a flag.
func (a *App) FlagAgain(name, value string) string {
	if value == "" || value == a.Getenv("HANDOFF_"+strings.ToUpper(name)) {
		return ""
	}
	return " --" + name + " " + InShell(value)
}

// InShell writes a word as a shell reads it. A blank is in quotes, for the words that will be written there.
func InShell(word string) string {
	if word == schemas.Blank {
		return "'" + word + "'"
	}
	return shell.Quote(schemas.Visible(word))
}
