package auth_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/mcp/auth"
	"handoff/schemas"
	"handoff/tools"
)

// world is a workspace and the gate before it.
type world struct {
	*testing.T
	tools.LocalInvoker
	*auth.Gate
	space  *mailboxtest.World
	denied map[auth.RefusalReason]int
}

// passTime lets time pass after all requested documents were stored.
func (w *world) passTime(d time.Duration) {
	for isReadingKeys() {
		runtime.Gosched()
	}
	w.space.Pass(d)
}

// isReadingKeys reports whether the library is still reading keys. It gives the keys to waiting callers before it is
// done, and would also give them to the next caller.
func isReadingKeys() bool {
	all := make([]byte, 1<<20)
	return bytes.Contains(all[:runtime.Stack(all, true)], []byte("keysFromRemote.func1"))
}

// newWorld makes a workspace with a gate. set may change the configuration of the gate, for example add an issuer.
func newWorld(t *testing.T, set ...func(*world, *auth.Config)) *world {
	t.Helper()
	w := &world{T: t, space: mailboxtest.New(t), denied: map[auth.RefusalReason]int{}}
	w.LocalInvoker = tools.LocalInvoker{Mailbox: w.space.Service}
	c := auth.Config{
		Invoker:      w.LocalInvoker,
		NewRequestID: func() string { return w.space.NewID("r") },
		Now:          w.space.Now,
		Denied:       func(reason auth.RefusalReason) { w.denied[reason]++ },
	}
	for _, change := range set {
		change(w, &c)
	}
	w.Gate = auth.New(c)
	return w
}

// callTool calls a tool for administrators, as the command line does after a person typed yes.
func (w *world) callTool(tool string, in, out any) {
	w.Helper()
	args, err := json.Marshal(in)
	require.NoError(w, err)
	result, err := w.Invoke(w.Context(), tools.Call{Caller: schemas.Caller{Via: schemas.ViaCLI, Proof: "terminal"}, Tool: tool, Args: args})
	require.NoError(w, err)
	require.NoError(w, json.Unmarshal(result, out))
}

// addToken makes a token and returns its secret.
func (w *world) addToken(name string, seed byte, change ...func(*schemas.TokenAddIn)) string {
	w.Helper()
	secret := secretOf(seed)
	in := schemas.TokenAddIn{Name: name, Hash: auth.HashSecret(secret), Agents: []schemas.Agent{"planner", "qa"}}
	for _, f := range change {
		f(&in)
	}
	var out schemas.TokenAddOut
	w.callTool("token_add", in, &out)
	return secret
}

// Addresses at which requests arrive.
var (
	loopback = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4263}
	outside  = &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 4263}
)

// localRequest returns a request to this machine, with headers given as name and value in turn.
func localRequest(t *testing.T, headers ...string) *http.Request {
	t.Helper()
	return requestArrivingAt(t, loopback, headers...)
}

func requestArrivingAt(t *testing.T, at net.Addr, headers ...string) *http.Request {
	t.Helper()
	ctx := context.WithValue(t.Context(), http.LocalAddrContextKey, at)
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/mcp", nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	return r
}

// remoteRequest returns a request from another machine with a token.
func remoteRequest(t *testing.T, token string, headers ...string) *http.Request {
	t.Helper()
	return requestArrivingAt(t, outside, append([]string{"Authorization", "Bearer " + token}, headers...)...)
}

// requireRefused checks that a request is refused, with its reason and count. It returns the error for the caller.
func (w *world) requireRefused(r *http.Request, reason auth.RefusalReason, message string) *schemas.Error {
	w.Helper()
	before := w.denied[reason]
	_, err := w.Caller(r)
	e := schemas.AsError(err)
	require.NotNil(w, e, "let in")
	require.Contains(w, e.Message, message)
	require.Equal(w, before+1, w.denied[reason], w.denied)
	return e
}

// requireAccepted checks that a request is accepted, and returns its caller.
func (w *world) requireAccepted(r *http.Request) schemas.Caller {
	w.Helper()
	c, err := w.Caller(r)
	require.NoError(w, err)
	require.Equal(w, schemas.ViaHTTP, c.Via)
	require.Empty(w, c.Conn)
	return c
}
