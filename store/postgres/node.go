package postgres

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	beatEvery    = 500 * time.Millisecond
	leaseHolds   = 2 * time.Second // after the beginning of the last beat, by the clock of the node
	leaseRunsOut = 3 * time.Second // after the last beat, by the clock of the database: others may take over
)

// Node is one process that uses a database. Twice a second it renews a lease for all of its workspaces. A read of a
// workspace needs the lease. A commit needs no lease, because a commit succeeds only if this process is still the
// owner. Other nodes take a workspace over from a connected node only after the lease of that node has run out.
type Node struct {
	Pool *pgxpool.Pool // its own
	ID   string        // of this process; never used again

	now     func() time.Time
	log     *slog.Logger
	end     context.CancelFunc
	beating sync.WaitGroup

	mu     sync.Mutex // guards the fields below
	began  time.Time  // start of the last successful beat; zero: none yet
	taken  int64      // number of takeovers from this node, at that beat
	lapses int64      // number of beats that found a takeover, or a lease that had run out
}

// JoinDatabase returns a node for a database, with a pool from [Connect]. Each new connection makes the tables if they
// are missing, so JoinDatabase works even while the database does not answer yet.
func JoinDatabase(ctx context.Context, address string, now func() time.Time, log *slog.Logger) (*Node, error) {
	n := &Node{ID: rand.Text(), now: now, log: log}
	pool, err := Connect(ctx, address, func(c *pgxpool.Config) {
		c.ConnConfig.RuntimeParams["application_name"] = "handoff " + n.ID // by which other nodes see the connection
		if !strings.Contains(address, "pool_max_conns") {
			c.MaxConns = max(c.MaxConns, poolSize)
		}
		c.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error { return Prepare(ctx, conn) }
	})
	n.Pool = pool
	return n, err
}

const poolSize = 16

// String returns the name of the database and its server, without the password.
func (n *Node) String() string {
	c := n.Pool.Config().ConnConfig
	return fmt.Sprintf("database %s at %s:%d", c.Database, c.Host, c.Port)
}

// StartLease begins the lease. It is called once, before the first takeover.
func (n *Node) StartLease(ctx context.Context) error {
	if err := n.renewLease(ctx); err != nil {
		return err
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	n.end = end
	n.beating.Go(func() {
		for pace := time.NewTicker(beatEvery); ; {
			select {
			case <-pace.C:
			case <-life.Done():
				return
			}
			if err := n.renewLease(life); err != nil && life.Err() == nil {
				n.log.WarnContext(life, "the database does not answer", slog.Any("error", err))
			}
		}
	})
	return nil
}

func (n *Node) renewLease(ctx context.Context) error {
	const query = `insert into handoff_node (id, seen) values ($1, clock_timestamp())
		on conflict (id) do update set seen = clock_timestamp() returning taken`
	ctx, end := context.WithTimeout(ctx, statementTimeout)
	defer end()
	began := n.now()
	var taken int64
	if err := n.Pool.QueryRow(ctx, query, n.ID).Scan(&taken); err != nil {
		return classifyError(err)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.began.IsZero() && (!leaseCovers(n.began, began) || taken != n.taken) {
		n.lapses++
	}
	n.began, n.taken = began, taken
	return nil
}

// leaseState reports whether the lease holds, and how often it had run out before.
func (n *Node) leaseState() (lapses int64, held bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.lapses, !n.began.IsZero() && leaseCovers(n.began, n.now())
}

// leaseCovers reports whether a lease that began at one time still holds at another. The system clock and the monotonic
// clock must agree, because only the system clock continues while the machine sleeps, and only the monotonic clock is
// never set.
func leaseCovers(began, at time.Time) bool {
	return at.Sub(began) < leaseHolds && at.Round(0).Sub(began.Round(0)) < leaseHolds
}

// Close ends the lease and leaves the database. The caller has closed the stores of the node before.
func (n *Node) Close() {
	if n.end != nil {
		n.end()
		n.beating.Wait()
		ctx, end := context.WithTimeout(context.Background(), time.Second)
		defer end()
		const query = `delete from handoff_node where id = $1 or seen < clock_timestamp() - interval '1 day'`
		if _, err := n.Pool.Exec(ctx, query, n.ID); err != nil {
			n.log.Warn("the database keeps a node that has left", slog.Any("error", err))
		}
	}
	n.Pool.Close()
}
