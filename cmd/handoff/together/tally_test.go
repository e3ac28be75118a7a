//go:build unix

package together_test

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// killedWith counts the calls of processes that were killed before they answered.
const killedWith = "of killed processes"

// A tally counts how calls ended.
type tally struct {
	mu    sync.Mutex // guards times
	times map[string]int
}

func (t *tally) add(end string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.times == nil {
		t.times = map[string]int{}
	}
	t.times[end]++
}

// of counts the ends that begin with a word.
func (t *tally) of(word string) (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for end, times := range t.times {
		if strings.HasPrefix(end, word) {
			n += times
		}
	}
	return n
}

// named lists the ends that begin with a word.
func (t *tally) named(word string) []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(t.times)), func(end string) bool { return !strings.HasPrefix(end, word) })
}

// A pulse is the longest time that one client waited for any answer with a call under way. Calls that wait for mail do
// not count, because they may take long.
type pulse struct {
	mu    sync.Mutex // guards the fields below
	calls int
	since time.Time               // when the last answer came, or when the only call began
	worst map[int64]time.Duration // by the round of killing
}

func (p *pulse) called() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls++; p.calls == 1 {
		p.since = time.Now()
	}
}

func (p *pulse) answered(round int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if p.worst == nil {
		p.worst = map[int64]time.Duration{}
	}
	p.worst[round] = max(p.worst[round], now.Sub(p.since))
	p.calls--
	p.since = now
}

// gaps are the worst ones of every client that lived on when another was killed, one for each kill.
type gaps struct {
	mu    sync.Mutex // guards the fields below
	all   []time.Duration
	early []time.Duration // after the first kills, when the store was small
	late  []time.Duration // after the last ones
}

// add adds the gaps of a client, except the gaps of its first round. It also keeps the first and the last ten rounds
// separately.
func (g *gaps) add(p *pulse, since, rounds int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	g.mu.Lock()
	defer g.mu.Unlock()
	for round, worst := range p.worst {
		if round <= since {
			continue
		}
		g.all = append(g.all, worst)
		if round <= 10 {
			g.early = append(g.early, worst)
		}
		if round > rounds-10 {
			g.late = append(g.late, worst)
		}
	}
}

// part gives the value below which a part of all lies, zero for none.
func part(all []time.Duration, p float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	all = slices.Sorted(slices.Values(all))
	return all[min(int(p*float64(len(all))), len(all)-1)]
}
