package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// An entry is one of the log, and an empty one where a workspace was taken over.
type entry struct {
	number int64
	writes []write
}

// takeOver makes the caller the owner of a workspace, and gives the entries that are not folded, its own last.
func (t *table) takeOver(ctx context.Context, workspace string) (log []entry, err error) {
	err = pgx.BeginFunc(ctx, t.pool, func(tx pgx.Tx) error {
		const own = `insert into handoff_workspace (name, epoch) values ($1, 1)
			on conflict (name) do update set epoch = handoff_workspace.epoch + 1 returning id, epoch, folded`
		var folded int64
		if err := tx.QueryRow(ctx, own, workspace).Scan(&t.workspace, &t.epoch, &folded); err != nil {
			return err
		}
		return t.takeNumber(ctx, tx, folded)
	})
	if err != nil {
		return nil, classify(err)
	}
	return t.unfolded(ctx)
}

// takeNumber takes the next number of the log for this owner. When the owner before takes it at the same moment, another
// follows.
func (t *table) takeNumber(ctx context.Context, tx pgx.Tx, folded int64) error {
	const query = `insert into handoff_log (workspace, number, epoch)
		select $1, greatest($2, coalesce(max(number), 0)) + 1, $3 from handoff_log where workspace = $1
		on conflict do nothing`
	for {
		done, err := tx.Exec(ctx, query, t.workspace, folded, t.epoch)
		if err != nil || done.RowsAffected() > 0 {
			return err
		}
	}
}

func (t *table) unfolded(ctx context.Context) (log []entry, err error) {
	const query = `select number, coalesce(writes, '') from handoff_log, handoff_workspace
		where workspace = $1 and id = $1 and number > folded order by number`
	found, err := t.pool.Query(ctx, query, t.workspace)
	if err != nil {
		return nil, classify(err)
	}
	log, err = pgx.CollectRows(found, func(row pgx.CollectableRow) (e entry, err error) {
		var writes []byte
		if err = row.Scan(&e.number, &writes); err == nil {
			e.writes, err = decode(writes)
		}
		return e, err
	})
	return log, classify(err)
}
