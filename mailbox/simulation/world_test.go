package simulation_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"handoff/mailbox"
	"handoff/schemas"
	"handoff/schemas/sandbox"
	"handoff/store"
	"handoff/store/audit"
	"handoff/store/memory"
	"handoff/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(sandbox.New(m).Run()) }

// world is one workspace from its beginning on, in a bubble of testing/synctest. The seed decides all events: the
// calls of agents, the arrival of messages, the order of transactions, the passing of time, and the failures. One
// goroutine at a time runs, so a seed always leads to the same life.
type world struct {
	rnd     *rand.Rand
	fault   fault
	rows    store.Backend // the real rows, without gate and fault
	kept    *store.Store  // over rows, for the rules
	faulty  store.Backend
	gate    *gate
	service *mailbox.Service

	clients                     []*client
	mail                        []*call    // messages under way
	running                     []*attempt // under way in the process
	ids, count, attempts, moves int
	steps, writes               int

	mu    sync.Mutex // guards ended
	ended []*attempt

	seen   lastState
	log    clientKnowledge
	trace  []string
	heard  []string // answers, which come into the trace behind the events
	broken []brokenRule
}

// brokenRule is a broken rule.
type brokenRule struct {
	rule string
	err  error
}

// pending is the limit of handoffs in one mailbox.
const pending = 8

// simulate runs a workspace for the given number of moves, or until a rule is broken.
func simulate(t *testing.T, seed uint64, moves int, f fault) *world {
	t.Helper()
	l := &world{rnd: rand.New(rand.NewPCG(seed, 1)), fault: f, rows: memory.New(), seen: newLastState(), log: newClientKnowledge()}
	synctest.Test(t, func(*testing.T) {
		l.kept, l.faulty = store.New(l.rows), l.rows
		if seed%2 == 0 {
			l.faulty = storetest.RunUpdatesTwice(l.rows)
		}
		if f.rows != nil {
			l.faulty = f.rows(l, l.faulty)
		}
		l.open()
		l.addClients()
		for l.moves = 0; l.moves < moves && len(l.broken) == 0; l.moves++ {
			l.makeMove()
		}
		if len(l.broken) == 0 {
			l.finishCalls()
			l.checkStore()
		}
		l.close()
	})
	return l
}

// open begins a process over the rows.
func (l *world) open() {
	now := time.Now
	if l.fault.now != nil {
		now = l.fault.now
	}
	l.gate = &gate{Backend: l.faulty}
	l.service = mailbox.New(mailbox.Config{
		Store: store.New(l.gate), Now: now, Limits: schemas.Limits{Mailbox: pending},
		NewID: func(prefix string) string { l.ids++; return fmt.Sprintf("%s_%d", prefix, l.ids) },
	})
}

// close ends all that is under way.
func (l *world) close() {
	l.gate.close()
	for _, a := range l.running {
		a.cancel()
	}
	synctest.Wait()
}

// addClients creates four agents, two of them in a pool and one over HTTP, and a person.
func (l *world) addClients() {
	for _, by := range []schemas.Caller{
		{Agent: "lead", Via: schemas.ViaStdio},
		{Agent: "ann", Via: schemas.ViaStdio},
		{Agent: "bob", Via: schemas.ViaStdio},
		{Agent: "qa", Via: schemas.ViaHTTP},
		{Agent: schemas.Human, Via: schemas.ViaCLI, Proof: "terminal"},
	} {
		by.AgentID = string(by.Agent) + "-session"
		c := &client{by: by, maxOpen: map[schemas.Agent]int{"bob": 1, "qa": 2}[by.Agent], claims: map[schemas.ID]claim{}, old: map[schemas.ID][]string{}}
		l.clients = append(l.clients, c)
		if by.Via == schemas.ViaStdio {
			l.connectClient(c)
		}
		if by.Agent != schemas.Human {
			l.count++
			l.startAttempt(&call{n: l.count, client: c, by: by, in: c.card("task", "code", "review"), under: 1})
			l.admitAll()
		}
	}
}

func (c *client) card(accepts ...string) schemas.RegisterIn {
	return schemas.RegisterIn{Name: string(c.by.Agent), Accepts: accepts, MaxOpen: c.maxOpen}
}

