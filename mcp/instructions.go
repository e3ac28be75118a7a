package mcp

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"handoff/schemas"
)

// MaxInstructions is the length up to which [Instructions] names other agents, in characters. Every session of every
// client pays tokens for the text. It is longer only with a warning, or if the caller has long names. Some clients cut
// it off after 2,000 characters, and others show only the first 247 until the model searches for tools.
const MaxInstructions = 900

// Instructions is the text of this server that the model of a client reads first. Some clients load tools only after a
// search, so the text contains the words that such a search needs.
type Instructions struct {
	Workspace string
	Warning   string // about the workspace
	Agent     schemas.Agent
	AgentID   string
	Others    []schemas.Card // all agents, including Agent
	Inbox     schemas.InboxCounts
}

// instructionsText is the text, with the mark {session} in the place of what is known about the session.
//
//go:embed instructions.txt
var instructionsText string

// String returns the text. It leaves out other agents that do not fit into MaxInstructions characters.
func (i Instructions) String() string {
	whatFor, theLoop, _ := strings.Cut(instructionsText, "{session}\n")
	head := whatFor + i.identityLine() +
		strings.TrimPrefix(oneLine(i.Warning, maxWarningLength)+"\n", "\n") + i.heldLine() + i.mailLine()
	room := MaxInstructions - utf8.RuneCountInString(head+theLoop)
	return head + i.othersLine(room) + theLoop
}

func (i Instructions) identityLine() string {
	where := ""
	if i.Workspace != "" {
		where = fmt.Sprintf(" in workspace %s", oneLine(i.Workspace, 64))
	}
	switch {
	case i.Agent == "":
		return fmt.Sprintf("You have no name here yet%s: pass \"agent\" with every call.\n", where)
	case i.AgentID == "":
		return fmt.Sprintf("You are %s%s.\n", i.Agent, where)
	default:
		return fmt.Sprintf("You are %s (%s)%s.\n", i.Agent, oneLine(i.AgentID, maxAgentID), where)
	}
}

func (i Instructions) mailLine() string {
	if i.Inbox.Pending+i.Inbox.Notices == 0 {
		return ""
	}
	return fmt.Sprintf("Waiting for you: %s (%d urgent), %s.\n",
		schemas.CountNoun(i.Inbox.Pending, "handoff"), i.Inbox.Urgent, schemas.CountNoun(i.Inbox.Notices, "unread notice"))
}

// heldLine counts the handoffs that this agent name holds. An earlier session claimed them.
func (i Instructions) heldLine() string {
	if i.Inbox.Held == 0 {
		return ""
	}
	return fmt.Sprintf("Unfinished under this name: %d; claim_handoff takes them up, or names them.\n", i.Inbox.Held)
}

// othersLine names the other agents in at most `room` characters, agents with a connection first.
func (i Instructions) othersLine(room int) string {
	cards := i.otherAgents()
	if len(cards) == 0 {
		return "Nobody else is here yet; until an agent registers, a handoff to a new name waits for it.\n"
	}
	const start, end, more = "Also here, by their own account: ", ".\n", "; and %d more, see list_agents"
	line, rest := fitCards(cards, introduceAgent, "; ", room-len(start)-len(end)-len(more))
	if line = start + line; rest > 0 {
		line += fmt.Sprintf(more, rest)
	}
	return line + end
}

// fitCards joins the texts of the first agents that fit into `room` characters. Rest is the number of the other agents.
func fitCards(cards []schemas.Card, introduce func(schemas.Card) string, between string, room int) (line string, rest int) {
	room -= 10 // digits of the rest
	var names []string
	for _, c := range cards {
		name := introduce(c)
		if room -= utf8.RuneCountInString(name) + len(between); room < 0 {
			break
		}
		names = append(names, name)
	}
	return strings.Join(names, between), len(cards) - len(names)
}

// otherAgents returns the other agents, live ones first.
func (i Instructions) otherAgents() []schemas.Card {
	cards := slices.DeleteFunc(slices.Clone(i.Others), func(c schemas.Card) bool { return c.Name == i.Agent })
	first := map[bool]int{true: -1}
	slices.SortFunc(cards, func(a, b schemas.Card) int {
		live, registered := cmp.Compare(first[a.Live], first[b.Live]), cmp.Compare(first[a.Registered], first[b.Registered])
		return cmp.Or(live, registered, cmp.Compare(a.Name, b.Name))
	})
	return cards
}

// introduceAgent returns the name of an agent with the types that it accepts: "qa (live, accepts review,
// test_failure_report)". It leaves out the agent's own sentences, because a model could take them for sentences of this
// server.
func introduceAgent(c schemas.Card) string {
	name := oneLine(string(c.Name), 64)
	var about []string
	if c.Live {
		about = append(about, "live")
	}
	if len(c.Accepts) > 0 {
		accepts := schemas.Map(c.Accepts[:min(3, len(c.Accepts))], func(a string) string { return oneLine(a, 32) })
		about = append(about, "accepts "+strings.Join(accepts, ", "))
	}
	if len(about) == 0 {
		return name
	}
	return fmt.Sprintf("%s (%s)", name, strings.Join(about, ", "))
}

const (
	// announceTimeout is the time that the first response to a client waits for the name of the agent.
	announceTimeout = 2 * time.Second

	// collectTimeout is the time that a response waits for the list of agents.
	collectTimeout = 250 * time.Millisecond
)

func (s *Server) onInitialize(ctx context.Context, _ any, _ *sdk.InitializeRequest, out *sdk.InitializeResult) {
	out.Instructions = s.instructions(ctx, s.callerWithin(ctx, nil, announceTimeout))
	out.Capabilities.Extensions = nil // since revision 2026-07-28
}

