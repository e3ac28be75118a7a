package postgres

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"handoff/store"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Connect gives the connections to the database of a connection string, which may be a URL or a list of settings, as
// libpq has them. The first use connects. The caller closes the pool. The error is [ErrAddress], and does not have the
// password in it.
//
// A pooler may give each transaction to another connection of the server, where statements that were prepared before are
// unknown. Where one is between, none are kept; without, they are, because then a commit takes less time.
func Connect(ctx context.Context, address string) (*pgxpool.Pool, error) {
	return connect(ctx, address, func(*pgxpool.Config) {})
}

// connect has the settings of the connection string changed by a function.
func connect(ctx context.Context, address string, change func(*pgxpool.Config)) (*pgxpool.Pool, error) {
	c, err := pgxpool.ParseConfig(strings.TrimSpace(address))
	if err != nil {
		return nil, ErrAddress // alone: the error may quote a part of the password
	}
	if c.ConnConfig.ConnectTimeout == 0 { // of each server that is named: a silent one leaves time for the next
		c.ConnConfig.ConnectTimeout = min(2*time.Second, statementTimeout/time.Duration(2+len(c.ConnConfig.Fallbacks)))
	}
	c.BeforeConnect = detectPooler()
	change(c)
	return pgxpool.NewWithConfig(ctx, c)
}

// detectPooler finds out before the first connection whether a pooler is between.
func detectPooler() func(context.Context, *pgx.ConnConfig) error {
	var known atomic.Pointer[bool]
	return func(ctx context.Context, c *pgx.ConnConfig) error {
		if known.Load() == nil {
			pooled, err := hasPooler(ctx, c)
			if err != nil {
				return err
			}
			known.Store(&pooled)
		}
		if *known.Load() && c.DefaultQueryExecMode == pgx.QueryExecModeCacheStatement {
			c.DefaultQueryExecMode = pgx.QueryExecModeCacheDescribe
		}
		return nil
	}
}

// retryRead asks the database, again while it does not answer, for up to patience: it may be starting anew. What is asked
// changes nothing.
func retryRead[T any](ctx context.Context, ask func(context.Context) (T, error)) (answer T, err error) {
	ctx, end := context.WithTimeout(ctx, statementTimeout)
	defer end()
	for {
		answer, err = ask(ctx)
		if err = classify(err); !errors.Is(err, store.ErrUnreachable) {
			return answer, err
		}
		select {
		case <-ctx.Done():
			return answer, err
		case <-time.After(retryEvery):
		}
	}
}

// hasPooler tells whether something answers for the server: it gives other numbers than those of the server's processes.
func hasPooler(ctx context.Context, c *pgx.ConnConfig) (pooled bool, err error) {
	ctx, end := context.WithTimeout(ctx, statementTimeout)
	defer end()
	conn, err := pgx.ConnectConfig(ctx, c.Copy())
	if err != nil {
		return false, err
	}
	var process uint32
	err = conn.QueryRow(ctx, `select pg_backend_pid()`, pgx.QueryExecModeExec).Scan(&process)
	return process != conn.PgConn().PID(), errors.Join(err, conn.Close(ctx))
}
