package client

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"handoff/cmd/handoff/internal/shell"
)

// A SessionEvent is something that happens in a client session, in handoff's own words. Each client has its own word for it.
type SessionEvent string

// The events.
const (
	SessionStart SessionEvent = "session-start"
	Prompt       SessionEvent = "prompt"
	Tool         SessionEvent = "tool"
	Stop         SessionEvent = "stop"
	SubagentStop SessionEvent = "subagent-stop"
	SessionEnd   SessionEvent = "session-end"
	Compact      SessionEvent = "compact" // is about to happen
)

// Events lists them in the order of a session.
var Events = []SessionEvent{SessionStart, Prompt, Tool, Stop, SubagentStop, SessionEnd, Compact}

// HookSettings are the commands that a client runs when something happens in a session.
type HookSettings struct {
	ConfigPaths
	Unit     time.Duration // of timeouts
	Name     string        // the name that the client requires for each command; empty: none
	Next     string        // the step of a person after which the client runs them, in one line; empty: none
	Commands []Hook

	// Flat says that a hook of this client puts the text for the model into a field at the top of its answer. Other
	// clients read the text in the field hookSpecificOutput.
	Flat bool

	// Bare says that on Windows the client runs hooks in cmd or PowerShell. These shells need the path of a program
	// without quotes: see [HookSettings.CanRun]. Other clients run hooks in bash.
	Bare bool

	// Identifies reports whether a report to a hook certainly comes from this client. It is nil if the reports of this
	// client cannot be told from the reports of others.
	Identifies func(HookReport) bool

	// Queue returns the arguments of the client's command that sends a message to a session and so starts a turn. A
	// client with this command waits until each of its hooks ends, so the hook starts the wait for mail as a background
	// process. Queue is nil if the client itself runs the wait in the background. The exit status of the wait then
	// wakes the session.
	Queue func(session, message string) []string
}

// A HookReport holds the fields of a client's report to a hook that show which client it is.
type HookReport struct {
	EventName  string // the client's word for the event
	Turn       string // the id of the turn
	Transcript string // the path of the transcript
}

// ReportingClient returns the client that sent a report, if only one client can have sent it. Otherwise it returns
// false.
func ReportingClient(r HookReport) (Client, bool) {
	for _, c := range All() {
		if c.Hooks != nil && c.Hooks.Identifies != nil && c.Hooks.Identifies(r) {
			return c, true
		}
	}
	return Client{}, false
}

// A Hook is a command of ours on one event of a client.
type Hook struct {
	Event     SessionEvent  // for handoff hook; empty: the command is handoff wait --hook
	EventName string        // the client's word for the event
	Timeout   time.Duration // after which the client gives up
	Wake      bool          // only if sleeping sessions are to be woken
	Extra     Object        // more fields of the command
}

// A HookCall is how hooks run handoff.
type HookCall struct {
	Program   string // as the client finds it
	Agent     string // acts under this name; empty: the name of the session
	Workspace string // looks into this workspace; empty: the workspace of the project
	Wake      bool   // also wakes sleeping sessions
}

// EventName returns the client's own word for an event. For a client without hooks it returns the word that most
// clients use.
func (c Client) EventName(e SessionEvent) string {
	if c.Hooks == nil {
		c = codex()
	}
	for _, h := range c.Hooks.Commands {
		if h.Event == e {
			return h.EventName
		}
	}
	return ""
}

// HookGroups returns our hooks in the form of a client's file: for each event of the client the groups of commands.
func (c Client) HookGroups(call HookCall) Object {
	var events Object
	if c.Hooks == nil {
		return events
	}
	for _, h := range c.Hooks.Commands {
		if h.Wake && !call.Wake {
			continue
		}
		group := Object{{"hooks", []any{c.hookHandler(h, call)}}}
		i := slices.IndexFunc(events, func(f Field) bool { return f.Key == h.EventName })
		if i < 0 {
			events = append(events, Field{h.EventName, []any{group}})
			continue
		}
		events[i].Value = append(events[i].Value.([]any), group)
	}
	return events
}

// hookHandler is one command in the form of the client's file.
func (c Client) hookHandler(h Hook, call HookCall) Object {
	o := append(Object{}.withField("name", c.Hooks.Name), Field{"type", "command"}, Field{"command", c.HookCommand(h, call)})
	return append(o.withField("timeout", int(h.Timeout/c.Hooks.Unit)), h.Extra...)
}

