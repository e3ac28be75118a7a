package mailboxtest

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// Human is a person at a terminal.
var Human = schemas.Caller{Agent: schemas.Human, Via: schemas.ViaCLI, Proof: "terminal"}

// NewWithAgent opens a workspace with one agent, which has an open connection.
func NewWithAgent(t testing.TB, name schemas.Agent) (w *World, by schemas.Caller) {
	w = New(t)
	return w, w.Stdio(name)
}

// NewWithTwoAgents opens a workspace with two agents.
func NewWithTwoAgents(t testing.TB, a, b schemas.Agent) (w *World, first, second schemas.Caller) {
	w = New(t)
	return w, w.Stdio(a), w.Stdio(b)
}

// NewWithThreeAgents opens a workspace with three agents.
func NewWithThreeAgents(t testing.TB, a, b, c schemas.Agent) (w *World, first, second, third schemas.Caller) {
	w = New(t)
	return w, w.Stdio(a), w.Stdio(b), w.Stdio(c)
}

// RunOnEachStore runs a test in a workspace on each kind of store.
func RunOnEachStore(t *testing.T, test func(*testing.T, *World)) {
	for name, open := range Backends {
		t.Run(name, func(t *testing.T) { test(t, New(t, InBackend(open(t)))) })
	}
}

// RunInBubble runs a test in a workspace with a running clock, inside a bubble of testing/synctest.
func RunInBubble(t *testing.T, test func(*testing.T, *World)) {
	synctest.Test(t, func(t *testing.T) { test(t, New(t, LiveClock)) })
}

// Stdio returns an agent on an open connection of its own.
func (w *World) Stdio(name schemas.Agent) schemas.Caller {
	by := schemas.Caller{Agent: name, AgentID: string(name) + "-1", Via: schemas.ViaStdio, Conn: "conn-" + string(name)}
	Must(w.T, w.Attach, by, schemas.ConnIn{Conn: by.Conn})
	return by
}

// OpensConnection opens a connection of a Claude Code session and returns the session as a caller, with the name that
// the server gave it. If session is "-", the client reports no session id.
func (w *World) OpensConnection(conn, session string) schemas.Caller {
	w.T.Helper()
	return w.OpensConnectionFrom(schemas.ConnIn{}, conn, session)
}

// OpensConnectionFrom does the same as [World.OpensConnection] and also reports the client's process.
func (w *World) OpensConnectionFrom(process schemas.ConnIn, conn, session string) schemas.Caller {
	w.T.Helper()
	by := schemas.Caller{AgentID: session, Via: schemas.ViaStdio, Conn: conn}
	if session == "-" {
		by.AgentID = conn
	}
	process.Conn, process.Client = conn, "claude-code"
	by.Agent = Must(w.T, w.Attach, by, process).Agent
	return by
}

// RemoteCaller returns an agent that calls over HTTP and has no connection.
func RemoteCaller(name schemas.Agent, instance string) schemas.Caller {
	return schemas.Caller{Agent: name, AgentID: instance, Via: schemas.ViaHTTP}
}

// OtherSession opens another session under the name of an agent.
func (w *World) OtherSession(by schemas.Caller, conn string) schemas.Caller {
	by.AgentID, by.Conn = conn, conn
	Must(w.T, w.Attach, by, schemas.ConnIn{Conn: conn})
	return by
}

// Leaves ends the connection of an agent.
func (w *World) Leaves(by schemas.Caller) schemas.ConnOut {
	w.T.Helper()
	return Must(w.T, w.Detach, by, schemas.ConnIn{Conn: by.Conn})
}

// Accepts registers agents that take one kind of work.
func (w *World) Accepts(kind string, agents ...schemas.Caller) {
	w.T.Helper()
	for _, by := range agents {
		Must(w.T, w.Register, by, schemas.RegisterIn{Name: string(by.Agent), Accepts: []string{kind}})
	}
}

