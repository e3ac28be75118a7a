package docs_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/btree"

	"handoff/schemas/sandbox"
)

// Measured, as docs/scale.md says, with two processors for all: client, nodes and database.
const (
	nodeCall   = 1600 * time.Microsecond // of a processor of the node, for a call
	nodeOpen   = 6500 * time.Microsecond // the same for the first call of a workspace
	nodeIdle   = 55 * time.Microsecond   // the same for each second that a workspace is open
	baseCommit = 750 * time.Microsecond  // of a processor of the database, for a commit and its part of a fold
	flush      = 300 * time.Microsecond  // for the log of the database; all that wait share it
	election   = 280 * time.Millisecond  // from the end of a killed node to its successors

	megaNode, megaOpen, megaWait = 29, 0.26, 0.10 // memory of a node, and for each workspace and each call that waits, in MB
)

// Assumed.
const (
	nodeCores, baseCores = 4, 16
	writes, waits        = 2.0 / 3, 0.5 // of all calls, the others read; of all agents, which wait for mail in an open call

	network = 500 * time.Microsecond // from a node to the database and back
	lasts   = 20 * time.Second       // simulated time
	dies    = lasts / 2              // when the first node of each database does
)

// A cluster is one line of the table.
type cluster struct {
	databases, nodes, workspaces, agents int           // nodes of all databases
	pace                                 time.Duration // from one call of an agent to its next on average, which are a Poisson process
}

var clusters = []cluster{
	{1, 3, 100, 1_000, time.Minute},
	{1, 4, 1_000, 10_000, time.Minute},
	{1, 16, 10_000, 100_000, time.Minute},
	{1, 160, 100_000, 1_000_000, time.Minute},
	{1, 160, 100_000, 1_000_000, 30 * time.Second},
	{4, 160, 100_000, 1_000_000, 30 * time.Second},
}

// docs/scale.md describes clusters that nobody has. They are simulated here, with measured figures.
func TestScale_MatchesSimulation(t *testing.T) {
	if !*update {
		sandbox.Proof(t)
	}
	table := "| databases | nodes | thousand workspaces | thousand agents | a call of each | calls/s | nodes busy | database busy | " +
		"half within | 99 % within | longest when nodes die | memory of a node | open calls of a node |\n" + strings.Repeat("|---", 13) + "|\n"
	for _, c := range clusters {
		table += c.simulate()
	}
	region(t, "docs/scale.md", "scale", table)
}

// A moment is when something happens. Of those at the same time the first that was planned comes first.
type moment struct {
	at     time.Duration
	number int
	do     func()
}

type world struct {
	now    time.Duration
	ahead  *btree.BTreeG[moment]
	number int
	random *rand.Rand
	took   []time.Duration // by each call that was answered, from its first try on
	worst  time.Duration   // of these, in workspaces of nodes that died
}

func (w *world) after(d time.Duration, do func()) {
	w.number++
	w.ahead.Set(moment{w.now + d, w.number, do})
}

// A station has processors, and work that waits for them in line.
type station struct {
	idle int
	busy time.Duration
	line []func()
	dead bool
}

// work takes a processor for an exponential time.
func (w *world) work(s *station, mean time.Duration, then func()) {
	if s.idle == 0 {
		s.line = append(s.line, func() { w.work(s, mean, then) })
		return
	}
	s.idle--
	d := time.Duration(w.random.ExpFloat64() * float64(mean))
	s.busy += d
	w.after(d, func() {
		if s.idle++; len(s.line) > 0 {
			next := s.line[0]
			s.line = s.line[1:]
			next()
		}
		then()
	})
}

// A base is a database and its nodes.
type base struct {
	station
	nodes    []*station
	unsynced []func() // commits that wait for the log
	syncing  bool
}

func (w *world) sync(b *base) {
	all := b.unsynced
	if b.unsynced, b.syncing = nil, len(all) > 0; b.syncing {
		w.after(flush, func() { each(all); w.sync(b) })
	}
}

func each(of []func()) {
	for _, do := range of {
		do()
	}
}

// A space is a workspace: it has one owner and one commit at a time, of all calls that came since the last one.
type space struct {
	base       *base
	owner      *station
	moved      bool
	opening    []func() // calls that wait for the opening
	waiting    []func() // calls that wait for the next commit
	committing bool
}

