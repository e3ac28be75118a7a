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

// Measured values. Client, nodes and database ran on one machine with two processors; see docs/scale.md.
const (
	nodeCall   = 1600 * time.Microsecond // processor time of the node, for a call
	nodeOpen   = 6500 * time.Microsecond // processor time of the node, for the first call of a workspace
	nodeIdle   = 55 * time.Microsecond   // processor time of the node, for each second that a workspace is open
	baseCommit = 750 * time.Microsecond  // processor time of the database, for a commit with its share of later work
	flush      = 300 * time.Microsecond  // time to write the log of the database; all waiting commits share it
	election   = 280 * time.Millisecond  // from the end of a killed node to its successors

	megaNode, megaOpen, megaWait = 29, 0.26, 0.10 // memory of a node, and for each workspace and each call that waits, in MB
)

// Assumed values.
const (
	nodeCores, baseCores = 4, 16
	writes, waits        = 2.0 / 3, 0.5 // share of the calls that write; share of the agents that wait for mail in an open call

	network = 500 * time.Microsecond // from a node to the database and back
	lasts   = 20 * time.Second       // simulated time
	dies    = lasts / 2              // time at which the first node of each database is killed
)

// cluster is one line of the table.
type cluster struct {
	databases, nodes, workspaces, agents int           // nodes of all databases
	pace                                 time.Duration // average time between two calls of an agent; the calls are a Poisson process
}

var clusters = []cluster{
	{1, 3, 100, 1_000, time.Minute},
	{1, 4, 1_000, 10_000, time.Minute},
	{1, 16, 10_000, 100_000, time.Minute},
	{1, 160, 100_000, 1_000_000, time.Minute},
	{1, 160, 100_000, 1_000_000, 30 * time.Second},
	{4, 160, 100_000, 1_000_000, 30 * time.Second},
}

// docs/scale.md shows figures of clusters that nobody has measured. The test simulates these clusters with measured
// values of one machine.
func TestScale_MatchesSimulation(t *testing.T) {
	if !*update {
		sandbox.SkipUnlessProofs(t)
	}
	table := "| databases | nodes | thousand workspaces | thousand agents | a call of each | calls/s | nodes busy | database busy | " +
		"half within | 99 % within | longest when nodes die | memory of a node | open calls of a node |\n" + strings.Repeat("|---", 13) + "|\n"
	for _, c := range clusters {
		table += c.simulate()
	}
	compareRegion(t, "docs/scale.md", "scale", table)
}

// simulatedEvent is a function that the simulation runs at a time. Events at the same time run in the order of their
// numbers.
type simulatedEvent struct {
	at     time.Duration
	number int
	do     func()
}

type simulation struct {
	now    time.Duration
	ahead  *btree.BTreeG[simulatedEvent]
	number int
	random *rand.Rand
	took   []time.Duration // duration of each answered call, from its first try
	worst  time.Duration   // longest duration of a call in a workspace whose node was killed
}

func (w *simulation) schedule(d time.Duration, do func()) {
	w.number++
	w.ahead.Set(simulatedEvent{w.now + d, w.number, do})
}

// processorGroup holds the processors of a machine, and the work that waits for a processor.
type processorGroup struct {
	idle int
	busy time.Duration
	line []func()
	dead bool
}

// useProcessor takes a processor of s for a random time with an exponential distribution, and then calls then.
func (w *simulation) useProcessor(s *processorGroup, mean time.Duration, then func()) {
	if s.idle == 0 {
		s.line = append(s.line, func() { w.useProcessor(s, mean, then) })
		return
	}
	s.idle--
	d := time.Duration(w.random.ExpFloat64() * float64(mean))
	s.busy += d
	w.schedule(d, func() {
		if s.idle++; len(s.line) > 0 {
			next := s.line[0]
			s.line = s.line[1:]
			next()
		}
		then()
	})
}

// simulatedDatabase is a database with its nodes.
type simulatedDatabase struct {
	processorGroup
	nodes    []*processorGroup
	unsynced []func() // commits that wait for the log
	syncing  bool
}

func (w *simulation) syncLog(b *simulatedDatabase) {
	all := b.unsynced
	if b.unsynced, b.syncing = nil, len(all) > 0; b.syncing {
		w.schedule(flush, func() { runAll(all); w.syncLog(b) })
	}
}

