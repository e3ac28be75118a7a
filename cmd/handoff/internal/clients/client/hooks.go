package client

import (
	"slices"
	"strings"
	"unicode"

	"handoff/cmd/handoff/internal/shell"
)

// A SessionEvent is handoff's name for an event of a client session. Each client has its own name for the event.
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

// Wake stands in the place of an event for a hook that waits for mail in the background: handoff wait --hook. Only
// clients whose sleeping sessions are to be woken get it.
const Wake SessionEvent = "wake"

// Events lists the events in the order of a session.
var Events = []SessionEvent{SessionStart, Prompt, Tool, Stop, SubagentStop, SessionEnd, Compact}

// HookSettings describes the hooks of a client: commands that the client runs at events of a session.
type HookSettings struct {
	ConfigPaths
	Milliseconds bool   // the unit of timeouts in the client's file; otherwise it is seconds
	Name         string // the name that the client requires for each command; empty: none
	Next         string // the step of a person after which the client runs them, in one line; empty: none
	Commands     []Hook

	// Flat says that a hook prints the text for the model in a top-level field of its JSON. For other clients, the text
	// is inside of the object hookSpecificOutput.
	Flat bool

	// Bare says that on Windows the client runs hooks in cmd or PowerShell, where the path of a program must stand
	// without quotes: see [HookSettings.CanRun]. Other clients run hooks in bash.
	Bare bool

	// Identifies reports whether a report to a hook certainly comes from this client. It is nil if the client's reports
	// look like the reports of other clients.
	Identifies func(HookReport) bool

	// Queue returns the arguments of the client's command that sends a message to a session and so starts a turn. A
	// client with this command runs no hook in the background. Our hook therefore starts a background process that
	// waits for mail. Queue is nil if the client itself can run hooks in the background.
	Queue func(session, message string) []string
}

// A HookReport holds the fields of a client's report to a hook that help to recognise the client.
type HookReport struct {
	EventName  string // the client's word for the event
	Turn       string // the id of the turn
	Transcript string // the path of the transcript
}

// ReportingClient returns the client that sent a report. It returns false if several clients may have sent the report.
func ReportingClient(r HookReport) (Client, bool) {
	return First(func(c Client) bool { return c.Hooks != nil && c.Hooks.Identifies != nil && c.Hooks.Identifies(r) })
}

// A Hook is one of our commands, which a client runs at one event.
type Hook struct {
	Event     SessionEvent // for handoff hook, or [Wake]
	EventName string       // the client's word for the event
	Seconds   int          // after which the client gives up; our hooks end by themselves long before that
	Flag      string       // one more field of the command, which is true; empty: none
}

// A HookFile is a file of a client with at least one hook of ours, as [BeginsLikeHookLine] recognises it.
type HookFile struct {
	Path     string
	Handlers []HookHandler
}

// A HookHandler is one command of a client on an event.
type HookHandler struct {
	Event         string // the client's word for it
	Group, Number int    // of the group in the list of the event, and of the handler in the group; from 0
	Line          string // the shell command; empty if the handler has none
}

// A HookCall is how hooks run handoff.
type HookCall struct {
	Program   string // as the client finds it
	Agent     string // acts under this name; empty: the name of the session
	Workspace string // looks into this workspace; empty: the workspace of the project
	Wake      bool   // also wakes sleeping sessions
}

// EventName returns the client's own name for an event. For a client without hooks it returns the name that most
// clients use.
func (c Client) EventName(e SessionEvent) string {
	if c.Hooks == nil {
		c, _ = ByName("codex")
	}
	for _, h := range c.Hooks.Commands {
		if h.Event == e {
			return h.EventName
		}
	}
	return ""
}

