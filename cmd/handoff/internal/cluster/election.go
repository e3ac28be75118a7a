package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"handoff/schemas"
	"handoff/store"
	"handoff/store/postgres"
	"handoff/tools/platform"
	"handoff/tools/relay"
)

// Election is the election of one workspace, for one relay.
type Election struct {
	node      *Node
	workspace string
	lastSeen  postgres.Owner // from the last look at the row
	owner     relay.Note     // the note in lastSeen
	queryErr  error          // the error of the last query; nil if it succeeded
	gaveUp    time.Time      // when a search ended because the database did not answer
	held      *tenure
}

var _ relay.Election = (*Election)(nil)

// Election returns the election of a workspace. Each relay needs an election of its own.
func (n *Node) Election(workspace string) *Election { return &Election{node: n, workspace: workspace} }

// queryTimeout limits one query to the database.
const queryTimeout = 2 * time.Second

// Prepare implements [relay.Election]. If the database did not answer the last search for an owner, Prepare fails
// without a query during the next [queryTimeout]. So a call that searches several times does not wait several times.
func (s *Election) Prepare() error {
	if time.Since(s.gaveUp) < queryTimeout {
		return s.UnusableError(s.queryErr)
	}
	return nil
}

// LastOwner implements [relay.Election].
func (s *Election) LastOwner(ctx context.Context) (relay.Note, bool) {
	ctx, end := context.WithTimeout(ctx, queryTimeout)
	defer end()
	s.owner = relay.Note{}
	s.lastSeen, s.queryErr = s.node.db.Owner(ctx, s.workspace)
	if s.queryErr != nil || s.lastSeen.Note == "" || json.Unmarshal([]byte(s.lastSeen.Note), &s.owner) != nil {
		return relay.Note{}, false
	}
	return s.owner, !s.owner.Started.IsZero() && s.canReachOwner()
}

// canReachOwner reports whether this machine can reach the owner. An owner without an advertised URL can be reached
// only from its own machine.
func (s *Election) canReachOwner() bool {
	at, err := url.Parse(s.owner.Address.Addr)
	if err != nil {
		return false
	}
	host := net.ParseIP(at.Hostname())
	return host == nil || !host.IsLoopback() || s.owner.Boot == platform.BootID()
}

// TryToWin implements [relay.Election]. If this node has an advertised URL and cannot reach the owner, it takes the
// workspace away from the owner.
func (s *Election) TryToWin(ctx context.Context) (relay.Tenure, error) {
	if isUnreachable(s.queryErr) {
		return nil, relay.ErrInUse // the relay tries again while calls wait for an owner
	} else if s.queryErr != nil {
		return nil, s.queryErr
	}
	if err := s.node.ensureReachable(ctx); err != nil {
		return nil, s.inUseIfTemporary(err)
	}
	first, _ := json.Marshal(relay.Note{Address: s.ownAddress(), Boot: platform.BootID()}) // texts can be encoded
	forced := s.node.config.Advertise != "" && s.lastSeen.Note != "" && !s.canReachOwner()
	own, err := s.node.db.TakeOver(ctx, s.workspace, string(first), s.lastSeen, forced)
	if err != nil {
		return nil, s.inUseIfTemporary(err)
	}
	s.held = &tenure{seat: s, own: own}
	return s.held, nil
}

// inUseIfTemporary returns [relay.ErrInUse] for a temporary error, so that the relay repeats the election. It returns
// any other error unchanged. It stores err in queryErr.
func (s *Election) inUseIfTemporary(err error) error {
	if s.queryErr = err; errors.Is(err, store.ErrLocked) || isUnreachable(err) {
		return relay.ErrInUse
	}
	return err
}

// isUnreachable reports whether err says that the database does not answer. An error of this kind is temporary.
func isUnreachable(err error) bool {
	return errors.Is(err, store.ErrUnreachable) || errors.Is(err, context.DeadlineExceeded)
}

func (s *Election) ownAddress() relay.Address {
	return relay.Address{Network: "url", Addr: s.node.at + Prefix + s.workspace, Secret: s.node.secret}
}

