package relay_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/mailbox"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/bolt"
	"handoff/tools"
	"handoff/tools/relay"
)

// A world is a workspace. Each relay in it stands for a process: file locks and sockets are between open files, not
// between processes, so one process can play several.
type world struct {
	t   *testing.T
	dir string
}

func newWorld(t *testing.T) world { return world{t, filepath.Join(t.TempDir(), "w")} }

func (w world) config() relay.Config {
	return relay.Config{
		Name: "w", Dir: w.dir, Stays: true, Now: time.Now,
		Open: w.openStore, Files: []string{filepath.Join(w.dir, "handoff.db")},
	}
}

// openStore opens a real store.
func (w world) openStore(ctx context.Context, _ bool) (relay.Store, error) {
	backend, err := bolt.Open(ctx, bolt.Config{Path: filepath.Join(w.dir, "handoff.db")})
	for errors.Is(err, store.ErrLocked) { // a process whose lock was removed has it locked
		backend, err = bolt.Open(ctx, bolt.Config{Path: filepath.Join(w.dir, "handoff.db")})
	}
	if err != nil {
		return nil, schemas.InternalError(err)
	}
	kept := store.New(backend)
	return openedStore{kept, tools.LocalInvoker{Mailbox: mailbox.New(mailbox.Config{
		Store: kept, Now: time.Now, NewID: func(prefix string) string { return prefix + "_" + rand.Text() },
	})}}, nil
}

type openedStore struct {
	kept *store.Store
	tools.LocalInvoker
}

func (o openedStore) Close() error { return o.kept.Close() }

// A process is a participant in a world.
type process struct {
	*relay.Relay
	t *testing.T
}

func (w world) process() process { return w.start(w.config()) }

// command starts a process that leaves the store to the next server.
func (w world) command() process {
	c := w.config()
	c.Stays = false
	return w.start(c)
}

func (w world) start(c relay.Config) process {
	w.t.Helper()
	r, err := relay.Open(w.t.Context(), c)
	require.NoError(w.t, err)
	w.t.Cleanup(func() { require.NoError(w.t, r.Close()) })
	return process{r, w.t}
}

// call makes a call that must succeed, and returns the result.
func (p process) call(agent schemas.Agent, tool, args string) result {
	p.t.Helper()
	out, err := p.try(p.t.Context(), agent, tool, args)
	require.NoError(p.t, err)
	return out
}

type result struct {
	HandoffID schemas.ID `json:"handoff_id"`
	Empty     bool
	Event     uint64
	Agents    []schemas.Card
	OK        bool
}

func (p process) try(ctx context.Context, agent schemas.Agent, tool, args string) (out result, err error) {
	raw, err := p.Invoke(ctx, tools.Call{
		ID:     tools.NewRequestID(time.Now(), rand.Reader),
		Caller: schemas.Caller{Agent: agent, Via: schemas.ViaStdio, Conn: "conn-" + string(agent)},
		Tool:   tool, Args: json.RawMessage(args),
	})
	if err != nil {
		return out, err
	}
	return out, json.Unmarshal(raw, &out)
}

func (p process) send(task string) schemas.ID {
	p.t.Helper()
	return p.call("dev", "send_handoff", `{"to": "qa", "task": "`+task+`"}`).HandoffID
}

func (p process) claim() schemas.ID {
	p.t.Helper()
	return p.call("qa", "claim_handoff", `{}`).HandoffID
}

func (w world) owner() int {
	n, ok := relay.ReadNote(w.dir)
	if !ok {
		return 0
	}
	return n.PID
}

var errBroken = schemas.Errorf(schemas.Internal, "the file is broken")

func requireCodedError(t *testing.T, err error) *schemas.Error {
	t.Helper()
	e, ok := errors.AsType[*schemas.Error](err)
	require.True(t, ok, "%v", err)
	return e
}
