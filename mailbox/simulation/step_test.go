package simulation_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"maps"
	"slices"

	"handoff/mailbox/life"
	"handoff/schemas"
	"handoff/store"
)

// lastState is the state of the workspace after the previous step.
type lastState struct {
	records map[schemas.ID]*store.Record
	raw     map[schemas.ID][]byte // the same records as stored bytes
	order   []schemas.ID
	unread  map[string]bool // keys of notices
	events  uint64
}

func newLastState() lastState {
	return lastState{records: map[schemas.ID]*store.Record{}, raw: map[schemas.ID][]byte{}, unread: map[string]bool{}}
}

// clientKnowledge holds the clients' answers, and their requests at that time.
type clientKnowledge struct {
	claims  map[schemas.ID]*knownClaim // claims that a client knows and that did not end since
	tokens  map[string]schemas.Agent   // the agent that got the token
	sent    map[schemas.ID]schemas.SendIn
	waits   map[schemas.ID][]schemas.ID // dependencies of each sent handoff
	most    map[schemas.Workflow]float64
	keys    map[string]schemas.ID
	effects map[string]int        // by request id, how often it changed something
	took    map[string]knownClaim // by request id, the claim that it made
}

func newClientKnowledge() clientKnowledge {
	return clientKnowledge{
		claims: map[schemas.ID]*knownClaim{}, tokens: map[string]schemas.Agent{}, sent: map[schemas.ID]schemas.SendIn{},
		waits: map[schemas.ID][]schemas.ID{}, most: map[schemas.Workflow]float64{}, keys: map[string]schemas.ID{},
		effects: map[string]int{}, took: map[string]knownClaim{},
	}
}

// knownClaim is a claim.
type knownClaim struct {
	id    schemas.ID
	agent schemas.Agent
	token string
}

// step is one transaction, with the answers that clients got. The rules are checked after each step.
type step struct {
	*store.View
	*world
	by      *call // the call that made the transaction; nil for none
	changes []*change
	events  []schemas.Event
	told    []*attempt
}

// change is the change of one handoff in a step. was is nil for a new handoff, and now is nil for a deleted handoff.
type change struct {
	id       schemas.ID
	was, now *store.Record
	events   []schemas.Event
}

// judgeStep finds the changes of a step, and judges it.
func (l *world) judgeStep(by *attempt, wrote bool, answers []*attempt) {
	defer l.logHeardAnswers()
	if !wrote && len(answers) == 0 || len(l.broken) > 0 {
		return
	}
	s := &step{world: l, told: answers}
	if by != nil {
		s.by = by.call
	}
	raw := l.readRaw(store.Records)
	err := l.kept.View(context.Background(), func(v *store.View) error {
		for e, err := range v.EventsAfter(l.seen.events) {
			if err != nil {
				return err
			}
			s.events = append(s.events, e)
		}
		return s.compare(v, raw)
	})
	l.noteBroken("each row can be read", err)
	for _, e := range s.events {
		l.logLine("  event %d: %s by %s %s→%s %s", e.N, e.Handoff, e.Agent, e.From, e.To, e.Action)
	}
	l.logHeardAnswers()
	l.applyRules(s, rules)
	if s.firstCallerEvent() != nil {
		by.done = true
	}
	l.rememberState(s, raw)
	if len(s.events) > 0 {
		if l.writes++; l.writes%40 == 0 {
			l.checkStore()
		}
	}
}

func (l *world) logHeardAnswers() {
	for _, answer := range l.heard {
		l.logLine("%s", answer)
	}
	l.heard = nil
}

// readRaw returns all rows of a space.
func (l *world) readRaw(of store.Space) map[string][]byte {
	rows := map[string][]byte{}
	err := l.rows.View(context.Background(), func(r store.Reader) error {
		for row, err := range r.Scan(store.Range{Space: of}) {
			if err != nil {
				return err
			}
			rows[string(row.Key)] = row.Value // package memory never changes it
		}
		return nil
	})
	l.noteBroken("each row can be read", err)
	return rows
}

