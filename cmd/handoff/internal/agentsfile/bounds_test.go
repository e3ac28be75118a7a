package agentsfile_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"handoff/cmd/handoff/internal/agentsfile"
	"handoff/mailbox"
	"handoff/mailbox/mailboxtest"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/schemas/sandbox"
	"handoff/store"
)

// wild makes files of rules and lives by chance.
type wild struct{ *rand.Rand }

type object = map[string]any

func (g wild) of(choices ...string) string { return choices[g.IntN(len(choices))] }
func (g wild) maybe(in int) bool           { return g.IntN(in) == 0 }
func (g wild) several(most int) []object   { return make([]object, 1+g.IntN(most)) }
func (g wild) deadline() string            { return g.of("1s", "1s", "2s", "30s", "10m", "3h") }

// put sets each field in one of so many cases.
func (g wild) put(o object, in int, fields object) object {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if g.maybe(in) {
			o[name] = fields[name]
		}
	}
	return o
}

func (g wild) send() object {
	to := g.of("q", "a", "b", "human", "role:r", "capability:c", "{{handoff.to}}", "{{handoff.holder}}", "{{root.from}}")
	o := g.put(object{"to": to, "task": g.of("x", "{{handoff.task}} {{outcome.summary}}", "{{root.task}}", "{{handoff.id}}")}, 6, object{
		"type": g.of("message", "code", "message"), "priority": g.of("low", "critical"), "title": "{{handoff.title}}", "tags": []string{"t"},
		"key": g.of("k", "{{handoff.id}}"), "rollback": object{"on_failure": g.of("a", "b", "human")}, "summary": "{{outcome.notes}}",
		"expectations": object{"review": g.of("a", "human", "role:r")}, "data": object{"n": "{{handoff.depth}}"},
	})
	g.put(o, 2, object{"deadline": g.deadline()})
	if g.maybe(3) {
		each := []string{"1", "2", "3", "{{handoff.id}}"}
		o["options"] = g.put(object{}, 4, object{
			"each": each[:1+g.IntN(4)], "join": object{"to": g.of("q", "human"), "task": "all", "deadline": g.deadline()}, "not_before": g.deadline(),
			"no_takers": g.of("wait", "return", "human", "generalist"), "max_attempts": 1 + g.IntN(3), "needs_approval": true, "force": true,
			"limits": object{g.of("max_handoffs", "workflow_handoffs", "rounds"): 1 + g.IntN(50)}, "phase": "p",
		})
	}
	return o
}

func (g wild) when(o object) object {
	return g.put(o, 3, object{"when": g.of("outcome.passed", "!outcome.passed", "handoff.depth < 4", `handoff.from == "system"`, `handoff.to != "human"`,
		`handoff.type == "code"`, "handoff.round > 1", "handoff.attempt < 2", `outcome.status in ["failed", "timed_out"]`, "size(handoff.tags) == 0", "true")})
}

func (g wild) route() object {
	events := []string{"sent", "completed", "accepted", "returned", "failed", "rejected", "cancelled"}
	g.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
	sends := g.several(1 + g.IntN(2)*g.IntN(8))
	for i := range sends {
		sends[i] = g.send()
	}
	on := events[:g.IntN(4)]
	if len(on) == 0 || g.maybe(2) {
		on = append([]string{"timed_out"}, on...)
	}
	o := g.when(object{"on": on, "send": sends})
	return g.put(o, 5, object{"join": g.send(), "name": g.of("again", "on")})
}

func (g wild) plan() (units []any) {
	names := []string{"one", "two", "three", "four"}
	for i, name := range names[:2+g.IntN(3)] {
		unit := g.send()
		if unit["step"] = name; i > 0 {
			g.put(g.when(unit), 3, object{"next": g.of("two", "three", "end")})
		}
		if units = append(units, unit); i > 0 && g.maybe(4) {
			other := g.send()
			other["step"] = name + "-too"
			units[i] = []any{unit, other}
		}
	}
	return units
}

