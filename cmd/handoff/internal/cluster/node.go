// Package cluster lets processes of several machines share the workspaces of one PostgreSQL database. A process that
// joins is a node. Each workspace has one owner at a time, which is a node. The other nodes forward their calls about
// the workspace to its owner over HTTP.
//
// The nodes elect the owner with a row of the database, which has an epoch and the owner's address (election.go). A
// node that finds no living owner raises the epoch and becomes the owner. Each commit proves the owner's epoch to the
// database, which refuses the writes of an earlier owner. Therefore the database may restart, nodes may connect through
// a pooler, and a node that was paused loses the workspaces that other nodes took meanwhile.
//
// The election uses no advisory lock. A pooler in transaction mode breaks the lock, a restart of the database ends it,
// and a paused process would keep it for ever. A lock would not stop a write that is on its way, either. The election
// does not use LISTEN either, because a pooler breaks LISTEN, too. Instead, a call that finds no owner starts an
// election.
//
// A node has one lease for all its workspaces and renews it twice a second. If a node was killed, its connections to
// the database have ended. So the next call already makes another node the owner.
//
// A node does not verify the audit registry by itself. It would have to verify at each change of owner, when calls
// wait, and for each of perhaps a thousand workspaces.
package cluster

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"handoff/store"
	"handoff/store/postgres"
	"handoff/tools/relay"
)

// Config holds the settings of [Join]. Advertise and Stays are optional.
type Config struct {
	Store string // the database, as a URL

	// Advertise is the URL under which the other nodes reach [Node.ServeHTTP]. If it is empty, the node listens on a
	// port of the loopback interface as soon as it owns a workspace. Then only nodes on this machine reach it.
	Advertise string

	// Stays is true for a process that serves other calls until it is stopped. For this process, [Join] succeeds even
	// if the database does not answer, and each call tries to connect.
	Stays bool

	Now    func() time.Time
	Logger *slog.Logger
}

// Node is this process as a member of the cluster. It implements [http.Handler] for the requests of other nodes.
type Node struct {
	config Config
	db     *postgres.Node
	secret string // other nodes send it with each request

	mu      sync.Mutex // guards the fields below
	at      string     // the URL under which this node answers; empty until its first election, unless advertised
	beating bool
	server  *http.Server // nil with an advertised URL
	served  map[string]*servedWorkspace
}

// servedWorkspace is a workspace that this node owns.
type servedWorkspace struct {
	handler  http.Handler
	underway sync.WaitGroup
}

// Join connects to a database. With [Config.Stays] it connects at the first call, and its only error is an invalid
// connection string. Errors are *[schemas.Error].
func Join(ctx context.Context, c Config) (*Node, error) {
	db, err := postgres.JoinDatabase(ctx, c.Store, c.Now, c.Logger)
	if err != nil {
		return nil, ExplainDatabaseError("", err)
	}
	n := &Node{config: c, db: db, secret: rand.Text(), served: map[string]*servedWorkspace{}}
	n.at = strings.TrimSuffix(c.Advertise, "/")
	if c.Stays {
		return n, nil
	}
	if err := n.Ready(ctx); err != nil {
		n.Close()
		return nil, err
	}
	return n, nil
}

// Ready returns an error when the database does not answer.
func (n *Node) Ready(ctx context.Context) error {
	_, err := n.HasWorkspace(ctx, "")
	return err
}

// HasWorkspace reports whether the database has a workspace. Errors are *[schemas.Error].
func (n *Node) HasWorkspace(ctx context.Context, workspace string) (bool, error) {
	owner, err := n.db.Owner(ctx, workspace)
	return owner.Epoch > 0, explainUnlessNil(workspace, err)
}

// A Workspace is a workspace of the database.
type Workspace struct {
	Name  string
	Owner *relay.Note // nil: no process serves it
}

// Workspaces returns all workspaces in the order of their names. If name is not empty, it returns only the workspace of
// this name. Errors are *[schemas.Error].
func (n *Node) Workspaces(ctx context.Context, name string) ([]Workspace, error) {
	found, err := n.db.Workspaces(ctx, name)
	all := make([]Workspace, len(found))
	for i, w := range found {
		all[i].Name = w.Name
		if note := new(relay.Note); json.Unmarshal([]byte(w.Note), note) == nil && !note.Started.IsZero() {
			all[i].Owner = note
		}
	}
	return all, explainUnlessNil(name, err)
}

// ReadSnapshot calls fn with the current rows of a workspace: see [postgres.Node.Snapshot]. It returns the errors of fn
// unchanged. Other errors are *[schemas.Error].
func (n *Node) ReadSnapshot(ctx context.Context, workspace string, fn func(store.Backend) error) error {
	var failed error
	err := n.db.Snapshot(ctx, workspace, func(b store.Backend) error {
		failed = fn(b)
		return failed
	})
	if err == nil || failed != nil && !errors.Is(err, store.ErrUnreachable) {
		return err
	}
	return ExplainDatabaseError(workspace, err)
}

// Remove deletes a workspace that no process owns. Errors are *[schemas.Error].
func (n *Node) Remove(ctx context.Context, workspace string) error {
	return explainUnlessNil(workspace, n.db.Remove(ctx, workspace))
}

// String returns the address of the database without its password.
func (n *Node) String() string { return n.db.String() }

// Close leaves the cluster. The caller must have closed all relays that use the node.
func (n *Node) Close() {
	n.db.Close()
	if n.server != nil {
		_ = n.server.Close() // no relay is left that it serves
	}
}

// Prefix is the beginning of the path of each request between nodes.
const Prefix = "/node/"

// ServeHTTP passes the request of another node to the handler of the workspace. If this node does not own the
// workspace, the response says so, and the other node looks for the owner again.
func (n *Node) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !relay.HasSecret(r, n.secret) {
		http.Error(w, "the secret of the node is needed", http.StatusUnauthorized)
		return
	}
	workspace, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, Prefix), "/")
	n.mu.Lock()
	to := n.served[workspace]
	if to != nil {
		to.underway.Add(1)
	}
	n.mu.Unlock()
	if to == nil {
		relay.AnswerMoved(w)
		return
	}
	defer to.underway.Done()
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // waits are long
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{})
	r.URL.Path = "/" + path
	to.handler.ServeHTTP(w, r)
}

// ensureReachable announces this node in the database. If the node has no advertised URL, ensureReachable also starts
// its HTTP server. Repeated calls have no further effect.
func (n *Node) ensureReachable(ctx context.Context) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.beating {
		if err := n.db.StartLease(ctx); err != nil {
			return err
		}
		n.beating = true
	}
	if n.at != "" {
		return nil
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	n.at = "http://" + listener.Addr().String()
	n.server = &http.Server{Handler: n, ReadHeaderTimeout: 5 * time.Second}
	go func() { // ends with Close
		if err := n.server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			n.config.Logger.Error("other processes do not reach this one any more", slog.Any("error", err))
		}
	}()
	return nil
}

// serveWorkspace passes requests about a workspace to h until the caller calls stop. Stop waits for running requests,
// for at most [relay.ShutdownLimit].
func (n *Node) serveWorkspace(workspace string, h http.Handler) (stop func()) {
	s := &servedWorkspace{handler: h}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.served[workspace] = s
	return func() {
		n.mu.Lock()
		if n.served[workspace] == s {
			delete(n.served, workspace)
		}
		n.mu.Unlock()
		ended := make(chan struct{})
		go func() { s.underway.Wait(); close(ended) }()
		select {
		case <-ended:
		case <-time.After(relay.ShutdownLimit):
		}
	}
}
