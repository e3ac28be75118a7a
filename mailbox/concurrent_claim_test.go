package mailbox_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
	"handoff/schemas/sandbox"
)

// 64 claimers of one mailbox share 1,000 handoffs: each handoff is claimed once, and completed by its claimant.
func TestClaim_GivesEachHandoffToOneOfManyClaimers(t *testing.T) {
	const claimers = 64
	handoffs := 8 * sandbox.Repetitions(125) // the same number from each sender
	onEach(t, func(t *testing.T, w *world) {
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				for j := range handoffs / 8 {
					w.Sends(schemas.Caller{Agent: "planner", Via: schemas.ViaHTTP}, "worker", fmt.Sprintf("task %d of %d", j, i))
				}
			})
		}
		wg.Wait()

		var mu sync.Mutex // guards claims
		claims := map[schemas.ID]int{}
		for i := range claimers {
			wg.Go(func() {
				by := schemas.Caller{Agent: "worker", AgentID: fmt.Sprint(i), Via: schemas.ViaHTTP}
				for {
					out, err := w.Claim(context.Background(), by, schemas.ClaimIn{})
					if err != nil || out.Empty {
						return
					}
					mu.Lock()
					claims[out.HandoffID]++
					mu.Unlock()
					w.Completes(by, out.HandoffID, func(in *schemas.CompleteIn) { in.Token = out.Token })
				}
			})
		}
		wg.Wait()
		require.Len(t, claims, handoffs)
		for id, n := range claims {
			require.Equal(t, 1, n, "%s", id)
		}
	})
}