// SettleTime is how long a new service presumes that earlier connections are open.
const SettleTime = 5 * time.Second

// PassBackoff moves the clock forward by the time for which no agent may claim a handoff after its first failed
// attempt.
func (w *World) PassBackoff() { w.Pass(10 * time.Second) }

// Sends sends a handoff and requires success. The changes are applied to the input of the call.
func (w *World) Sends(by schemas.Caller, to, task string, changes ...func(*schemas.SendIn)) schemas.SendOut {
	w.T.Helper()
	return Must(w.T, w.Send, by, withChanges(schemas.SendIn{To: to, Task: task}, changes))
}

// Claims claims the next handoff of an agent.
func (w *World) Claims(by schemas.Caller) schemas.ClaimOut {
	w.T.Helper()
	return Must(w.T, w.Claim, by, schemas.ClaimIn{})
}

// ClaimsID claims a handoff.
func (w *World) ClaimsID(by schemas.Caller, id schemas.ID) schemas.ClaimOut {
	w.T.Helper()
	return Must(w.T, w.Claim, by, schemas.ClaimIn{HandoffID: id.String()})
}

// Assigns sends work to another agent, which claims its next handoff.
func (w *World) Assigns(by, to schemas.Caller, task string, changes ...func(*schemas.SendIn)) schemas.ClaimOut {
	w.T.Helper()
	w.Sends(by, string(to.Agent), task, changes...)
	return w.Claims(to)
}

// Completes completes a handoff and requires success.
func (w *World) Completes(by schemas.Caller, id schemas.ID, changes ...func(*schemas.CompleteIn)) schemas.CompleteOut {
	w.T.Helper()
	in := schemas.CompleteIn{HandoffID: id.String(), Result: schemas.Result{Summary: "done"}}
	return Must(w.T, w.Complete, by, withChanges(in, changes))
}

// Fails reports a failure and requires success.
func (w *World) Fails(by schemas.Caller, in schemas.FailIn) schemas.FailOut {
	w.T.Helper()
	return Must(w.T, w.Fail, by, in)
}

// Updates makes an update and requires success.
func (w *World) Updates(by schemas.Caller, id schemas.ID, a schemas.Action, changes ...func(*schemas.UpdateIn)) schemas.UpdateOut {
	w.T.Helper()
	return Must(w.T, w.Update, by, withChanges(schemas.UpdateIn{HandoffID: id.String(), Action: a}, changes))
}

// TryUpdate makes an update that may be refused.
func (w *World) TryUpdate(
	by schemas.Caller, id schemas.ID, a schemas.Action, changes ...func(*schemas.UpdateIn),
) (schemas.UpdateOut, error) {
	return w.Update(context.Background(), by, withChanges(schemas.UpdateIn{HandoffID: id.String(), Action: a}, changes))
}

// RefusesUpdate makes an update and requires an error with a code and with the text want.
func (w *World) RefusesUpdate(
	by schemas.Caller, id schemas.ID, a schemas.Action, code schemas.Code, want string, changes ...func(*schemas.UpdateIn),
) *schemas.Error {
	w.T.Helper()
	return RequireRefusal(w.T, w.Update, by, withChanges(schemas.UpdateIn{HandoffID: id.String(), Action: a}, changes), code, want)
}

// FullView returns the full view of a handoff.
func (w *World) FullView(id schemas.ID) schemas.GetOut {
	w.T.Helper()
	return Must(w.T, w.Get, Human, schemas.GetIn{HandoffID: id.String(), View: "full"})
}

// Status returns the current state of a handoff.
func (w *World) Status(id schemas.ID) schemas.Status { w.T.Helper(); return w.FullView(id).Status }

// Notices lists the notices of an agent, which marks them as read.
func (w *World) Notices(by schemas.Caller) []schemas.ListItem {
	w.T.Helper()
	return Must(w.T, w.List, by, schemas.ListIn{Box: "notices"}).Items
}

