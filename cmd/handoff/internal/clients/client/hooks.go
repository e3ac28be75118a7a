package client

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"handoff/cmd/handoff/internal/shell"
)

// An Event is what happened in a session, in the words of handoff. Each client has its own word for it.
type Event string

// The events.
const (
	SessionStart Event = "session-start"
	Prompt       Event = "prompt"
	Tool         Event = "tool"
	Stop         Event = "stop"
	SubagentStop Event = "subagent-stop"
	SessionEnd   Event = "session-end"
	Compact      Event = "compact" // is about to happen
)

// Events lists them in the order of a session.
var Events = []Event{SessionStart, Prompt, Tool, Stop, SubagentStop, SessionEnd, Compact}

// Hooks are the commands that a client runs when something happens in a session.
type Hooks struct {
	Files
	Unit time.Duration // of timeouts
	Name string        // which the client wants of each command; empty: none
	Next string        // what a person types so that it runs them, in one line; empty: nothing
	On   []Hook

	// Flat says that the client reads what a hook adds at the top of its answer. Others read it in hookSpecificOutput.
	Flat bool

	// Bare says that the shell of the client on Windows is cmd or PowerShell, which want the path of a program without
	// quotes: see [Hooks.Runs]. Others have a bash.
	Bare bool

	// Shows tells whether a report can only be the client's. Nil: its reports look like those of others.
	Shows func(Report) bool

	// Queue gives the arguments of the client's command that begins a turn in a session with a message. A client that
	// has it waits for each of its hooks to end, so that a wait for mail goes on in the background. Nil: the client
	// runs the wait in the background itself, and its status wakes the session.
	Queue func(session, message string) []string
}

// A Report is what a client tells a hook, as far as that shows which client it is.
type Report struct {
	At         string // what the client calls the event
	Turn       string // the id of the turn
	Transcript string // the path of the transcript
}

// Reporting gives the client that a report can only be of.
func Reporting(r Report) (Client, bool) {
	for _, c := range All() {
		if c.Hooks != nil && c.Hooks.Shows != nil && c.Hooks.Shows(r) {
			return c, true
		}
	}
	return Client{}, false
}

// A Hook is a command of ours on one event of a client.
type Hook struct {
	Event   Event         // as handoff hook is told; empty: the command is handoff wait --hook
	At      string        // what the client calls the event
	Timeout time.Duration // after which the client gives up
	Wake    bool          // only where a sleeping session is to be woken
	Extra   Object        // what else the client must be told of the command
}

// A Call is how hooks run handoff.
type Call struct {
	Program   string // as the client finds it
	Agent     string // acts under this name; empty: that of the session
	Workspace string // looks into this one; empty: that of the project
	Wake      bool   // also wakes sleeping sessions
}

// Calling gives the word of a client for an event. For a client without hooks it gives the word that most clients
// use.
func (c Client) Calling(e Event) string {
	if c.Hooks == nil {
		c = codex()
	}
	for _, h := range c.Hooks.On {
		if h.Event == e {
			return h.At
		}
	}
	return ""
}

// Groups gives our hooks in the form of a client's file: for each event of the client the groups of commands.
func (c Client) Groups(call Call) Object {
	var events Object
	if c.Hooks == nil {
		return events
	}
	for _, h := range c.Hooks.On {
		if h.Wake && !call.Wake {
			continue
		}
		group := Object{{"hooks", []any{c.handler(h, call)}}}
		i := slices.IndexFunc(events, func(f Field) bool { return f.Key == h.At })
		if i < 0 {
			events = append(events, Field{h.At, []any{group}})
			continue
		}
		events[i].Value = append(events[i].Value.([]any), group)
	}
	return events
}

// handler is one command in the form of the client's file.
func (c Client) handler(h Hook, call Call) Object {
	o := append(Object{}.with("name", c.Hooks.Name), Field{"type", "command"}, Field{"command", c.Command(h, call)})
	return append(o.with("timeout", int(h.Timeout/c.Hooks.Unit)), h.Extra...)
}

