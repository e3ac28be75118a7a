package postgres

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/jackc/pgx/v5"

	"handoff/store"
)

// ErrNoWorkspace means that the database has no workspace of the name.
var ErrNoWorkspace = errors.New("there is no such workspace in the database")

// Snapshot calls fn with the rows of a workspace as they are now: those of the table, and the entries of the log that
// were not folded. Who owns the workspace goes on and is not asked. The store is read by one goroutine, and not written.
//
// It is one transaction that reads, also at a standby. The database ends it when fn asks for nothing for a minute, so
// that a process that was stopped does not keep rows from being cleaned up.
func (n *Node) Snapshot(ctx context.Context, workspace string, fn func(store.Backend) error) error {
	begin := pgx.TxOptions{BeginQuery: `begin isolation level repeatable read read only; set local idle_in_transaction_session_timeout = '1min'`}
	var failed error // of fn: it is no error of the database
	err := pgx.BeginTxFunc(ctx, n.Pool, begin, func(tx pgx.Tx) error {
		rows := frozen{ctx: ctx, tx: tx}
		err := tx.QueryRow(ctx, `select id from handoff_workspace where name = $1 and epoch > 0`, workspace).Scan(&rows.workspace)
		if errors.Is(err, pgx.ErrNoRows) {
			return ErrNoWorkspace
		}
		if err != nil {
			return err
		}
		log, err := unfolded(ctx, tx, rows.workspace)
		if err != nil {
			return err
		}
		over := store.NewOverlay(rows)
		for _, e := range log {
			for _, w := range e.writes {
				if w.Value == nil {
					err = over.Delete(w.space, w.Key)
				} else {
					err = over.Put(w.space, w.Key, w.Value)
				}
				if err != nil {
					return err
				}
			}
		}
		failed = fn(snapshot{over})
		return failed
	})
	if failed != nil {
		return failed
	}
	return classify(err)
}

// A snapshot is a [store.Backend] in which nothing changes.
type snapshot struct{ store.Reader }

func (s snapshot) View(ctx context.Context, fn func(store.Reader) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return fn(s.Reader)
}

func (snapshot) Update(context.Context, func(store.Writer) error) error { return store.ErrReadOnly }

func (snapshot) Close() error { return nil }

// frozen are the rows of the table as one transaction sees them.
type frozen struct {
	ctx       context.Context
	tx        pgx.Tx
	workspace int64
}

// Get implements [store.Reader].
func (f frozen) Get(s store.Space, key []byte) (value []byte, err error) {
	const query = `select value from handoff_row where workspace = $1 and space = $2 and key = $3`
	err = f.tx.QueryRow(f.ctx, query, f.workspace, spaceOf(s), bytes.Clone(key)).Scan(&value)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return value, classify(err)
}

// Scan implements [store.Reader].
func (f frozen) Scan(r store.Range) iter.Seq2[store.Row, error] {
	return func(yield func(store.Row, error) bool) {
		for more := true; more; {
			page, err := f.page(r)
			if err != nil {
				yield(store.Row{}, err)
				return
			}
			for _, row := range page {
				if !yield(row, nil) {
					return
				}
			}
			if more = len(page) == pageRows; more && r.Reverse {
				r.To = page[pageRows-1].Key
			} else if more {
				r.From = next(page[pageRows-1].Key)
			}
		}
	}
}

const pageRows = 1000

// page gives the first rows of a range.
func (f frozen) page(r store.Range) ([]store.Row, error) {
	const of = `select key, value from handoff_row where workspace = $1 and space = $2 and key >= $3 and key < $4 order by key %s limit $5`
	query := fmt.Sprintf(of, map[bool]string{true: "desc"}[r.Reverse])
	from, to := append([]byte{}, r.From...), []byte(cmp.Or(string(r.To), behindAll))
	found, err := f.tx.Query(f.ctx, query, f.workspace, spaceOf(r.Space), from, to, pageRows)
	if err != nil {
		return nil, classify(err)
	}
	page, err := pgx.CollectRows(found, pgx.RowToStructByPos[store.Row])
	return page, classify(err)
}
