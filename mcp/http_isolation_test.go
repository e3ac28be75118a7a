package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"handoff/mcp"
	"handoff/schemas"
	"handoff/schemas/sandbox"
	"handoff/tools"
)

const claimAndWait = `{"wait_seconds":50}`

// claimWatcher reports the start of long polls for work.
type claimWatcher struct {
	tools.Invoker
	begun sync.Map // from agent to a channel that receives each of them
}

func (w *claimWatcher) Invoke(ctx context.Context, c tools.Call) (json.RawMessage, error) {
	if c.Tool == "claim_handoff" {
		w.claimsOf(c.Caller.Agent) <- struct{}{}
	}
	return w.Invoker.Invoke(ctx, c)
}

func (w *claimWatcher) claimsOf(agent schemas.Agent) chan struct{} {
	begun, _ := w.begun.LoadOrStore(agent, make(chan struct{}, 100))
	return begun.(chan struct{})
}

// awaitClaim waits for the next claim of an agent to begin.
func (w *claimWatcher) awaitClaim(ctx context.Context, agent schemas.Agent) {
	select {
	case <-w.claimsOf(agent):
	case <-ctx.Done():
	}
}

// All clients use the same ids on purpose, and all pairs run at once.
func TestHTTPCancel_AffectsOnlyRequestsOfSameClient(t *testing.T) {
	const pairs = 8
	tries := sandbox.Repetitions(1000)
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			cfg := workspace(t)
			told := &claimWatcher{Invoker: cfg.Invoker}
			cfg.Invoker = told
			s := serve(t, cfg, mcp.HTTPConfig{})
			var all sync.WaitGroup
			wrong := make(chan error, pairs)
			for pair := range pairs {
				p := newClientPair(s, told, era, pair)
				all.Go(func() { wrong <- p.cancelRepeatedly(t.Context(), tries/pairs) })
			}
			all.Wait()
			for range pairs {
				require.NoError(t, <-wrong)
			}
		})
	}
}

// clientPair is one client that gives up, and another that waits for mail from a third.
type clientPair struct {
	told                    *claimWatcher
	quitter, patient, third joinedClient
}

func newClientPair(s *site, told *claimWatcher, era string, n int) clientPair {
	quitter, patient := fmt.Sprintf("quitter-%d", n), fmt.Sprintf("patient-%d", n)
	if n%2 == 0 {
		quitter = patient // one token, two clients
	}
	return clientPair{told, s.join(era, quitter), s.join(era, patient), s.join(era, "architect")}
}

func (p clientPair) cancelRepeatedly(ctx context.Context, tries int) error {
	for n := range tries {
		if err := p.cancelOneOfTwo(ctx, n); err != nil {
			return fmt.Errorf("try %d: %w", n, err)
		}
	}
	return nil
}

// cancelOneOfTwo lets one client wait, and the other client give up its own wait. If each client has a name of its own,
// the second one gives up while both wait.
func (p clientPair) cancelOneOfTwo(ctx context.Context, n int) error {
	patient := schemas.Agent(strings.TrimPrefix(p.patient.header.Get("Authorization"), "Bearer "))
	quitter := schemas.Agent(strings.TrimPrefix(p.quitter.header.Get("Authorization"), "Bearer "))
	ctx, late := context.WithTimeout(ctx, patience)
	defer late()
	waits := p.patient.postAsync(ctx, p.patient.call(7, "claim_handoff", claimAndWait))
	p.told.awaitClaim(ctx, patient)
	if quitter != patient {
		if err := p.giveUp(ctx, quitter); err != nil {
			return err
		}
	}
	if err := p.cancel(ctx); err != nil {
		return err
	}
	task := fmt.Sprintf("Task %d", n)
	sent, err := p.third.tryRequest(ctx, http.MethodPost, p.third.call(7, "send_handoff", fmt.Sprintf(`{"to":%q,"task":%q}`, patient, task)))
	if err != nil || sent.status != http.StatusOK {
		return fmt.Errorf("send: %d %s %w", sent.status, sent.body, err)
	}
	got := <-waits
	if got.err != nil || !strings.Contains(got.body, task) {
		return fmt.Errorf("who waited got %q: %w", got.body, got.err)
	}
	return nil
}

// giveUp waits with the same id, and cancels this wait: with a notification, or by hanging up in the newer revision.
func (p clientPair) giveUp(ctx context.Context, quitter schemas.Agent) error {
	ctx, hangUp := context.WithCancel(ctx)
	defer hangUp()
	waits := p.quitter.postAsync(ctx, p.quitter.call(7, "claim_handoff", claimAndWait))
	p.told.awaitClaim(ctx, quitter)
	if p.quitter.modern {
		hangUp()
	} else if err := p.cancel(ctx); err != nil {
		return err
	}
	if got := <-waits; got.body != "" || !p.quitter.modern && got.err != nil {
		return fmt.Errorf("who gave up got %q: %w", got.body, got.err)
	}
	return nil
}

func (p clientPair) cancel(ctx context.Context) error {
	c := p.quitter.withHeaders()
	if p.quitter.modern {
		c.header.Set("Mcp-Protocol-Version", "2026-07-28")
	}
	for range 1 + rand.IntN(2) {
		got, err := c.tryRequest(ctx, http.MethodPost, cancellation("7"))
		if err != nil || got.status != http.StatusAccepted {
			return fmt.Errorf("cancel: %d %s %w", got.status, got.body, err)
		}
	}
	return nil
}

func TestHTTPStream_SendsOnlyNotificationsOfOwnSession(t *testing.T) {
	const sends = 1000
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			cfg := workspace(t)
			s := serve(t, cfg, mcp.HTTPConfig{})
			heard := map[string]*stream{}
			for _, name := range []string{"anna", "bert", "carl"} {
				heard[name] = s.join(era, name).watch(7, "handoff://inbox/"+name)
			}
			due := map[string]int{}
			for range sends {
				to := []string{"anna", "bert"}[rand.IntN(2)]
				due[to]++
				callAs(t, cfg, "architect", "send_handoff", fmt.Sprintf(`{"to":%q,"task":"Test the login"}`, to))
			}
			for name, n := range due {
				for range n {
					require.Equal(t, "handoff://inbox/"+name, parse(t, heard[name].nextEvent()).Params["uri"])
				}
			}
			s.shutdown()
			for name, stream := range heard {
				requireNoUpdate(t, name, stream.remainingEvents())
			}
		})
	}
}

func requireNoUpdate(t *testing.T, name string, said []string) {
	t.Helper()
	for _, event := range said {
		require.NotContains(t, event, "updated", name)
	}
}

// A token gets no notifications about a mailbox that it may not read.
func TestHTTPSubscribe_IgnoresInboxOfAnotherAgent(t *testing.T) {
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			cfg := workspace(t)
			s := serve(t, cfg, mcp.HTTPConfig{})
			eve, qa := s.join(era, "eve").watch(7, "handoff://inbox/qa"), s.join(era, "qa").watch(7, "handoff://inbox/qa")
			sendWork(t, cfg, 1)
			require.Contains(t, qa.nextEvent(), "updated")
			s.shutdown()
			requireNoUpdate(t, "eve", eve.remainingEvents())
		})
	}
}