// file is one that handoff agents check accepts.
func (g wild) file(t *testing.T, name string) schemas.DeclaringFile {
	for {
		o := object{"workflows": object{"p" + name: g.plan()}}
		routes := g.several(1 + g.IntN(4))
		for i := range routes {
			routes[i] = g.route()
		}
		o["routes"] = routes
		text, err := json.Marshal(o)
		require.NoError(t, err)
		said, problems := agentsfile.Parse(text, true)
		if said.Name = name; len(problems) == 0 {
			return said
		}
	}
}

// counting counts the transactions of a store.
type counting struct {
	store.Backend
	updates int
}

func (c *counting) Update(ctx context.Context, fn func(store.Writer) error) error {
	c.updates++
	return c.Backend.Update(ctx, fn)
}

// act does a random action that an agent or a person may do, and returns its number of calls. A refusal is as good as a
// success.
func (g wild) act(ctx context.Context, w *mailboxtest.World, newest int) (calls int) {
	by := schemas.Caller{Agent: schemas.Agent(g.of("a", "b", "q", "human")), Via: schemas.ViaCLI, Proof: "terminal"}
	id := fmt.Sprint(1 + g.IntN(newest+1))
	switch g.IntN(min(8, 2+newest)) {
	case 0, 1:
		in := schemas.SendIn{To: g.of("q", "a", "role:r", "workflow:pmine", "workflow:ptheirs", "human"), Task: "go", Deadline: g.deadline()}
		_, _ = w.Send(ctx, by, in)
	case 2, 3:
		got, err := w.Claim(ctx, by, schemas.ClaimIn{})
		if err == nil && g.maybe(2) {
			_, _ = w.Complete(ctx, by, schemas.CompleteIn{HandoffID: got.HandoffID.String(), Token: got.Token, Result: schemas.Result{Summary: "done"}})
		} else if err == nil && g.maybe(2) {
			in := schemas.FailIn{HandoffID: got.HandoffID.String(), Token: got.Token, Outcome: schemas.Outcome(g.of("", "rejected"))}
			in.Description, in.Then = "no", schemas.FailureContinuation(g.of("", "rollback", "retry", "escalate"))
			_, _ = w.Fail(ctx, by, in)
		}
	default:
		action := g.of("cancel", "accept", "return", "retry", "approve", "release")
		_, _ = w.Update(ctx, by, schemas.UpdateIn{HandoffID: id, Action: schemas.Action(action), Note: "so"})
	}
	return 2
}

// made counts handoffs, and the ones that rules sent: in all, in each workflow and in each hour.
type made struct {
	all, rules int
	in         map[any]int
}

// newer adds the handoffs behind those that were counted, and gives how many of them rules sent.
func (m *made) newer(t *testing.T, w *mailboxtest.World, last int) (all, rules int) {
	require.NoError(t, w.Store.View(t.Context(), func(v *store.View) error {
		for {
			r, err := v.Record(schemas.ID(last + all + 1))
			if r == nil || err != nil {
				return err
			}
			all++
			h, err := reading.ReadHandoff(v, r)
			if err != nil {
				return err
			}
			if h.ByRule() != nil && r.RetryOf == 0 {
				rules++
				m.in[r.Workflow]++
				m.in[r.Created.Time().Truncate(time.Hour)]++
			}
		}
	}))
	m.all, m.rules = m.all+all, m.rules+rules
	return all, rules
}

// life is a workspace with two files, whose clock stands unless somebody looks.
type life struct {
	wild
	*mailboxtest.World
	t       *testing.T
	backend *counting
	looking time.Time // since when

	calls            []time.Duration
	byTime, byAgents made
}