// compare finds the handoffs whose rows changed since the last step, or that new events mention.
func (s *step) compare(v *store.View, raw map[string][]byte) error {
	concerned := map[schemas.ID]*change{}
	concern := func(id schemas.ID) *change {
		if concerned[id] == nil {
			concerned[id] = &change{id: id, was: s.seen.records[id], now: s.seen.records[id]}
		}
		return concerned[id]
	}
	for key, value := range raw {
		if id := schemas.ID(binary.BigEndian.Uint64([]byte(key))); !bytes.Equal(value, s.seen.raw[id]) {
			now, err := v.Record(id)
			if err != nil {
				return err
			}
			concern(id).now = now
		}
	}
	for id := range s.seen.raw {
		if raw[string(binary.BigEndian.AppendUint64(nil, uint64(id)))] == nil {
			concern(id).now = nil
		}
	}
	for _, e := range s.events {
		if e.Handoff != 0 {
			c := concern(e.Handoff)
			c.events = append(c.events, e)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(concerned)) {
		s.changes = append(s.changes, concerned[id])
	}
	return nil
}

// rememberState keeps the state after a judged step.
func (l *world) rememberState(s *step, raw map[string][]byte) {
	for _, c := range s.changes {
		if c.now == nil {
			delete(l.seen.records, c.id)
			delete(l.seen.raw, c.id)
			continue
		}
		if c.was == nil {
			l.seen.order = append(l.seen.order, c.id)
		}
		l.seen.records[c.id] = c.now
		l.seen.raw[c.id] = raw[string(binary.BigEndian.AppendUint64(nil, uint64(c.id)))]
		if t := l.log.claims[c.id]; t != nil && !t.stillHolds(c.now) {
			delete(l.log.claims, c.id)
		}
	}
	if n := len(s.events); n > 0 {
		l.seen.events = s.events[n-1].N
	}
	l.seen.unread = s.readUnreadKeys()
	l.countEffect(s)
	for _, a := range s.told {
		l.learnFromAnswer(a)
	}
}

func (s *step) readUnreadKeys() map[string]bool {
	unread := map[string]bool{}
	for key := range s.readRaw(store.Unread) {
		unread[key] = true
	}
	return unread
}

// stillHolds reports whether a claim is still the current claim of a record.
func (t *knownClaim) stillHolds(r *store.Record) bool {
	return r != nil && r.Status.IsHeld() && r.Holder == t.agent && r.Token == t.token
}

// countEffect counts the changes of a call, by its request id.
func (l *world) countEffect(s *step) {
	if e := s.firstCallerEvent(); e != nil {
		l.log.effects[s.by.by.Request]++
		if e.Action == "claimed" || e.Action == "reclaimed" {
			r := l.seen.records[e.Handoff]
			l.log.took[s.by.by.Request] = knownClaim{e.Handoff, r.Holder, r.Token}
		}
	}
}

// firstCallerEvent returns the first event of a step that the caller made, or nil. It skips the refusal of a result,
// because the service keeps the refusal, and the work stays as it was.
func (s *step) firstCallerEvent() *schemas.Event {
	if s.by == nil || s.by.by.Request == "" {
		return nil
	}
	for _, e := range s.events {
		if e.Via != schemas.ViaClock && e.Action != string(life.RefuseResult) {
			return &e
		}
	}
	return nil
}

// claimOfAnswer returns the claim in an answer, or nil.
func claimOfAnswer(a *attempt) *knownClaim {
	switch out := a.out.(type) {
	case schemas.ClaimOut:
		if a.err == nil && out.Token != "" {
			return &knownClaim{out.HandoffID, a.call.by.Agent, out.Token}
		}
	case schemas.GetOut: // the holder that asked gets its claim back with the answer
		if a.err == nil && out.Token != "" {
			return &knownClaim{out.HandoffID, a.call.by.Agent, out.Token}
		}
	}
	return nil
}

// learnFromAnswer keeps an answer: in the log, and in the client's knowledge.
func (l *world) learnFromAnswer(a *attempt) {
	c := a.call.client
	if t := claimOfAnswer(a); t != nil {
		l.log.tokens[t.token] = t.agent
		if t.stillHolds(l.seen.records[t.id]) {
			l.log.claims[t.id] = t
		}
		if before := c.claims[t.id].token; before != "" && before != t.token {
			c.old[t.id] = append(c.old[t.id], before)
		}
		know := claim{token: t.token}
		if out, ok := a.out.(schemas.ClaimOut); ok {
			know.criteria = out.Criteria
		}
		c.claims[t.id] = know
	}
	if out, ok := a.out.(schemas.SendOut); ok && a.err == nil && out.HandoffID != 0 {
		l.learnSent(a.call.in.(schemas.SendIn), out, c.by.Agent)
	}
	if a.call.answer == nil && a.err == nil {
		a.call.answer = a.out
	}
}

func (l *world) learnSent(in schemas.SendIn, out schemas.SendOut, by schemas.Agent) {
	l.log.sent[out.HandoffID] = in
	for _, id := range out.Parts {
		l.log.sent[id] = in
	}
	if in.Options == nil {
		return
	}
	for _, id := range slices.Concat(in.Options.After, in.Options.AfterAccepted) {
		var dep schemas.ID
		_ = dep.UnmarshalText([]byte(id)) // as it was written by another
		for _, sent := range append(slices.Clone(out.Parts), out.HandoffID) {
			l.log.waits[sent] = append(l.log.waits[sent], dep)
		}
	}
	if out.Joined != 0 {
		l.log.waits[out.Joined] = out.Parts
	}
	if in.Key != "" {
		l.log.keys[string(by)+" "+in.Key] = out.HandoffID
	}
	if most := in.Options.Limits[schemas.LimitHandoffs]; most > 0 && by != schemas.Human {
		if had, ok := l.log.most[out.Workflow]; !ok || most < had {
			l.log.most[out.Workflow] = most
		}
	}
}

// applyRules holds rules against a step.
func (l *world) applyRules(s *step, rules []rule) {
	err := l.kept.View(context.Background(), func(v *store.View) error {
		s.View = v
		for _, r := range rules {
			l.noteBroken(r.name, r.broken(s))
		}
		return nil
	})
	l.noteBroken("each row can be read", err)
}
