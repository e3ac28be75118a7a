package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"handoff/store"
)

// table reads and writes the rows of one workspace in the database.
type table struct {
	in        querier // a pool, or the transaction of a snapshot
	node      *Node
	workspace int64
	epoch     int64 // of this owner
}

// afterAllKeys is greater than all keys. It is the end of a range without an end, because a query without an upper
// bound may make the database sort all rows instead of reading the index.
var afterAllKeys = strings.Repeat("\xff", store.MaxKey+1)

// readRange returns the first rows of a range, at most `wanted`. The result also contains the key of the next row
// outside of the range, so that the cache knows that there is no row in between.
func (t *table) readRange(ctx context.Context, r store.Range, wanted int, folds int64) (tablePart, error) {
	const of = `select key, %s from handoff_row where workspace = $1 and space = $2 and %s order by key %s limit %d`
	outside, order := `key >= $4`, ``
	if r.Reverse {
		outside, order = `key < $3`, `desc`
	}
	query := fmt.Sprintf(`(%s) union all (%s)`, fmt.Sprintf(of, `value`, `key >= $3 and key < $4`, order, wanted),
		fmt.Sprintf(of, `null`, outside, order, 1))
	args := []any{t.workspace, spaceNumber(r.Space), append([]byte{}, r.From...), []byte(cmp.Or(string(r.To), afterAllKeys))}
	found, err := retryRead(ctx, func(ctx context.Context) ([]store.Row, error) {
		found, _ := t.in.Query(ctx, query, args...) // CollectRows returns its error
		return pgx.CollectRows(found, pgx.RowToStructByPos[store.Row])
	})
	return newTablePart(r, found, wanted, folds), err
}

// rowWrite is a row that a commit wrote or deleted.
type rowWrite struct {
	space     store.Space
	store.Row // without a value if it is deleted
}

// spaceNumber returns the number of a space in the database, counted from 1.
func spaceNumber(s store.Space) int16 { return int16(s) + 1 }

// columnsOf returns the columns of writes in the table. The value of a deleted row is nil.
func columnsOf(writes []rowWrite) (spaces []int16, keys, values [][]byte) {
	for _, w := range writes {
		spaces, keys, values = append(spaces, spaceNumber(w.space)), append(keys, w.Key), append(values, w.Value)
	}
	return spaces, keys, values
}

// appendEntry makes a commit durable, as an entry of the log. It succeeds if this owner has appended the same entry
// before. It returns [store.ErrFenced] to a former owner: each number belongs to one entry, and the new owner has taken
// the next number.
func (t *table) appendEntry(ctx context.Context, number int64, writes []rowWrite) error {
	const add = `insert into handoff_log (workspace, number, epoch, spaces, keys, contents)
		select id, $2, epoch, $4, $5, $6 from handoff_workspace where id = $1 and epoch = $3 on conflict do nothing`
	const look = `select exists (select from handoff_log where workspace = $1 and number = $2 and epoch = $3 and spaces is not null)`
	spaces, keys, values := columnsOf(writes)
	done, err := t.node.Pool.Exec(ctx, add, t.workspace, number, t.epoch, spaces, keys, values)
	if err != nil || done.RowsAffected() > 0 {
		return classifyError(err)
	}
	before := false
	err = t.node.Pool.QueryRow(ctx, look, t.workspace, number, t.epoch).Scan(&before)
	if err == nil && !before {
		return store.ErrFenced
	}
	return classifyError(err)
}

// foldEntries writes the changes of the log up to a number into the table, and deletes these entries of the log. Writes
// has the last change of each key.
func (t *table) foldEntries(upTo int64, writes []rowWrite) error {
	spaces, keys, values := columnsOf(writes)
	var b pgx.Batch
	b.Queue(`insert into handoff_row (workspace, space, key, value)
		select $1, s, k, v from unnest($2::smallint[], $3::bytea[], $4::bytea[]) as of(s, k, v) where v is not null
		on conflict (workspace, space, key) do update set value = excluded.value`, t.workspace, spaces, keys, values)
	for _, w := range writes {
		if w.Value == nil { // one by one: without statistics, a statement for many keys reads all rows of a space
			b.Queue(`delete from handoff_row where workspace = $1 and space = $2 and key = $3`, t.workspace, spaceNumber(w.space), w.Key)
		}
	}
	b.Queue(`delete from handoff_log where workspace = $1 and number <= $2 and spaces is not null`, t.workspace, upTo)
	ctx, end := context.WithTimeout(context.Background(), 10*statementTimeout)
	defer end()
	err := classifyError(pgx.BeginTxFunc(ctx, t.node.Pool, shortLockWait, func(tx pgx.Tx) error {
		if err := tx.SendBatch(ctx, &b).Close(); err != nil {
			return err
		}
		const own = `update handoff_workspace set folded = $2 where id = $1 and epoch = $3` // last: a takeover waits for it
		return changeRow(ctx, tx, store.ErrFenced, own, t.workspace, upTo, t.epoch)
	}))
	if errors.Is(err, errBlocked) { // by the fold of an owner before
		err = cmp.Or(t.node.terminateStaleConnections(ctx), err)
	}
	return err
}