// Command gives the command line of a hook, for the shell of the client.
func (c Client) Command(h Hook, call Call) string {
	words := c.Words(h, call)
	program := shell.Quote(words[0])
	switch {
	case !isOfWindows(words[0]):
	case c.Hooks.Bare:
		program = words[0]
	default:
		program = "'" + strings.ReplaceAll(words[0], "'", `'\''`) + "'"
	}
	return program + " " + shell.Line(words[1:])
}

// Runs tells whether the shell of the client starts a program of this path, as [Client.Command] writes it.
func (h Hooks) Runs(program string) bool { return !h.Bare || !isOfWindows(program) || isPlain(program) }

// isPlain tells a path that shells read as one word without quotes, and in which they see no sign of theirs.
func isPlain(path string) bool {
	return !strings.ContainsFunc(path, func(r rune) bool {
		isWord := unicode.IsLetter(r) || '0' <= r && r <= '9'
		return !isWord && !strings.ContainsRune(`_.:\/~@+-`, r)
	})
}

// isOfWindows tells an absolute path of Windows.
func isOfWindows(path string) bool { return len(path) > 2 && path[1] == ':' && path[2] == '\\' }

// cutProgram gives the program of a command line, and what follows. A path of Windows without quotes is a program only
// if it is plain: with a sign of the shell the line runs something else, too.
func cutProgram(line string) (program, rest string, ok bool) {
	if !isOfWindows(line) {
		return shell.CutWord(line)
	}
	if program, rest, _ = strings.Cut(line, " "); isPlain(program) {
		return program, rest, true
	}
	return "", line, false
}

// words reads the line of a hook.
func words(line string) (all []string, ok bool) {
	program, rest, ok := cutProgram(strings.TrimLeft(line, " \t"))
	all, okRest := shell.Words(rest)
	return append([]string{program}, all...), ok && okRest && program != ""
}

// Words gives the program of a hook and its arguments.
func (c Client) Words(h Hook, call Call) []string {
	words := []string{call.Program, "hook", string(h.Event)}
	if h.Event == "" {
		words = []string{call.Program, "wait", "--hook"}
	}
	return append(append(words, "--client", c.Name), call.Flags()...)
}

// Flags are those with which handoff acts as the call says.
func (c Call) Flags() (flags []string) {
	if c.Agent != "" {
		flags = append(flags, "--agent", c.Agent)
	}
	if c.Workspace != "" {
		flags = append(flags, "--workspace", c.Workspace)
	}
	return flags
}

// Reads tells how a command line calls handoff. It is ok only if the line is, to the letter, what [Client.Command]
// makes of the hook.
func (c Client) Reads(h Hook, line string) (call Call, ok bool) {
	all, ok := words(line)
	if !ok {
		return call, false
	}
	call = Call{Program: all[0], Agent: shell.Argument(all, "--agent"), Workspace: shell.Argument(all, "--workspace")}
	return call, line == c.Command(h, call)
}

// BeginsAsHookLine tells whether a command line begins as that of a hook of ours, with handoff by any path or with
// one of these programs. The line may do something besides, so that setup changes or removes only an [IsHookLine].
func BeginsAsHookLine(line string, programs ...string) bool {
	program, rest, _ := cutProgram(line)
	rest = strings.TrimLeft(rest, " \t")
	return isOurs(program, programs) && (strings.HasPrefix(rest, "hook ") || strings.HasPrefix(rest, "wait --hook"))
}

// IsHookLine tells whether a command line is one that [Client.Command] makes of a hook, or made in an earlier
// version, with handoff by any path or with one of these programs. A line that does anything besides is somebody
// else's.
func IsHookLine(line string, programs ...string) bool {
	all, ok := words(line)
	if !ok || len(all) < 3 || !isOurs(all[0], programs) {
		return false
	}
	if all[1] != "hook" && (all[1] != "wait" || all[2] != "--hook") || all[1] == "hook" && !isEvent(all[2]) {
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

func isOurs(program string, programs []string) bool {
	return IsHandoff(program) || program != "" && slices.Contains(programs, program)
}

// isEvent tells a word that may be an event, or was one in an earlier version.
func isEvent(word string) bool {
	return strings.Trim(word, "abcdefghijklmnopqrstuvwxyz-") == "" && !strings.HasPrefix(word, "-") && word != ""
}
