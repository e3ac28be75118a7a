//go:build unix

package together_test

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/schemas"
)

const (
	silent   = 5 * time.Second  // the aim: how long until a call says which process does not answer
	atLatest = 15 * time.Second // on a machine that does other things as well
)

// TestCalls_NameStoppedOwner stops the owner, as a debugger or Ctrl-Z would. The error of each call names the stopped
// process. After the owner continues, calls succeed again. Refused calls had no effect.
func TestCalls_NameStoppedOwner(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	owner, others := p.parted(p.several("planner", "qa", "dev", "ops"))
	for _, s := range others {
		_, err := owner.send(p.ctx, schemas.SendIn{To: s.agent, Task: "try it", Title: "before"})
		require.NoError(t, err)
	}

	owner.stop(t)
	told := p.everyoneCalls(others)
	require.NoError(t, owner.signal(syscall.SIGCONT))

	slowest := time.Duration(0)
	for _, r := range told {
		require.ErrorContains(t, r.why, strconv.Itoa(owner.pid), r.what)
		slowest = max(slowest, r.took)
	}
	p.requireLive(owner, others)
	for _, s := range others {
		_, err := s.send(p.ctx, repeatable(s))
		require.NoError(t, err)
		claim, err := s.claim(p.ctx, schemas.ClaimIn{})
		require.NoError(t, err)
		require.Contains(t, claim.Brief, ": before\n", "the claim that was refused has taken it")
	}
	late := p.countLate(owner, others)
	t.Logf("%d calls were told within %v that process %d does not answer (aim: %v); %d of them were done later all the same",
		len(told), slowest, owner.pid, silent, late)
	require.Zero(t, late)
	require.Less(t, slowest, atLatest)
	endAll(t, append(others, owner))
	p.verify()
}

// requireLive requires that all processes reach the workspace again without a call. It waits as long as the owner needs
// to see broken connections and the processes need to reconnect.
func (p *place) requireLive(s *process, others []*process) {
	t := p.t
	t.Helper()
	seen := 0
	require.Eventually(t, func() bool {
		var out schemas.AgentsOut
		if err := s.call(p.ctx, "list_agents", schemas.AgentsIn{}, &out); err != nil {
			return false
		}
		live := map[schemas.Agent]bool{}
		for _, c := range out.Agents {
			live[c.Name] = c.Live
		}
		seen++
		for _, other := range others {
			if !live[schemas.Agent(other.agent)] {
				seen = 0
			}
		}
		return seen > 40
	}, atLatest, 100*time.Millisecond, "a connection counts as gone though its process is there")
}

// rebuff is the error of a call, and its duration.
type rebuff struct {
	what string
	why  error
	took time.Duration
}

// everyoneCalls makes calls of all kinds at the same time, from every process and from the command line.
func (p *place) everyoneCalls(all []*process) (told []rebuff) {
	var mu sync.Mutex // guards told
	var calls sync.WaitGroup
	try := func(what string, call func(context.Context) error) {
		calls.Go(func() {
			ctx, cancel := context.WithTimeout(p.ctx, 2*atLatest)
			defer cancel()
			began := time.Now()
			r := rebuff{what: what, why: call(ctx), took: time.Since(began)}
			mu.Lock()
			defer mu.Unlock()
			told = append(told, r)
		})
	}
	for _, s := range all {
		try("send with a key", func(ctx context.Context) error { return s.call(ctx, "send_handoff", repeatable(s), nil) })
		try("send", func(ctx context.Context) error { return s.call(ctx, "send_handoff", unrepeatable(s), nil) })
		try("claim", func(ctx context.Context) error { return s.call(ctx, "claim_handoff", schemas.ClaimIn{}, nil) })
		try("get", func(ctx context.Context) error {
			return s.call(ctx, "get_handoff", schemas.GetIn{HandoffID: "ho_1"}, nil)
		})
	}
	try("list at the command line", func(context.Context) error { return p.run("list", "--all").err() })
	try("send at the command line", func(context.Context) error {
		return p.run("send", "nobody", "try it", "--title", "by a person", "--agent", "human").err()
	})
	calls.Wait()
	return told
}

func repeatable(s *process) schemas.SendIn {
	return schemas.SendIn{To: "nobody", Task: "try it", Title: "with a key", Key: s.agent}
}

func unrepeatable(s *process) schemas.SendIn {
	return schemas.SendIn{To: "nobody", Task: "try it", Title: "without a key"}
}

// countLate counts the sends that were refused and are there.
func (p *place) countLate(owner *process, others []*process) int {
	p.t.Helper()
	found, err := owner.everything(p.ctx)
	require.NoError(p.t, err)
	times := map[string]int{}
	for _, item := range found {
		times[item.Title]++
	}
	require.Equal(p.t, len(others), times["before"])
	require.Equal(p.t, len(others), times["with a key"], "one for each key")
	return times["without a key"] + times["by a person"]
}

// err returns the error output of a failed command.
func (r ran) err() error {
	if r.code == 0 {
		return nil
	}
	return errors.New(r.errs)
}

// TestCalls_WaitForBrieflyStoppedOwner shows that calls meanwhile only take longer.
func TestCalls_WaitForBrieflyStoppedOwner(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	owner, others := p.parted(p.several("planner", "qa", "dev", "ops"))
	_, err := owner.send(p.ctx, schemas.SendIn{To: "nobody", Task: "try it"})
	require.NoError(t, err)
	owner.stop(t)
	goesOn := time.AfterFunc(time.Second, func() { _ = owner.signal(syscall.SIGCONT) })
	defer goesOn.Stop()
	for _, r := range p.everyoneCalls(others) {
		require.NoError(t, r.why, r.what)
	}
	found, err := owner.everything(p.ctx)
	require.NoError(t, err)
	require.Len(t, found, 1+2*len(others)+1, "each was sent once")
	endAll(t, append(others, owner))
	p.verify()
}
