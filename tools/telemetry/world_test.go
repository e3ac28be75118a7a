package telemetry_test

import (
	"context"
	"encoding/json"
	"iter"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox"
	"handoff/mailbox/mailboxtest"
	"handoff/schemas"
	"handoff/schemas/sandbox"
	"handoff/store"
	"handoff/store/memory"
	"handoff/tools"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

// office is a workspace in memory, within a bubble whose clock moves only when all goroutines wait.
type office struct {
	*testing.T
	tools.LocalInvoker
}

func newOffice(t *testing.T) office {
	t.Helper()
	timed := store.NewTimedBackend(memory.New(), time.Now)
	measured := func(c *mailbox.Config) { c.Commits = timed.Commits }
	return office{T: t, LocalInvoker: tools.LocalInvoker{Mailbox: mailboxtest.New(t, mailboxtest.InBackend(timed), mailboxtest.LiveClock, measured).Service}}
}

// claimOne sends a handoff and claims it, which is one span: it was queued.
func (o office) claimOne() {
	callTool(o, o, newCaller("boss"), "send_handoff", `{"to":"qa","task":"x"}`)
	callTool(o, o, newCaller("qa"), "claim_handoff", `{}`)
}

// newCaller is an agent over HTTP, perhaps within a span of its own.
func newCaller(agent schemas.Agent, trace ...string) schemas.Caller {
	c := schemas.Caller{Agent: agent, Via: schemas.ViaHTTP}
	if len(trace) > 0 {
		c.Trace = trace[0]
	}
	return c
}

func callOf(by schemas.Caller, tool, args string) tools.Call {
	return tools.Call{Caller: by, Tool: tool, Args: json.RawMessage(args)}
}

// callTool calls a tool and reads its result.
func callTool(t testing.TB, inv tools.Invoker, by schemas.Caller, tool, args string) (out struct {
	HandoffID schemas.ID       `json:"handoff_id"`
	Workflow  schemas.Workflow `json:"workflow"`
	Token     string           `json:"claim_token"`
	Forwarded *schemas.SendOut `json:"forwarded"`
},
) {
	t.Helper()
	b, err := inv.Invoke(context.Background(), callOf(by, tool, args))
	require.NoError(t, err, "%s %s", tool, args)
	require.NoError(t, json.Unmarshal(b, &out))
	return out
}

// whileFollowing starts the followers of the registry, runs fn while they run, and ends them.
func whileFollowing(t *testing.T, follow func(context.Context), fn func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		follow(ctx)
	}()
	synctest.Wait()
	fn()
	synctest.Wait()
	cancel()
	<-done
}

// failingChanges is an Invoker that cannot be reached at first.
type failingChanges struct {
	tools.Invoker
	times int
}

func (f *failingChanges) Changes(ctx context.Context, after uint64) iter.Seq2[schemas.RegistryChange, error] {
	if f.times--; f.times >= 0 {
		return func(yield func(schemas.RegistryChange, error) bool) {
			yield(schemas.RegistryChange{}, schemas.Errorf(schemas.Unavailable, "not just now"))
		}
	}
	return f.Invoker.Changes(ctx, after)
}
