//go:build unix

package together_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/programtest"
	"handoff/schemas"
)

// An ending is a way in which a process ends.
type ending int

const (
	endOfInput ending = iota
	terminated
	killed
)

// A stay is one process from its start to its end, which comes after some calls, with others under way.
type stay struct {
	ending ending
	calls  int64
	took   time.Duration // from the ending to the end
	err    error
}

const (
	free  = 3 * time.Second // within which a command has the store
	leave = 5 * time.Second // within which a process ends
)

// TestProcesses_LeaveNothingBehind starts four processes and ends them in all ways at random moments, again
// and again. After each time no process is left, the store is free at once, and it is sound.
func TestProcesses_LeaveNothingBehind(t *testing.T) {
	p, r := newPlace(t), chance(t)
	var ends [3]int
	var slowestEnd, slowestCommand time.Duration
	times := programtest.ProofSize(t, "HANDOFF_CYCLES", 20, 4, strconv.Atoi)
	for i := range times {
		all := stays(r, i%2 == 0)
		p.cycle(all)
		for _, s := range all {
			require.NoError(t, s.err)
			ends[s.ending]++
			slowestEnd = max(slowestEnd, s.took)
		}
		if i%2 == 0 { // every process ended in order
			require.NoFileExists(t, filepath.Join(p.dir(), "owner.json"))
			require.NoFileExists(t, filepath.Join(p.dir(), "handoff.sock"))
		}
		slowestCommand = max(slowestCommand, p.must("list").took)
		require.NoFileExists(t, filepath.Join(p.dir(), "owner.json"))
		p.verify()
	}
	t.Logf("%d times four processes: %d ended by the end of input, %d by SIGTERM, %d by SIGKILL; the slowest end took %v, the slowest command after it %v; %d events",
		times, ends[endOfInput], ends[terminated], ends[killed], slowestEnd, slowestCommand, p.verify().Events)
	require.Less(t, slowestCommand, free)
	require.Less(t, slowestEnd, leave)
}

// stays decides how four processes end.
func stays(r *rand.Rand, orderly bool) (all []*stay) {
	ways := 3
	if orderly {
		ways = 2
	}
	for range 4 {
		s := &stay{ending: ending(r.IntN(ways)), calls: r.Int64N(40)}
		if s.ending == terminated {
			s.calls++ // a signal that comes before the program has begun ends it as it would any other
		}
		all = append(all, s)
	}
	return all
}

// cycle lets every stay pass, all at the same time.
func (p *place) cycle(all []*stay) {
	var stays sync.WaitGroup
	for i, s := range all {
		stays.Go(func() { s.err = s.pass(p, teams[i%2], teams[1-i%2]) })
	}
	stays.Wait()
}

// pass runs one process: it makes calls, and ends the process while other calls are under way. A process without calls
// ends before its first message.
func (s *stay) pass(p *place, mine, theirs string) error {
	process, err := p.begin("--agent", mine)
	if err != nil {
		return err
	}
	var lanes sync.WaitGroup
	if s.calls > 0 {
		if err := process.greet(p.ctx, "test"); err != nil {
			return fmt.Errorf("%w\n%s", err, process.said())
		}
		enough := make(chan error, 2)
		for _, calls := range []int64{s.calls, math.MaxInt64} {
			lanes.Go(func() { enough <- lane(p, process, theirs, calls) })
		}
		if err := <-enough; err != nil {
			return fmt.Errorf("%v: %w\n%s", process, err, process.said())
		}
	}
	began := time.Now()
	process.end(s.ending)
	code := process.code()
	s.took = time.Since(began)
	lanes.Wait()
	if s.ending != killed && code != 0 {
		return fmt.Errorf("%v ended with status %d:\n%s", process, code, process.said())
	}
	return nil
}

// lane sends, claims and completes until so many calls were made or one fails.
func lane(p *place, process *process, to string, calls int64) error {
	for made := int64(0); made < calls; made += 3 {
		_, err := process.send(p.ctx, schemas.SendIn{To: to, Task: "try it", Parent: "none"})
		if err != nil {
			return err
		}
		claim, err := process.claim(p.ctx, schemas.ClaimIn{})
		if err != nil {
			return err
		}
		if claim.Empty {
			continue
		}
		done := schemas.CompleteIn{HandoffID: claim.HandoffID.String(), Token: claim.Token, Result: schemas.Result{Summary: "tried"}}
		if _, err := process.complete(p.ctx, done); err != nil {
			return err
		}
	}
	return nil
}

func (s *process) end(how ending) {
	switch how {
	case endOfInput:
		_ = s.hangUp()
	case terminated:
		_ = s.signal(syscall.SIGTERM)
	case killed:
		s.kill()
	}
}