// call is one of an agent. When the owner dies the client repeats it.
func (w *world) call(s *space, began time.Duration) {
	if s.owner.dead {
		w.move(s)
	}
	again := func() { w.call(s, began) }
	if s.opening != nil {
		s.opening = append(s.opening, again)
		return
	}
	owner := s.owner
	done := func() {
		if owner.dead {
			again()
			return
		}
		w.took = append(w.took, w.now-began)
		if s.moved {
			w.worst = max(w.worst, w.now-began)
		}
	}
	w.work(owner, nodeCall, func() {
		if owner.dead || w.random.Float64() >= writes {
			done()
			return
		}
		if s.waiting = append(s.waiting, done); !s.committing {
			w.commit(s)
		}
	})
}

func (w *world) commit(s *space) {
	calls := s.waiting
	s.waiting, s.committing = nil, len(calls) > 0
	if !s.committing {
		return
	}
	w.after(network, func() {
		w.work(&s.base.station, baseCommit, func() {
			s.base.unsynced = append(s.base.unsynced, func() { each(calls); w.commit(s) })
			if !s.base.syncing {
				w.sync(s.base)
			}
		})
	})
}

// move has another node take a workspace over. It does so for the first call that comes.
func (w *world) move(s *space) {
	s.owner, s.moved = s.base.nodes[1+w.random.IntN(len(s.base.nodes)-1)], true
	s.opening = []func(){}
	opened := func() { calls := s.opening; s.opening = nil; each(calls) }
	w.after(max(0, dies+election-w.now), func() {
		w.work(&s.base.station, 3*baseCommit, func() { w.work(s.owner, nodeOpen, opened) })
	})
}

func (w *world) beats(b *base) {
	w.work(&b.station, baseCommit, func() {})
	w.after(500*time.Millisecond, func() { w.beats(b) })
}

// arrivals makes calls of agents. A tenth of the workspaces has about a third of them.
func (w *world) arrivals(spaces []*space, every float64) {
	at := w.random.Float64()
	w.call(spaces[int(at*at*float64(len(spaces)))], w.now)
	w.after(time.Duration(w.random.ExpFloat64()*every), func() { w.arrivals(spaces, every) })
}

func (c cluster) simulate() string {
	earlier := func(a, b moment) bool { return cmp.Or(cmp.Compare(a.at, b.at), a.number-b.number) < 0 }
	w := &world{ahead: btree.NewBTreeG(earlier), random: rand.New(rand.NewPCG(1, 2))}
	bases, spaces := make([]*base, c.databases), make([]*space, c.workspaces)
	for i := range bases {
		bases[i] = &base{station: station{idle: baseCores}}
		for range c.nodes / c.databases {
			bases[i].nodes = append(bases[i].nodes, &station{idle: nodeCores})
			w.after(time.Duration(w.random.Int64N(int64(time.Second/2))), func() { w.beats(bases[i]) })
		}
		w.after(dies, func() { bases[i].nodes[0].dead = true })
	}
	for i := range spaces {
		b := bases[i%len(bases)]
		spaces[i] = &space{base: b, owner: b.nodes[w.random.IntN(len(b.nodes))]}
	}
	w.arrivals(spaces, float64(c.pace)/float64(c.agents))
	for next, _ := w.ahead.PopMin(); next.at < lasts; next, _ = w.ahead.PopMin() {
		w.now = next.at
		next.do()
	}
	return c.row(w, bases)
}

func (c cluster) row(w *world, bases []*base) string {
	var nodes, base time.Duration
	for _, b := range bases {
		base += b.busy
		for _, n := range b.nodes {
			nodes += n.busy
		}
	}
	slices.Sort(w.took)
	ms := func(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }
	within := func(share float64) string { return ms(w.took[int(share*float64(len(w.took)-1))]) }
	ofNode := func(all int) float64 { return float64(all) / float64(c.nodes) }
	share := nodes.Seconds()/lasts.Seconds()/float64(c.nodes*nodeCores) + ofNode(c.workspaces)*nodeIdle.Seconds()/nodeCores
	return fmt.Sprintf("| %d | %d | %g | %d | %.0f s | %.0f | %.1f %% | %.0f %% | %s | %s | %s | %.0f MB | %.0f |\n",
		c.databases, c.nodes, float64(c.workspaces)/1000, c.agents/1000, c.pace.Seconds(), float64(len(w.took))/lasts.Seconds(),
		100*share, 100*base.Seconds()/lasts.Seconds()/float64(c.databases*baseCores), within(0.5), within(0.99), ms(w.worst),
		megaNode+ofNode(c.workspaces)*megaOpen+ofNode(c.agents)*waits*megaWait, ofNode(c.agents)*waits)
}
