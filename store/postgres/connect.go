package postgres

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"

	"handoff/store"
	"handoff/tools/platform"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Connect returns a connection pool for a connection string, which may be a URL or a list of settings, as in libpq. The
// pool connects at its first use. Change may modify the settings of the string. The caller closes the pool. The error
// is [ErrAddress], and does not contain the password.
//
// Behind a pooler such as pgbouncer, each transaction may run on another connection, and this connection does not have
// the prepared statements of earlier transactions. So Connect uses prepared statements only without a pooler.
func Connect(ctx context.Context, address string, change func(*pgxpool.Config)) (*pgxpool.Pool, error) {
	c, err := pgxpool.ParseConfig(strings.TrimSpace(address))
	if err != nil {
		return nil, ErrAddress // alone: the error may quote a part of the password
	}
	if c.ConnConfig.ConnectTimeout == 0 { // of each named server: a silent one leaves time for the next
		c.ConnConfig.ConnectTimeout = min(2*time.Second, statementTimeout/time.Duration(2+len(c.ConnConfig.Fallbacks)))
	}
	c.BeforeConnect = detectPooler()
	change(c)
	return pgxpool.NewWithConfig(ctx, c)
}

// detectPooler checks before the first connection whether there is a pooler.
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

// retryRead sends a read-only request. While the database does not answer, for example because it restarts, retryRead
// repeats the request for up to statementTimeout.
func retryRead[T any](ctx context.Context, ask func(context.Context) (T, error)) (answer T, err error) {
	ctx, end := context.WithTimeout(ctx, statementTimeout)
	defer end()
	for {
		answer, err = ask(ctx)
		if err = classifyError(err); !errors.Is(err, store.ErrUnreachable) {
			return answer, err
		}
		if !platform.Sleep(ctx, retryEvery) {
			return answer, err
		}
	}
}

// hasPooler reports whether a pooler is in front of the server. A pooler reports another process number than the
// server.
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
