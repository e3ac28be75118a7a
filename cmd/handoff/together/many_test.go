//go:build unix

package together_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/programtest"
	"handoff/schemas"
)

// TestNodes_ShareManyWorkspaces has one agent in each of many workspaces send, claim and complete without a pause,
// through a balancer that chooses the node by the workspace, as in examples/cluster. All get their turns, and each
// node owns about as many workspaces as the others.
func TestNodes_ShareManyWorkspaces(t *testing.T) {
	const nodes = 4
	number := programtest.ProofSize(t, "HANDOFF_WORKSPACES", 200, 40, strconv.Atoi)
	c := newCluster(t, nodes)
	c.hashed = true
	agents, rounds := make([]*remote, number), make([]int, number)
	for i := range agents {
		var err error
		agents[i], err = c.join(fmt.Sprintf("%s/w/team-%d/mcp", c.front.URL, i), "one")
		require.NoError(t, err)
	}
	until, stop := context.WithTimeout(c.ctx, time.Duration(number)*30*time.Millisecond)
	defer stop()
	var all sync.WaitGroup
	for i, agent := range agents {
		all.Go(func() {
			for until.Err() == nil {
				if err := agent.cycle(c.ctx, "one"); err != nil {
					t.Errorf("workspace %d: %v", i, err)
					return
				}
				rounds[i]++
			}
		})
	}
	all.Wait()
	slices.Sort(rounds)
	owned := c.owned()
	t.Logf("rounds: fewest %d, median %d, most %d; workspaces of each node %v", rounds[0], rounds[number/2], rounds[number-1], owned)
	require.NotZero(t, rounds[0], "none starves")
	require.Len(t, owned, nodes)
	for _, n := range owned {
		require.InEpsilon(t, number/nodes, n, 0.2)
	}
}

// owned is how many workspaces each node owns.
func (c *cluster) owned() []int {
	found, err := c.database.Query(c.ctx, `select count(*) from handoff_workspace where node is not null group by node order by 1`)
	require.NoError(c.t, err)
	owned, err := pgx.CollectRows(found, pgx.RowTo[int])
	require.NoError(c.t, err)
	return owned
}

// cycle sends a handoff to the agent itself, claims it and completes it.
func (r *remote) cycle(ctx context.Context, self string) error {
	err := r.call(ctx, "send_handoff", schemas.SendIn{To: self, Task: "try it", Parent: "none"}, nil)
	if err != nil {
		return err
	}
	var got schemas.ClaimOut
	if err := r.call(ctx, "claim_handoff", schemas.ClaimIn{}, &got); err != nil {
		return err
	}
	done := schemas.CompleteIn{HandoffID: got.HandoffID.String(), Token: got.Token, Result: schemas.Result{Summary: "tried"}}
	return r.call(ctx, "complete_handoff", done, nil)
}
