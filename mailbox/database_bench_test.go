package mailbox_test

import (
	"context"
	"fmt"
	"runtime/debug"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"handoff/mailbox/mailboxtest"
	"handoff/store/postgres"
	"handoff/store/postgres/postgrestest"
)

// BenchmarkCycleOnPostgres measures full cycles on PostgreSQL, and in the same run the same cycles on bbolt and on a
// simple queue over 64 connections of the same server. The results "of-bolt" and "of-queue" are the speed of the first
// divided by the speeds of the other two. The goals are 0.5 and 0.6.
func BenchmarkCycleOnPostgres(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // as handoff mcp runs
	const callers = 64
	address := postgrestest.StartServer(b)
	open := postgrestest.WorkspaceOpener(b, address, postgres.Config{})
	pool := postgrestest.ConnectPool(b, fmt.Sprintf("%s pool_max_conns=%d", address, callers))
	_, err := pool.Exec(b.Context(), sqlTables)
	require.NoError(b, err)
	cycles := max(b.N, callers)
	var ours, bolt, sql []float64
	b.ResetTimer()
	for round := range 3 {
		ours = append(ours, runCycles(b, open(b, fmt.Sprint(cycles, round)), callers, cycles).Seconds())
		bolt = append(bolt, runCycles(b, mailboxtest.NewFileBackend(b), callers, cycles).Seconds())
		sql = append(sql, atOnce(b, callers, cycles, func(i int) error { return sqlCycle(pool, i) }).Seconds())
	}
	b.ReportMetric(median(bolt)/median(ours), "of-bolt")
	b.ReportMetric(median(sql)/median(ours), "of-queue")
	b.ReportMetric(float64(3*cycles)/median(ours), "ops/s")
}

// The simple queue needs the least code: each step is one statement, which also notes an event.
const sqlTables = `
	create table job (id bigint generated always as identity primary key, recipient text not null, sender text not null,
		state smallint not null default 0, body text not null, result text);
	create index on job (recipient, id) where state = 0;
	create table event (id bigint generated always as identity primary key, job bigint not null, agent text not null,
		action text not null, at timestamptz not null default now())`

const (
	sqlSend = `with sent as (insert into job (recipient, sender, body) values ($1, $2, $3) returning id)
		insert into event (job, agent, action) select id, $2, 'send' from sent returning job`
	sqlClaim = `with next as materialized (
			select id from job where recipient = $1 and state = 0 order by id limit 1 for update skip locked),
		taken as (update job set state = 1 from next where job.id = next.id returning job.id, body),
		noted as (insert into event (job, agent, action) select id, $1, 'claim' from taken)
		select id, body from taken`
	sqlComplete = `with done as (update job set state = 2, result = $3 where id = $2 and state = 1 returning id)
		insert into event (job, agent, action) select id, $1, 'complete' from done returning job`
)

func sqlCycle(pool *pgxpool.Pool, i int) error {
	ctx, from, to := context.Background(), fmt.Sprintf("planner-%d", i), fmt.Sprintf("worker-%d", i)
	var id int64
	if err := pool.QueryRow(ctx, sqlSend, to, from, detail).Scan(&id); err != nil {
		return err
	}
	var body string
	if err := pool.QueryRow(ctx, sqlClaim, to).Scan(&id, &body); err != nil {
		return err
	}
	return pool.QueryRow(ctx, sqlComplete, to, id, "passed").Scan(&id)
}
