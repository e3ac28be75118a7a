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

// With opens a workspace with an agent on a connection of its own.
func With(t testing.TB, name schemas.Agent) (w *World, by schemas.Caller) {
	w = New(t)
	return w, w.Stdio(name)
}

// Pair is [With] for two agents.
func Pair(t testing.TB, a, b schemas.Agent) (w *World, first, second schemas.Caller) {
	w = New(t)
	return w, w.Stdio(a), w.Stdio(b)
}

// Trio is [With] for three agents.
func Trio(t testing.TB, a, b, c schemas.Agent) (w *World, first, second, third schemas.Caller) {
	w = New(t)
	return w, w.Stdio(a), w.Stdio(b), w.Stdio(c)
}

// OnEach runs a test in a workspace on each kind of store.
func OnEach(t *testing.T, test func(*testing.T, *World)) {
	for name, open := range Backends {
		t.Run(name, func(t *testing.T) { test(t, New(t, On(open(t)))) })
	}
}

// InBubble runs a test in a workspace whose clock goes on.
func InBubble(t *testing.T, test func(*testing.T, *World)) {
	synctest.Test(t, func(t *testing.T) { test(t, New(t, LiveClock)) })
}

// Stdio is an agent on a connection of its own, which is open.
func (w *World) Stdio(name schemas.Agent) schemas.Caller {
	by := schemas.Caller{Agent: name, AgentID: string(name) + "-1", Via: schemas.ViaStdio, Conn: "conn-" + string(name)}
	Must(w.T, w.Attach, by, schemas.ConnIn{Conn: by.Conn})
	return by
}

// Opens opens a connection of a session of Claude Code, which is given a name. A session that cannot be told is "-".
func (w *World) Opens(conn, session string) schemas.Caller {
	w.T.Helper()
	return w.OpensFrom(schemas.ConnIn{}, conn, session)
}

// OpensFrom is [World.Opens] from a process of which something is known.
func (w *World) OpensFrom(process schemas.ConnIn, conn, session string) schemas.Caller {
	w.T.Helper()
	by := schemas.Caller{AgentID: session, Via: schemas.ViaStdio, Conn: conn}
	if session == "-" {
		by.AgentID = conn
	}
	process.Conn, process.Client = conn, "claude-code"
	by.Agent = Must(w.T, w.Attach, by, process).Agent
	return by
}

// Remote is an instance of an agent without a connection that shows when it leaves.
func Remote(name schemas.Agent, instance string) schemas.Caller {
	return schemas.Caller{Agent: name, AgentID: instance, Via: schemas.ViaHTTP}
}

// OtherSession is another session under the name of an agent.
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

// SettleTime is after how long a service knows which connections are open.
const SettleTime = 5 * time.Second

// PassBackoff lets the time pass for which work rests after its first attempt.
func (w *World) PassBackoff() { w.Pass(10 * time.Second) }

// Sends makes a send that is not refused. The changes are applied to its input, here as in the methods below.
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

// Assigns sends work to another, who claims the next.
func (w *World) Assigns(by, to schemas.Caller, task string, changes ...func(*schemas.SendIn)) schemas.ClaimOut {
	w.T.Helper()
	w.Sends(by, string(to.Agent), task, changes...)
	return w.Claims(to)
}

// Completes makes a completion that is not refused.
func (w *World) Completes(by schemas.Caller, id schemas.ID, changes ...func(*schemas.CompleteIn)) schemas.CompleteOut {
	w.T.Helper()
	in := schemas.CompleteIn{HandoffID: id.String(), Result: schemas.Result{Summary: "done"}}
	return Must(w.T, w.Complete, by, withChanges(in, changes))
}

// Fails reports a failure, which is not refused.
func (w *World) Fails(by schemas.Caller, in schemas.FailIn) schemas.FailOut {
	w.T.Helper()
	return Must(w.T, w.Fail, by, in)
}

// Updates makes a step that is not refused.
func (w *World) Updates(by schemas.Caller, id schemas.ID, a schemas.Action, changes ...func(*schemas.UpdateIn)) schemas.UpdateOut {
	w.T.Helper()
	return Must(w.T, w.Update, by, withChanges(schemas.UpdateIn{HandoffID: id.String(), Action: a}, changes))
}

// TryUpdate makes a step that may be refused.
func (w *World) TryUpdate(
	by schemas.Caller, id schemas.ID, a schemas.Action, changes ...func(*schemas.UpdateIn),
) (schemas.UpdateOut, error) {
	return w.Update(context.Background(), by, withChanges(schemas.UpdateIn{HandoffID: id.String(), Action: a}, changes))
}