func (s *Server) onDiscover(ctx context.Context, _ any, r *sdk.DiscoverRequest, out *sdk.DiscoverResult) {
	by := s.callerWithin(context.WithoutCancel(ctx), r.Params.Meta, announceTimeout)
	out.Instructions = s.instructions(ctx, by)
	if declaresTasks(server.RequestProtocolInfoFromContext(ctx)) {
		out.Instructions += taskInstructions
	}
	if len(by.Names) > 0 {
		out.EnsureResultMeta().AdditionalFields = map[string]any{agentsKey: by.Names}
	}
}

// taskInstructions is what the model of a client reads in addition if its calls that wait are tasks.
const taskInstructions = "A call with wait_seconds goes on in the background, however long it takes: call it once and end your turn. Do not poll; the answer wakes you.\n"

// waitAdvice matches the end of an advice to wait in a result, behind its sentence.
var waitAdvice = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`","tool":"\w+","args":{[^{}]*"wait_seconds":`)
})

// adviseOneWait completes the advice to wait for a client that takes tasks: its model waits once, and ends its turn.
func adviseOneWait(result json.RawMessage) json.RawMessage {
	return waitAdvice().ReplaceAll(result, []byte("; call it once and end your turn: the answer wakes you$0"))
}

// agentsKey is the field of _meta that lists the agents of the caller's token. handoff setup gives each client one of
// them. Without a token there is no such field.
const agentsKey = "handoff/agents"

// instructions returns the text for a caller. If the mailbox does not answer, the text still says how to use the
// server.
func (s *Server) instructions(ctx context.Context, by schemas.Caller) string {
	i := s.collectInstructions(ctx, by)
	if by.AgentID != by.Conn && by.Via != schemas.ViaHTTP { // otherwise the id says nothing
		i.AgentID = by.AgentID
	}
	return i.String()
}

// collectInstructions asks the mailbox once for the agents and the inbox of the caller.
func (s *Server) collectInstructions(ctx context.Context, by schemas.Caller) Instructions {
	ctx, cancel := context.WithTimeout(ctx, collectTimeout)
	defer cancel()
	seen, _ := callAndDecode[struct {
		schemas.AgentsOut
		Inbox schemas.InboxCounts `json:"inbox"`
	}](ctx, s, by, "list_agents", callArguments{"limit": 200})
	name, warning := s.config.Workspace()
	if s.lacksProject(ctx) {
		warning = "" // the first tool call asks the client for the project
	}
	return Instructions{Workspace: name, Warning: warning, Agent: by.Agent, Others: seen.Agents, Inbox: seen.Inbox}
}

// maxWarningLength is the longest warning about the workspace, in characters.
const maxWarningLength = 600

// maxGreetingLength is the longest greeting, in characters.
const maxGreetingLength = 200

// addGreeting adds a greeting to the first result of a connection, because not every client shows the instructions to
// its model. A call in the name of a subagent gets no greeting. If the mailbox has not yet confirmed the name of the
// caller, the next call gets the greeting.
func (s *Server) addGreeting(ctx context.Context, by schemas.Caller, args, result json.RawMessage) json.RawMessage {
	c := sessionOf(ctx)
	_, warning := s.config.Workspace()
	if told, _ := c.warned.Swap(warning).(string); warning != "" && warning != told {
		result, _ = prependAdvice(warning, result)
	}
	if c.greeted.Load() || by.Agent == "" || agentInArguments(args) != "" || !c.naming.isConfirmed(by.Agent) {
		return result // the case of all calls but the first
	}
	if !c.greeted.CompareAndSwap(false, true) {
		return result
	}
	greeted, ok := prependAdvice(s.collectInstructions(ctx, by).greeting(), result)
	c.greeted.Store(ok)
	return greeted
}

// greeting returns one line, such as "You are claude-code-2; also here: claude-code (live), qa."
func (i Instructions) greeting() string {
	you := "You are " + string(i.Agent)
	cards := i.otherAgents()
	if len(cards) == 0 {
		return you + "; nobody else is here."
	}
	const also, more = "; also here: ", " and %d more."
	line, rest := fitCards(cards, nameAndPresence, ", ", maxGreetingLength-utf8.RuneCountInString(you+also+more))
	if rest > 0 {
		return you + also + line + fmt.Sprintf(more, rest)
	}
	return you + also + line + "."
}

func nameAndPresence(c schemas.Card) string {
	name := oneLine(string(c.Name), 64)
	if c.Live {
		name += " (live)"
	}
	return name
}

// prependAdvice puts a sentence before the other advice in a result. Advice is the last field of a result that has any.
// If prependAdvice cannot read the advice, it returns the result unchanged and false.
func prependAdvice(sentence string, result json.RawMessage) (_ json.RawMessage, ok bool) {
	has := struct {
		Next json.RawMessage `json:"next"`
	}{json.RawMessage("[]")}
	var after []schemas.Advice
	if json.Unmarshal(result, &has) != nil || json.Unmarshal(has.Next, &after) != nil {
		return result, false
	}
	next := encodeForModel(append([]schemas.Advice{{Say: sentence}}, after...))
	if rest, found := bytes.CutSuffix(result, fmt.Appendf(nil, `"next":%s}`, has.Next)); found {
		return fmt.Appendf(nil, `%s"next":%s}`, rest, next), true
	}
	if len(after) > 0 { // it is not the last field
		return result, false
	}
	rest := bytes.TrimSuffix(result, []byte("}"))
	if len(rest) > len("{") {
		rest = append(slices.Clip(rest), ',')
	}
	return fmt.Appendf(nil, `%s"next":%s}`, rest, next), true
}
