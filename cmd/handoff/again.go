package main

import (
	"regexp"
	"strings"

	"handoff/schemas"
)

// again are the flags of this command line that one which it advises must repeat to act as the same agent in
// the same workspace: those that the environment does not say. It begins with a space, or is empty.
func (a *app) again() string {
	return a.agentAgain() + a.placeAgain()
}

func (a *app) agentAgain() string { return a.flagAgain("agent", a.agent) }

func (a *app) placeAgain() string {
	return a.flagAgain("dir", a.dir) + a.flagAgain("workspace", a.workspace)
}

func (a *app) flagAgain(name, value string) string {
	if value == "" || value == a.getenv("HANDOFF_"+strings.ToUpper(name)) {
		return ""
	}
	return " --" + name + " " + inShell(value)
}

// forReader are the commands that a hint names for whoever reads it; others may be for somebody else.
var forReader = regexp.MustCompile(`\bhandoff (list|claim|show|complete|fail|cancel|send)\b`)

// sayAgain puts into the command lines of a hint what they need to mean the same workspace and agent.
func (a *app) sayAgain(hint string) string {
	return forReader.ReplaceAllStringFunc(hint, func(command string) string { return command + a.again() })
}

// inShell writes a word as a shell reads it.
func inShell(word string) string {
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool {
		return !strings.ContainsRune("/.:_-+@%", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) {
		return word
	}
	return "'" + strings.ReplaceAll(schemas.Visible(word), "'", `'\''`) + "'"
}