// HookGroups returns our hooks in the form of the client's file: for each event a list of groups of commands.
func (c Client) HookGroups(call HookCall) Object {
	var events Object
	if c.Hooks == nil {
		return events
	}
	for _, h := range c.Hooks.Commands {
		if h.Event == Wake && !call.Wake {
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
	timeout := h.Seconds
	if c.Hooks.Milliseconds {
		timeout *= 1000
	}
	o := append(Object{}.withField("name", c.Hooks.Name), Field{"type", "command"}, Field{"command", c.HookCommand(h, call)})
	return o.withField("timeout", timeout).withField(h.Flag, h.Flag != "")
}

// HookCommand returns the command line of a hook, written for the shell in which the client runs hooks.
func (c Client) HookCommand(h Hook, call HookCall) string {
	words := []string{"hook", string(h.Event)}
	if h.Event == Wake {
		words = []string{"wait", "--hook"}
	}
	words = append(append(words, "--client", c.Name), call.Flags()...)
	program := shell.Quote(call.Program)
	switch {
	case !isWindowsPath(call.Program):
	case c.Hooks.Bare:
		program = call.Program
	default:
		program = "'" + strings.ReplaceAll(call.Program, "'", `'\''`) + "'"
	}
	return program + " " + shell.JoinWords(words)
}

// CanRun reports whether the client's shell can start a program at this path, as [Client.HookCommand] writes the path.
func (h HookSettings) CanRun(program string) bool {
	return !h.Bare || !isWindowsPath(program) || isPlainPath(program)
}

// isPlainPath reports whether a path has no special characters, so that every shell reads it as one word without
// quotes.
func isPlainPath(path string) bool {
	return !strings.ContainsFunc(path, func(r rune) bool {
		isWord := unicode.IsLetter(r) || '0' <= r && r <= '9'
		return !isWord && !strings.ContainsRune(`_.:\/~@+-`, r)
	})
}

// isWindowsPath reports whether a path is absolute on Windows.
func isWindowsPath(path string) bool { return len(path) > 2 && path[1] == ':' && path[2] == '\\' }

// cutProgram splits a command line into its program and the rest. It accepts a Windows path without quotes only if the
// path is plain. Otherwise a special character in the path could make the shell run a second command.
func cutProgram(line string) (program, rest string, ok bool) {
	if !isWindowsPath(line) {
		return shell.CutWord(line)
	}
	if program, rest, _ = strings.Cut(line, " "); isPlainPath(program) {
		return program, rest, true
	}
	return "", line, false
}

// Flags returns the command-line flags for the agent and the workspace of the call.
func (c HookCall) Flags() (flags []string) {
	if c.Agent != "" {
		flags = append(flags, "--agent", c.Agent)
	}
	if c.Workspace != "" {
		flags = append(flags, "--workspace", c.Workspace)
	}
	return flags
}

// BeginsLikeHookLine reports whether a command line begins with "handoff hook" or "handoff wait --hook". In place of
// "handoff" it accepts any path of handoff and each of the given programs. Other commands may follow in the line. So
// before setup changes or removes a line, it must ask [ParseHookLine].
func BeginsLikeHookLine(line string, programs ...string) bool {
	program, rest, _ := cutProgram(line)
	rest = strings.TrimLeft(rest, " \t")
	return isOurProgram(program, programs) && (strings.HasPrefix(rest, "hook ") || strings.HasPrefix(rest, "wait --hook"))
}

// ParseHookLine parses a command line that this or an earlier version of [Client.HookCommand] wrote. The program in the
// line must be handoff, with any path, or one of the given programs. Ok is false for a line that also runs another
// command, because another author wrote that line.
func ParseHookLine(line string, programs ...string) (call HookCall, ok bool) {
	program, arguments, ok := cutProgram(strings.TrimLeft(line, " \t"))
	words, okArguments := shell.SplitWords(arguments)
	if !ok || !okArguments || len(words) < 2 || !isOurProgram(program, programs) {
		return call, false
	}
	isHook := words[0] == "hook" && isEventWord(words[1]) || words[0] == "wait" && words[1] == "--hook"
	rest, values := words[2:], map[string]string{}
	for _, flag := range []string{"--client", "--agent", "--workspace"} {
		if len(rest) >= 2 && rest[0] == flag {
			values[flag], rest = rest[1], rest[2:]
		}
	}
	return HookCall{Program: program, Agent: values["--agent"], Workspace: values["--workspace"]}, isHook && len(rest) == 0
}

func isOurProgram(program string, programs []string) bool {
	return IsHandoffCommand(program) || program != "" && slices.Contains(programs, program)
}

// isEventWord reports whether a word is an event of this or of an earlier version.
func isEventWord(word string) bool {
	return strings.Trim(word, "abcdefghijklmnopqrstuvwxyz-") == "" && !strings.HasPrefix(word, "-") && word != ""
}