func runAll(of []func()) {
	for _, do := range of {
		do()
	}
}

// simulatedWorkspace is a workspace with one owner. It makes one commit at a time, with all calls that came since the
// last commit.
type simulatedWorkspace struct {
	base       *simulatedDatabase
	owner      *processorGroup
	moved      bool
	opening    []func() // calls that wait for the opening
	waiting    []func() // calls that wait for the next commit
	committing bool
}

// callWorkspace makes a call of an agent. If the owner is killed, the client repeats the call.
func (w *simulation) callWorkspace(s *simulatedWorkspace, began time.Duration) {
	if s.owner.dead {
		w.moveWorkspace(s)
	}
	again := func() { w.callWorkspace(s, began) }
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
	w.useProcessor(owner, nodeCall, func() {
		if owner.dead || w.random.Float64() >= writes {
			done()
			return
		}
		if s.waiting = append(s.waiting, done); !s.committing {
			w.commitCalls(s)
		}
	})
}

func (w *simulation) commitCalls(s *simulatedWorkspace) {
	calls := s.waiting
	s.waiting, s.committing = nil, len(calls) > 0
	if !s.committing {
		return
	}
	w.schedule(network, func() {
		w.useProcessor(&s.base.processorGroup, baseCommit, func() {
			s.base.unsynced = append(s.base.unsynced, func() { runAll(calls); w.commitCalls(s) })
			if !s.base.syncing {
				w.syncLog(s.base)
			}
		})
	})
}

// moveWorkspace lets another node take a workspace over. The first call after the end of the owner starts it.
func (w *simulation) moveWorkspace(s *simulatedWorkspace) {
	s.owner, s.moved = s.base.nodes[1+w.random.IntN(len(s.base.nodes)-1)], true
	s.opening = []func(){}
	opened := func() { calls := s.opening; s.opening = nil; runAll(calls) }
	w.schedule(max(0, dies+election-w.now), func() {
		w.useProcessor(&s.base.processorGroup, 3*baseCommit, func() { w.useProcessor(s.owner, nodeOpen, opened) })
	})
}

func (w *simulation) sendBeats(b *simulatedDatabase) {
	w.useProcessor(&b.processorGroup, baseCommit, func() {})
	w.schedule(500*time.Millisecond, func() { w.sendBeats(b) })
}

// makeCalls makes calls of agents. A tenth of the workspaces gets about a third of the calls.
func (w *simulation) makeCalls(spaces []*simulatedWorkspace, every float64) {
	at := w.random.Float64()
	w.callWorkspace(spaces[int(at*at*float64(len(spaces)))], w.now)
	w.schedule(time.Duration(w.random.ExpFloat64()*every), func() { w.makeCalls(spaces, every) })
}

func (c cluster) simulate() string {
	earlier := func(a, b simulatedEvent) bool { return cmp.Or(cmp.Compare(a.at, b.at), a.number-b.number) < 0 }
	w := &simulation{ahead: btree.NewBTreeG(earlier), random: rand.New(rand.NewPCG(1, 2))}
	bases, spaces := make([]*simulatedDatabase, c.databases), make([]*simulatedWorkspace, c.workspaces)
	for i := range bases {
		bases[i] = &simulatedDatabase{processorGroup: processorGroup{idle: baseCores}}
		for range c.nodes / c.databases {
			bases[i].nodes = append(bases[i].nodes, &processorGroup{idle: nodeCores})
			w.schedule(time.Duration(w.random.Int64N(int64(time.Second/2))), func() { w.sendBeats(bases[i]) })
		}
		w.schedule(dies, func() { bases[i].nodes[0].dead = true })
	}
	for i := range spaces {
		b := bases[i%len(bases)]
		spaces[i] = &simulatedWorkspace{base: b, owner: b.nodes[w.random.IntN(len(b.nodes))]}
	}
	w.makeCalls(spaces, float64(c.pace)/float64(c.agents))
	for next, _ := w.ahead.PopMin(); next.at < lasts; next, _ = w.ahead.PopMin() {
		w.now = next.at
		next.do()
	}
	return c.tableRow(w, bases)
}

func (c cluster) tableRow(w *simulation, bases []*simulatedDatabase) string {
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