// look applies overdue actions, in several calls if needed, and checks the bounds of docs/guarantees.md.
func (l *life) look() {
	for behind := true; behind; {
		l.backend.updates, l.looking = 0, time.Now()
		out, err := l.List(l.t.Context(), schemas.Caller{Agent: "a"}, schemas.ListIn{Box: "all"})
		took := time.Since(l.looking)
		l.Pass(took)
		l.looking, l.calls, behind = time.Time{}, append(l.calls, took), len(out.Warnings) > 0
		require.NoError(l.t, err)
		_, rules := l.byTime.newer(l.t, l.World, l.byTime.all+l.byAgents.all)
		require.LessOrEqual(l.t, rules, 200*(l.backend.updates+1), "one transaction sends little")
	}
	for key, n := range l.byTime.in {
		if _, isHour := key.(time.Time); isHour {
			require.LessOrEqual(l.t, n, 2_000, key)
		} else {
			require.LessOrEqual(l.t, n, 200, key)
		}
	}
	require.LessOrEqual(l.t, l.byTime.all-l.byTime.rules, l.byAgents.all+l.byTime.rules, "one at most follows each that ended badly")
}

// act does something, at a moment at which nothing is due.
func (l *life) act() {
	l.look()
	_, err := l.List(l.t.Context(), schemas.Caller{Agent: "a"}, schemas.ListIn{}) // until now
	require.NoError(l.t, err)
	l.byTime.newer(l.t, l.World, l.byTime.all+l.byAgents.all)
	begun := time.Now()
	calls := l.wild.act(l.t.Context(), l.World, l.byTime.all+l.byAgents.all)
	l.calls = append(l.calls, time.Since(begun))
	_, rules := l.byAgents.newer(l.t, l.World, l.byTime.all+l.byAgents.all)
	require.LessOrEqual(l.t, rules, 100*calls)
}

// live lets a workspace live for some hours.
func (g wild) live(t *testing.T) *life {
	l := &life{wild: g, t: t, backend: &counting{Backend: mailboxtest.NewFileBackend(t)}, byTime: made{in: map[any]int{}}, byAgents: made{in: map[any]int{}}}
	l.World = mailboxtest.New(t, mailboxtest.InBackend(l.backend), func(c *mailbox.Config) {
		stands := c.Now
		c.Now = func() time.Time {
			if l.looking.IsZero() {
				return stands()
			}
			return stands().Add(time.Since(l.looking))
		}
	})
	_, err := l.Declare(t.Context(), schemas.Caller{Via: schemas.ViaCLI}, schemas.DeclareIn{Leave: true, Files: []schemas.DeclaringFile{g.file(t, "mine"), g.file(t, "theirs")}})
	require.NoError(t, err)
	acts := 1 + g.IntN(2)*g.IntN(2)*g.IntN(15)
	for i := range acts + g.IntN(12) {
		if l.Pass([]time.Duration{0, time.Second, 2 * time.Second, 2 * time.Second, time.Minute, 20 * time.Minute, 2 * time.Hour}[g.IntN(7)]); i < acts {
			l.act()
		}
		if l.look(); g.maybe(10) {
			l.Restart()
		}
	}
	return l
}

// Random rules in random lives stay within the bounds at all times. HANDOFF_WILD is their number, and HANDOFF_SEED
// the first seed.
func TestWildRules_StayWithinTheirBounds(t *testing.T) {
	lives := sandbox.Repetitions(100)
	if n, err := strconv.Atoi(os.Getenv("HANDOFF_WILD")); err == nil {
		lives = n
	}
	first, _ := strconv.Atoi(os.Getenv("HANDOFF_SEED"))
	var calls []time.Duration
	var sizes, byTime []int
	for seed := range lives {
		seed += first
		t.Run(strconv.Itoa(seed), func(t *testing.T) {
			l := wild{rand.New(rand.NewPCG(uint64(seed), 1))}.live(t)
			calls, sizes, byTime = append(calls, l.calls...), append(sizes, l.byTime.all+l.byAgents.all), append(byTime, l.byTime.rules)
		})
	}
	slices.Sort(calls)
	slices.Sort(sizes)
	slices.Sort(byTime)
	t.Logf("%d lives of %d calls: %v in the middle, %v at most; %d handoffs, %d at most; %d of rules because of time, %d at most",
		lives, len(calls), calls[len(calls)/2], calls[len(calls)-1], sizes[len(sizes)/2], sizes[len(sizes)-1], byTime[len(sizes)/2], byTime[len(sizes)-1])
}
