package client

import (
	"slices"
	"strings"
	"time"

	"handoff/cmd/handoff/internal/news"
)

// Hooks are the commands that a client runs when something happens in a session.
type Hooks struct {
	Files
	Unit time.Duration // of timeouts
	Name string        // which the client wants of each command; empty: none
	On   []Hook
}

// A Hook is a command of ours on one event of a client.
type Hook struct {
	Event   news.Event    // as handoff hook is told; empty: the command is handoff wait --hook
	At      string        // what the client calls the event
	Matcher string        // of those events; empty: all of them
	Timeout time.Duration // after which the client gives up
	Wake    bool          // only where a sleeping session is to be woken
	Extra   Object        // what else the client must be told of the command
}

// A Call is how hooks run handoff.
type Call struct {
	Program string // as the client finds it
	Agent   string // acts under this name; empty: that of the session
	Wake    bool   // also wakes sleeping sessions
}

// Groups gives our hooks as a client's list of hooks has them: for each of its events the groups of commands.
func (c Client) Groups(call Call) Object {
	var events Object
	if c.Hooks == nil {
		return events
	}
	for _, h := range c.Hooks.On {
		if h.Wake && !call.Wake {
			continue
		}
		group := Object{}.with("matcher", h.Matcher)
		group = append(group, Field{"hooks", []any{c.handler(h, call)}})
		i := slices.IndexFunc(events, func(f Field) bool { return f.Key == h.At })
		if i < 0 {
			events = append(events, Field{h.At, []any{group}})
			continue
		}
		events[i].Value = append(events[i].Value.([]any), group)
	}
	return events
}

// handler is one command as the client's list has it.
func (c Client) handler(h Hook, call Call) Object {
	o := Object{}.with("name", c.Hooks.Name)
	o = append(o, Field{"type", "command"}, Field{"command", c.Command(h, call)})
	if h.Timeout > 0 {
		o = append(o, Field{"timeout", int(h.Timeout / c.Hooks.Unit)})
	}
	return append(o, h.Extra...)
}

// Command gives the command line of a hook, for a shell.
func (c Client) Command(h Hook, call Call) string {
	words := []string{Quoted(call.Program), "hook", string(h.Event)}
	if h.Event == "" {
		words = []string{Quoted(call.Program), "wait", "--hook"}
	}
	words = append(words, "--client", c.Name)
	if call.Agent != "" {
		words = append(words, "--agent", Quoted(call.Agent))
	}
	return strings.Join(words, " ")
}

// Ours tells whether a command line of a hook is one of ours, whichever path the program had.
func Ours(command string) bool {
	program, rest, _ := cutWord(command)
	program = strings.TrimSuffix(program[strings.LastIndexAny(program, `/\`)+1:], ".exe")
	return program == ServerName && (strings.HasPrefix(rest, "hook ") || strings.HasPrefix(rest, "wait --hook"))
}

// Quoted is a word as a shell takes it, and as it is where that needs nothing.
func Quoted(word string) string {
	plain := func(r rune) bool {
		return r > 0x7f || strings.ContainsRune("-_./+,:=@%", r) ||
			'0' <= r && r <= '9' || 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z'
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// cutWord gives the first word of a command line, without its quotes, and what follows.
func cutWord(line string) (word, rest string, ok bool) {
	if line != "" && (line[0] == '\'' || line[0] == '"') {
		if end := strings.IndexByte(line[1:], line[0]); end >= 0 {
			return line[1 : 1+end], strings.TrimLeft(line[2+end:], " "), true
		}
	}
	return strings.Cut(line, " ")
}