// makeMove makes one of the possible moves.
func (l *world) makeMove() {
	synctest.Wait()
	type choice struct {
		weight int
		do     func()
	}
	var choices []choice
	may := func(weight int, can bool, do func()) {
		if can {
			choices = append(choices, choice{weight, do})
		}
	}
	unanswered := l.unansweredCalls()
	var here, idle, away []*client
	for _, c := range l.clients {
		switch {
		case c.by.Via == schemas.ViaStdio && c.by.Conn == "":
			away = append(away, c)
			continue
		case c.by.Agent != schemas.Human:
			here = append(here, c)
		}
		if len(c.calls) < 4 {
			idle = append(idle, c)
		}
	}
	may(300, true, func() { l.admitOne() })
	may(150, len(l.mail) > 0, func() { l.deliverMessage(l.rnd.IntN(len(l.mail))) })
	may(100, len(idle) > 0, func() { l.beginCall(pickOne(l, idle)) })
	may(60, len(unanswered) > 0, func() { l.repeatCall(pickOne(l, unanswered)) })
	may(30, true, func() { l.passTime(time.Duration(1+l.rnd.IntN(3000)) * time.Millisecond) })
	may(2, true, func() { l.passTime(time.Duration(1+l.rnd.IntN(25)) * time.Minute) })
	may(4, len(here) > 0, func() { l.hangUp(pickOne(l, here)) })
	may(20, len(away) > 0, func() { l.connectClient(pickOne(l, away)) })
	may(1, true, l.restartService)
	may(8, true, l.finishCalls)
	n := 0
	for _, c := range choices {
		n += c.weight
	}
	n = l.rnd.IntN(n)
	for _, c := range choices {
		if n -= c.weight; n < 0 {
			c.do()
			break
		}
	}
	l.judgeStep(nil, false, l.collectAnswers())
}

func pickOne[T any](l *world, from []T) T { return from[l.rnd.IntN(len(from))] }

// passTime lets time pass. Calls that wait for it come to the gate meanwhile.
func (l *world) passTime(d time.Duration) {
	l.logLine("%v pass", d)
	time.Sleep(d)
}

// admitAll admits all transactions that wait at the gate.
func (l *world) admitAll() {
	for range 2000 {
		if len(l.broken) > 0 || !l.admitOne() {
			return
		}
	}
	l.noteBroken("all comes to rest", fmt.Errorf("calls go on for ever"))
}

// finishCalls admits all transactions until no call can continue, and lets the clock apply the changes that are due.
// Then it checks the rules about waiting calls and about changes that were not applied.
func (l *world) finishCalls() {
	l.logLine("rest")
	l.admitAll()
	l.passTime(time.Second)
	l.admitAll()
	if len(l.broken) == 0 && slices.ContainsFunc(l.running, (*attempt).waits) {
		l.applyRules(&step{world: l}, waitingRules)
	}
	person := l.clients[len(l.clients)-1]
	l.count++
	l.startAttempt(&call{n: l.count, client: person, by: person.by, in: schemas.ListIn{Box: "all", Limit: 1}, under: 1})
	l.admitAll()
	if len(l.broken) == 0 {
		l.applyRules(&step{world: l}, restingRules)
	}
}

// checkStore compares all indexes, all counters and the registry.
func (l *world) checkStore() {
	out, err := audit.ExamineStore(context.Background(), l.kept, nil)
	l.noteBroken("the store is whole", err)
	if !out.OK {
		l.noteBroken("the store is whole", fmt.Errorf("%v", out.Faults))
	}
}

// noteBroken notes that a rule is broken, if there is an error.
func (l *world) noteBroken(rule string, err error) {
	if err != nil {
		l.logLine("BROKEN: %s: %v", rule, err)
		l.broken = append(l.broken, brokenRule{rule, err})
	}
}

// rulesBroken returns the names of the broken rules.
func (l *world) rulesBroken() (names []string) {
	for _, b := range l.broken {
		names = append(names, b.rule)
	}
	return names
}

// isRuleBroken reports whether a rule was broken.
func (l *world) isRuleBroken(rule string) bool { return slices.Contains(l.rulesBroken(), rule) }

// logLine writes a line of the trace.
func (l *world) logLine(format string, args ...any) {
	l.trace = append(l.trace, time.Now().UTC().Format("02 15:04:05.000 ")+fmt.Sprintf(format, args...))
}

// lastLines returns the trace or its last lines.
func (l *world) lastLines(lines int) string {
	return strings.Join(l.trace[max(0, len(l.trace)-lines):], "\n")
}

// describeCall describes a call in one line.
func describeCall(in any) string {
	b, _ := json.Marshal(in)
	return fmt.Sprintf("%T %s", in, b)
}

// describeAnswer describes the answer of an attempt in a few words.
func describeAnswer(a *attempt) string {
	switch out := a.out.(type) {
	case nil:
	case schemas.SendOut:
		if a.err == nil {
			return fmt.Sprintf("sent %s%v", out.HandoffID, out.Parts)
		}
	case schemas.ClaimOut:
		if a.err == nil {
			return fmt.Sprintf("claimed %s %s", out.HandoffID, out.Token)
		}
	}
	if a.err != nil {
		e := schemas.AsError(a.err)
		return fmt.Sprintf("%s: %s", e.Code, e.Message)
	}
	return "done"
}