// Events returns all events of the registry.
func (w *World) Events() []schemas.Event {
	w.T.Helper()
	all, err := store.ReadSnapshot(context.Background(), w.Store, func(v *store.View) ([]schemas.Event, error) {
		return reading.Collect(v.EventsAfter(0))
	})
	require.NoError(w.T, err)
	return all
}

// EventActions returns the actions of the events about a handoff, oldest first.
func (w *World) EventActions(id schemas.ID) (all []string) {
	w.T.Helper()
	for _, e := range w.Events() {
		if e.Handoff == id {
			all = append(all, e.Action)
		}
	}
	return all
}

// CountPending returns how many handoffs are pending in a mailbox.
func (w *World) CountPending(box schemas.Address) int {
	w.T.Helper()
	m, err := store.ReadSnapshot(context.Background(), w.Store, func(v *store.View) (store.Counters, error) { return v.Counters(box) })
	require.NoError(w.T, err)
	return m.Pending
}

// NoticeKinds returns the kinds of an agent's notices about one handoff, newest first.
func (w *World) NoticeKinds(by schemas.Caller, about schemas.ID) (kinds []string) {
	w.T.Helper()
	for _, n := range w.Notices(by) {
		if n.HandoffID == about {
			kinds = append(kinds, n.Kind)
		}
	}
	return kinds
}

// Must calls the service and requires success.
func Must[In, Out any](
	t testing.TB, call func(context.Context, schemas.Caller, In) (Out, error), by schemas.Caller, in In,
) Out {
	t.Helper()
	out, err := call(context.Background(), by, in)
	require.NoError(t, err)
	return out
}

// RequireRefusal calls the service and requires an error with a code and with the text want.
func RequireRefusal[In, Out any](
	t testing.TB, call func(context.Context, schemas.Caller, In) (Out, error), by schemas.Caller, in In,
	code schemas.Code, want string,
) *schemas.Error {
	t.Helper()
	_, err := call(context.Background(), by, in)
	return RequireError(t, err, code, want)
}

// RequireError requires that err has the code, and that its message, hint or next calls contain want.
func RequireError(t testing.TB, err error, code schemas.Code, want string) *schemas.Error {
	t.Helper()
	require.Error(t, err)
	e := schemas.AsError(err)
	require.Equal(t, code, e.Code, "%v", e)
	require.Contains(t, e.Message+" "+e.Hint+" "+schemas.RenderAdvice(e.Next), want)
	return e
}

// FailureBecause returns a failure with only a description.
func FailureBecause(description string) schemas.FailureDetail {
	return schemas.FailureDetail{Description: description}
}

// Message makes a send a message.
func Message(in *schemas.SendIn) { in.Type = schemas.TypeMessage }

// NeedsApproval makes a send wait for the approval of a person.
func NeedsApproval(in *schemas.SendIn) {
	in.Options = &schemas.SendOptions{Terms: schemas.Terms{NeedsApproval: true}}
}

// NoParent makes a send the first of a workflow, even if its sender holds a handoff.
func NoParent(in *schemas.SendIn) { in.Parent = "none" }

// After makes a send depend on other handoffs.
func After(ids ...string) func(*schemas.SendIn) {
	return func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{After: ids} }
}

// WithChanges adds changes of the handoff to an update.
func WithChanges(c schemas.Changes) func(*schemas.UpdateIn) {
	return func(in *schemas.UpdateIn) { in.Changes = &c }
}

// WithQuestions adds questions to an update.
func WithQuestions(questions ...string) func(*schemas.UpdateIn) {
	return func(in *schemas.UpdateIn) { in.Questions = questions }
}

// WithNote adds a note to an update.
func WithNote(text string) func(*schemas.UpdateIn) {
	return func(in *schemas.UpdateIn) { in.Note = text }
}

func withChanges[In any](in In, changes []func(*In)) In {
	for _, change := range changes {
		change(&in)
	}
	return in
}