// Open opens the rows of the workspace. The caller must have won the election with [Election.TryToWin].
func (s *Election) Open(ctx context.Context) (store.Backend, error) {
	held := s.held
	opened, err := postgres.Open(ctx, postgres.Config{
		Ownership: held.own, Fenced: func() { held.lost.Store(true) }, Logger: s.node.config.Logger,
	})
	if err != nil {
		return nil, err // not opened: it would be an interface that holds a nil pointer
	}
	return opened, nil
}

// Replace puts another workspace in the place of the open workspace. It renames both in one step. The workspace called
// `with` gets the name of the open workspace. The open workspace gets the name `before`. See
// [postgres.Ownership.ReplaceWorkspace]. Errors are *[schemas.Error].
func (s *Election) Replace(ctx context.Context, with, before string) error {
	return explainUnlessNil(s.workspace, s.held.own.ReplaceWorkspace(ctx, with, before))
}

// Close implements [relay.Election].
func (*Election) Close() error { return nil }

// retryAfter is the advised time before a caller repeats a call that found no owner. By then, the lease of a dead owner
// has ended.
const retryAfter = 3 * time.Second

// UnservedError implements [relay.Election].
func (s *Election) UnservedError() *schemas.Error {
	if isUnreachable(s.queryErr) {
		s.gaveUp = time.Now()
		return s.UnusableError(s.queryErr)
	}
	if !s.canReachOwner() {
		const said = "workspace %s is owned by a process on another machine that this one does not reach"
		return schemas.Errorf(schemas.Unavailable, said, s.workspace).
			WithHint("Run handoff serve --http ADDR --store URL --advertise URL where all machines reach it. It takes the workspace over.")
	}
	said := fmt.Sprintf("the owner of workspace %s does not answer, and holds it", s.workspace)
	if s.owner.Address.Addr != "" {
		said = fmt.Sprintf("the node at %s, which owns workspace %s, does not answer, and holds it", s.owner.Address.Addr, s.workspace)
	}
	return schemas.Errorf(schemas.Unavailable, "%s", said).WithRetryAfter(retryAfter).
		WithHint("Call again in 3 seconds. Nothing acknowledged is lost. Where it stays so, --advertise of that node is wrong.")
}

// StalledError implements [relay.Election].
func (s *Election) StalledError(owner relay.Note) *schemas.Error {
	return schemas.Errorf(schemas.Unavailable, "the node at %s, which owns workspace %s, does not answer", owner.Address.Addr, s.workspace).
		WithHint("Call again in 3 seconds: by then another node has taken over. A call that it had begun may have taken effect.").WithRetryAfter(retryAfter)
}

// UnusableError implements [relay.Election].
func (s *Election) UnusableError(err error) *schemas.Error {
	return ExplainDatabaseError(s.workspace, err)
}

// tenure is the ownership of one workspace by this node.
type tenure struct {
	seat *Election
	own  *postgres.Ownership
	lost atomic.Bool
	stop func()
}

// Serve implements [relay.Tenure]. Alone is always false, because a node cannot see the connections of other nodes.
func (t *tenure) Serve(n relay.Note, h http.Handler) (alone bool, err error) {
	n.Address = t.seat.ownAddress()
	note, _ := json.Marshal(n) // texts and numbers can be encoded
	t.stop = t.seat.node.serveWorkspace(t.seat.workspace, h)
	ctx, end := context.WithTimeout(context.Background(), queryTimeout)
	defer end()
	return false, t.own.ReplaceNote(ctx, string(note))
}

// CheckOwnership implements [relay.Tenure].
func (t *tenure) CheckOwnership(ctx context.Context) error {
	if t.lost.Load() {
		return relay.ErrLost
	}
	ctx, end := context.WithTimeout(ctx, queryTimeout)
	defer end()
	err := t.own.CheckHeld(ctx)
	if errors.Is(err, store.ErrFenced) {
		return relay.ErrLost
	}
	return explainUnlessNil(t.seat.workspace, err)
}

// Restore implements [relay.Tenure].
func (*tenure) Restore() error { return nil }

// Stop implements [relay.Tenure].
func (t *tenure) Stop() error {
	if t.stop != nil {
		t.stop()
	}
	return nil
}

// Release implements [relay.Tenure].
func (t *tenure) Release() error {
	ctx, end := context.WithTimeout(context.Background(), time.Second)
	defer end()
	return t.own.Release(ctx)
}