// Refuses makes a step that is refused with a code, and with an error that speaks of want.
func (w *World) Refuses(
	by schemas.Caller, id schemas.ID, a schemas.Action, code schemas.Code, want string, changes ...func(*schemas.UpdateIn),
) *schemas.Error {
	w.T.Helper()
	return Refuses(w.T, w.Update, by, withChanges(schemas.UpdateIn{HandoffID: id.String(), Action: a}, changes), code, want)
}

// Full is all that is kept of a handoff.
func (w *World) Full(id schemas.ID) schemas.GetOut {
	w.T.Helper()
	return Must(w.T, w.Get, Human, schemas.GetIn{HandoffID: id.String(), View: "full"})
}

// Status is that of a handoff now.
func (w *World) Status(id schemas.ID) schemas.Status { w.T.Helper(); return w.Full(id).Status }

// Notices are those of an agent, which counts as reading them.
func (w *World) Notices(by schemas.Caller) []schemas.Item {
	w.T.Helper()
	return Must(w.T, w.List, by, schemas.ListIn{Box: "notices"}).Items
}

// Events are all that the registry has.
func (w *World) Events() []schemas.Event {
	w.T.Helper()
	all, err := store.ReadSnapshot(context.Background(), w.Store, func(v *store.View) ([]schemas.Event, error) {
		return reading.Collect(v.EventsAfter(0))
	})
	require.NoError(w.T, err)
	return all
}

// Actions are those of the events about a handoff, oldest first.
func (w *World) Actions(id schemas.ID) (all []string) {
	w.T.Helper()
	for _, e := range w.Events() {
		if e.Handoff == id {
			all = append(all, e.Action)
		}
	}
	return all
}

// Pending is how many handoffs wait in a mailbox.
func (w *World) Pending(box schemas.Address) int {
	w.T.Helper()
	m, err := store.ReadSnapshot(context.Background(), w.Store, func(v *store.View) (store.Mailbox, error) { return v.Mailbox(box) })
	require.NoError(w.T, err)
	return m.Pending
}

// Kinds are those of the notices of an agent about one handoff, newest first.
func (w *World) Kinds(by schemas.Caller, about schemas.ID) (kinds []string) {
	w.T.Helper()
	for _, n := range w.Notices(by) {
		if n.HandoffID == about {
			kinds = append(kinds, n.Kind)
		}
	}
	return kinds
}

// Must makes a call of the service that is not refused.
func Must[In, Out any](
	t testing.TB, call func(context.Context, schemas.Caller, In) (Out, error), by schemas.Caller, in In,
) Out {
	t.Helper()
	out, err := call(context.Background(), by, in)
	require.NoError(t, err)
	return out
}

// Refuses makes a call of the service that is refused with a code, and with an error that speaks of want.
func Refuses[In, Out any](
	t testing.TB, call func(context.Context, schemas.Caller, In) (Out, error), by schemas.Caller, in In,
	code schemas.Code, want string,
) *schemas.Error {
	t.Helper()
	_, err := call(context.Background(), by, in)
	return Refused(t, err, code, want)
}

// Refused checks that err has a code and speaks of want.
func Refused(t testing.TB, err error, code schemas.Code, want string) *schemas.Error {
	t.Helper()
	require.Error(t, err)
	e := schemas.AsError(err)
	require.Equal(t, code, e.Code, "%v", e)
	require.Contains(t, e.Message+" "+e.Hint+" "+schemas.Sentences(e.Next), want)
	return e
}

// Because is a failure of which only the description is given.
func Because(description string) schemas.FailureDetail {
	return schemas.FailureDetail{Description: description}
}

// Message makes a send a message.
func Message(in *schemas.SendIn) { in.Type = schemas.TypeMessage }

// NeedsApproval has a send wait for the approval of a person.
func NeedsApproval(in *schemas.SendIn) {
	in.Options = &schemas.SendOptions{Terms: schemas.Terms{NeedsApproval: true}}
}

// NoParent makes a send the first of a workflow, whatever its sender holds.
func NoParent(in *schemas.SendIn) { in.Parent = "none" }

// After has a send wait for other handoffs.
func After(ids ...string) func(*schemas.SendIn) {
	return func(in *schemas.SendIn) { in.Options = &schemas.SendOptions{After: ids} }
}

// Changing gives a step what it changes of a handoff.
func Changing(c schemas.Changes) func(*schemas.UpdateIn) {
	return func(in *schemas.UpdateIn) { in.Changes = &c }
}

// Asking gives a step questions.
func Asking(questions ...string) func(*schemas.UpdateIn) {
	return func(in *schemas.UpdateIn) { in.Questions = questions }
}

// Note gives a step a note.
func Note(text string) func(*schemas.UpdateIn) {
	return func(in *schemas.UpdateIn) { in.Note = text }
}

func withChanges[In any](in In, changes []func(*In)) In {
	for _, change := range changes {
		change(&in)
	}
	return in
}