// HookCommand returns the command line of a hook, for the shell of the client.
func (c Client) HookCommand(h Hook, call HookCall) string {
	words := c.HookWords(h, call)
	program := shell.Quote(words[0])
	switch {
	case !isWindowsPath(words[0]):
	case c.Hooks.Bare:
		program = words[0]
	default:
		program = "'" + strings.ReplaceAll(words[0], "'", `'\''`) + "'"
	}
	return program + " " + shell.Line(words[1:])
}

// CanRun reports whether the shell of the client starts a program of this path, as [Client.HookCommand] writes it.
func (h HookSettings) CanRun(program string) bool {
	return !h.Bare || !isWindowsPath(program) || isPlainPath(program)
}

// isPlainPath reports whether every shell reads a path as one word without quotes, because the path has no special
// characters.
func isPlainPath(path string) bool {
	return !strings.ContainsFunc(path, func(r rune) bool {
		isWord := unicode.IsLetter(r) || '0' <= r && r <= '9'
		return !isWord && !strings.ContainsRune(`_.:\/~@+-`, r)
	})
}

// isWindowsPath reports whether a path is absolute on Windows.
func isWindowsPath(path string) bool { return len(path) > 2 && path[1] == ':' && path[2] == '\\' }

// cutProgram splits a command line into the program and the rest. It accepts a Windows path without quotes only if the
// path is plain, because a special character of the shell in the path would make the line run another command as well.
func cutProgram(line string) (program, rest string, ok bool) {
	if !isWindowsPath(line) {
		return shell.CutWord(line)
	}
	if program, rest, _ = strings.Cut(line, " "); isPlainPath(program) {
		return program, rest, true
	}
	return "", line, false
}

// splitWords splits the line of a hook into words.
func splitWords(line string) (all []string, ok bool) {
	program, rest, ok := cutProgram(strings.TrimLeft(line, " \t"))
	all, okRest := shell.Words(rest)
	return append([]string{program}, all...), ok && okRest && program != ""
}

// HookWords returns the program of a hook and its arguments.
func (c Client) HookWords(h Hook, call HookCall) []string {
	words := []string{call.Program, "hook", string(h.Event)}
	if h.Event == "" {
		words = []string{call.Program, "wait", "--hook"}
	}
	return append(append(words, "--client", c.Name), call.Flags()...)
}

// Flags returns the flags for the agent and the workspace of the call.
func (c HookCall) Flags() (flags []string) {
	if c.Agent != "" {
		flags = append(flags, "--agent", c.Agent)
	}
	if c.Workspace != "" {
		flags = append(flags, "--workspace", c.Workspace)
	}
	return flags
}

// ParseHookCommand parses the command line of a hook. It is ok only if [Client.HookCommand] would write exactly this line.
func (c Client) ParseHookCommand(h Hook, line string) (call HookCall, ok bool) {
	all, ok := splitWords(line)
	if !ok {
		return call, false
	}
	call = HookCall{Program: all[0], Agent: shell.FlagValue(all, "--agent"), Workspace: shell.FlagValue(all, "--workspace")}
	return call, line == c.HookCommand(h, call)
}

// BeginsAsHookLine reports whether a command line begins like one of our hooks: with handoff by any path, or with one
// of the given programs. The line may go on with other commands. Therefore setup changes or removes a line only if
// [IsHookLine] accepts the whole line.
func BeginsAsHookLine(line string, programs ...string) bool {
	program, rest, _ := cutProgram(line)
	rest = strings.TrimLeft(rest, " \t")
	return isOurProgram(program, programs) && (strings.HasPrefix(rest, "hook ") || strings.HasPrefix(rest, "wait --hook"))
}

// IsHookLine reports whether [Client.HookCommand] writes this command line, or wrote it in an earlier version. The program
// of the line is handoff by any path, or one of the given programs. A line that also runs another command belongs to
// another author.
func IsHookLine(line string, programs ...string) bool {
	all, ok := splitWords(line)
	if !ok || len(all) < 3 || !isOurProgram(all[0], programs) {
		return false
	}
	if all[1] != "hook" && (all[1] != "wait" || all[2] != "--hook") || all[1] == "hook" && !isEventWord(all[2]) {
		return false
	}
	rest := all[3:]
	for _, flag := range []string{"--client", "--agent", "--workspace"} {
		if len(rest) >= 2 && rest[0] == flag {
			rest = rest[2:]
		}
	}
	return len(rest) == 0
}

func isOurProgram(program string, programs []string) bool {
	return IsHandoffCommand(program) || program != "" && slices.Contains(programs, program)
}

// isEventWord reports whether a word may be an event, now or in an earlier version.
func isEventWord(word string) bool {
	return strings.Trim(word, "abcdefghijklmnopqrstuvwxyz-") == "" && !strings.HasPrefix(word, "-") && word != ""
}
