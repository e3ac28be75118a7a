package simulation_test

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"handoff/mailbox/life"
	"handoff/mailbox/reading"
	"handoff/mailbox/roster"
	"handoff/schemas"
	"handoff/store"
	"handoff/tools/toolstest"
)

// rule is a rule that holds after each step. Its function checks the store, the clients' answers, and the changes of
// the step, and returns an error if the rule is broken.
type rule struct {
	name   string
	broken func(*step) error
}

// rules hold after each step.
var rules = []rule{
	{"no call fails by itself", answeredInternalError},
	{"a refusal advises calls that exist", badAdvice},
	{"each change has its event", changeWithoutEvent},
	{"each event has its change", eventWithoutChange},
	{"the table allows each step", eventOutsideTable},
	{"no acknowledged claim is lost", claimLost},
	{"nobody claims what another holds", claimedTwice},
	{"what was acknowledged is there", acknowledgedChangeLost},
	{"leases are respected", leaseIgnored},
	{"nothing is freed before its time", claimedBeforeDependencies},
	{"returned work is done again", returnedWorkNotRepeated},
	{"a verdict takes effect", verdictWithoutEffect},
	{"no notice is lost", noticeLost},
	{"a repeated call has one effect", repeatChangedAgain},
	{"what is refused changes nothing", refusedCallChangedStore},
	{"limits hold", limitIgnored},
	{"nobody holds what it is excluded from", heldByExcludedAgent},
	{"no agent reviews its own work", reviewedByAuthor},
}

// waitingRules hold when nothing is under way but waits, and there is one.
var waitingRules = []rule{
	{"who waits applies what is due", dueChangeNotApplied},
	{"nothing lies that somebody waits for", pendingDespiteWaiter},
}

// restingRules hold when only long polls are running and the clock has applied all changes that are due.
var restingRules = []rule{
	{"leases are respected", dueChangeNotApplied},
	{"no wait is longer than it was asked for", longPollWaitsTooLong},
	{"nothing lies that somebody waits for", pendingDespiteWaiter},
}

// judgeChanges judges the changes of a step one by one.
func (s *step) judgeChanges(judge func(*change) error) error {
	for _, c := range s.changes {
		if c.now == nil {
			continue
		}
		if err := judge(c); err != nil {
			return fmt.Errorf("%s: %w", c.id, err)
		}
	}
	return nil
}

func answeredInternalError(s *step) error {
	for _, a := range s.told {
		if a.err != nil && schemas.AsError(a.err).Code == schemas.Internal {
			return fmt.Errorf("call %d: %w", a.call.n, a.err)
		}
	}
	return nil
}

func badAdvice(s *step) error {
	for _, a := range s.told {
		if a.err == nil {
			continue
		}
		if faults := toolstest.AdviceFaults(schemas.AsError(a.err).Next); len(faults) > 0 {
			return fmt.Errorf("call %d: %v", a.call.n, faults)
		}
	}
	return nil
}

func changeWithoutEvent(s *step) error {
	for _, c := range s.changes {
		n := len(c.events)
		if n == 0 || c.now != nil && c.now.Event != c.events[n-1].N {
			return fmt.Errorf("%s changed, and the registry does not tell of it", c.id)
		}
	}
	return nil
}

func eventWithoutChange(s *step) error {
	for i, e := range s.events {
		if e.N != s.seen.events+uint64(i)+1 {
			return fmt.Errorf("event %d comes after %d", e.N, s.seen.events+uint64(i))
		}
	}
	raw := s.readRaw(store.Records)
	for _, c := range s.changes {
		if n := len(c.events); n > 0 && c.events[n-1].State != digest(raw[indexKey(c.id)]) {
			return fmt.Errorf("%s is not as event %d left it", c.id, c.events[n-1].N)
		}
	}
	return nil
}

func indexKey(id schemas.ID) string {
	return string([]byte{byte(id >> 56), byte(id >> 48), byte(id >> 40), byte(id >> 32), byte(id >> 24), byte(id >> 16), byte(id >> 8), byte(id)})
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// eventOutsideTable checks events against the table of package life, and each event against the event before it.
func eventOutsideTable(s *step) error {
	return s.judgeChanges(func(c *change) error {
		at := schemas.Status("")
		if c.was != nil {
			at = c.was.Status
		}
		for _, e := range c.events {
			to, ok := life.TransitionFor(life.Action(e.Action), e.From)
			free := slices.Contains([]life.Action{life.Send, life.Forward, life.Late}, life.Action(e.Action)) ||
				life.Action(e.Action) == life.Message && e.From == e.To // about its parent, which stays as it is
			if e.From != at || !free && (!ok || to.To != e.To) {
				return fmt.Errorf("was %s, and event %d says %s from %s to %s", at, e.N, e.Action, e.From, e.To)
			}
			at = e.To
		}
		if at != c.now.Status {
			return fmt.Errorf("is %s, and its last event says %s", c.now.Status, at)
		}
		return nil
	})
}

// ends lists the events that may end a claim. An answered holder gets a new claim.
var ends = []life.Action{
	life.Complete, life.Fail, life.Reject, life.Decline, life.Requeue, life.Exhaust, life.Expire, life.Cancel, life.Answer, life.Reclaim,
}

// claimLost finds claims that a client knows and that ended without a reason.
func claimLost(s *step) error {
	for _, a := range s.told {
		t := claimOfAnswer(a)
		if t == nil {
			continue
		}
		r, err := s.Record(t.id)
		if err != nil || r == nil || r.Token != t.token && !slices.Contains(r.Voided, t.token) {
			return fmt.Errorf("%s was told of %s of %s, and that is not kept", t.agent, t.token, t.id)
		}
	}
	for _, c := range s.changes {
		t := s.log.claims[c.id]
		if t == nil || t.stillHolds(c.now) {
			continue
		}
		reason := slices.ContainsFunc(c.events, func(e schemas.Event) bool {
			return slices.Contains(ends, life.Action(e.Action)) || e.Action == string(life.Release) && s.mayRelease()
		})
		if !reason {
			return fmt.Errorf("%s was told that it holds %s, and does not any more", t.agent, c.id)
		}
	}
	return nil
}

// mayRelease reports whether a step may release a claim that its holder knows, because the call of the step asks for
// the release.
func (s *step) mayRelease() bool {
	in, is := s.callInput().(schemas.UpdateIn)
	return is && in.Action == schemas.ActRelease
}

func claimedTwice(s *step) error {
	for _, a := range s.told {
		if t := claimOfAnswer(a); t != nil && cmp.Or(s.log.tokens[t.token], t.agent) != t.agent {
			return fmt.Errorf("%s and %s were told that they hold %s", s.log.tokens[t.token], t.agent, t.id)
		}
	}
	return s.judgeChanges(func(c *change) error {
		held := c.was != nil && c.was.Status.IsHeld()
		for _, e := range c.events {
			if e.Action == string(life.Claim) && held {
				return fmt.Errorf("%s claims it, and %s holds it", e.Agent, c.was.Holder)
			}
			held = e.To.IsHeld()
		}
		return nil
	})
}

func acknowledgedChangeLost(s *step) error {
	for _, a := range s.told {
		if a.err != nil {
			continue
		}
		var ids []schemas.ID
		outcome := false
		switch out := a.out.(type) {
		case schemas.SendOut:
			if ids = append(out.Parts, out.HandoffID); out.Joined != 0 {
				ids = append(ids, out.Joined)
			}
			if out.NoticeID != 0 {
				ids = nil
			}
		case schemas.CompleteOut:
			ids, outcome = []schemas.ID{out.HandoffID}, true
		case schemas.FailOut:
			ids, outcome = []schemas.ID{out.HandoffID}, out.FailureID != ""
		}
		for _, id := range ids {
			r, err := s.Record(id)
			if err != nil || r == nil || outcome && !r.Status.HasEnded() {
				return fmt.Errorf("call %d was told of %s", a.call.n, id)
			}
		}
	}
	return nil
}

// leaseIgnored finds outcomes with a claim token that was no longer valid, and claims that ended before their lease.
func leaseIgnored(s *step) error {
	return s.judgeChanges(func(c *change) error {
		if c.was == nil {
			return nil
		}
		token := ""
		if s.by != nil {
			token = claimTokenInCall(s.by.in, c.id)
		}
		for _, e := range c.events {
			switch a := life.Action(e.Action); {
			case token != "" && token != c.was.Token && slices.Contains([]life.Action{life.Complete, life.Fail, life.Progress, life.Ask, life.Release}, a):
				return fmt.Errorf("%s with %s, and the token is %s", e.Action, token, c.was.Token)
			case (a == life.Requeue || a == life.Exhaust) && (c.was.Lease == 0 || e.At.Before(e.Due)):
				return fmt.Errorf("%s at %v, and the lease ends at %v", e.Action, e.At, e.Due)
			case (a == life.Requeue || a == life.Exhaust) && s.isConnectionOpen(c.was.Conn) && e.At.Sub(c.was.Touched.Time()) < 2*time.Hour:
				return fmt.Errorf("%s, and %s is there", e.Action, c.was.Conn)
			}
		}
		return nil
	})
}

// isConnectionOpen reports whether a client has a connection.
func (s *step) isConnectionOpen(conn string) bool {
	return conn != "" && slices.ContainsFunc(s.clients, func(c *client) bool { return c.by.Conn == conn })
}

// claimTokenInCall returns the claim token that a call gives for a handoff.
func claimTokenInCall(in any, id schemas.ID) string {
	switch in := in.(type) {
	case schemas.CompleteIn:
		if in.HandoffID == id.String() {
			return in.Token
		}
	case schemas.FailIn:
		if in.HandoffID == id.String() {
			return in.Token
		}
	case schemas.UpdateIn:
		if in.HandoffID == id.String() {
			return in.Token
		}
	}
	return ""
}

// claimedBeforeDependencies finds claims of handoffs whose dependencies are open. It checks the dependencies of the
// record and of the send. It checks only the first claim, because a dependency may be returned after that.
func claimedBeforeDependencies(s *step) error {
	return s.judgeChanges(func(c *change) error {
		for _, e := range c.events {
			if e.Action != string(life.Claim) || c.was == nil || c.was.Claims > 0 {
				continue
			}
			for _, dep := range slices.Concat(s.log.waits[c.id], c.was.After, c.was.Freed) {
				accepted := slices.Contains(c.was.AfterAccepted, dep) || s.waitsForAcceptance(c.id, dep)
				if r := s.lastReplacement(dep); !isDoneWell(r, accepted) {
					return fmt.Errorf("%s claims it, and %s is not done", e.Agent, r.ID)
				}
			}
		}
		return nil
	})
}

func (s *step) waitsForAcceptance(id, of schemas.ID) bool {
	in := s.log.sent[id]
	return in.Options != nil && slices.Contains(in.Options.AfterAccepted, of.String())
}

// lastReplacement returns the last replacement of a handoff.
func (s *step) lastReplacement(id schemas.ID) *store.Record {
	r := s.seen.records[id]
	for r.Status.HasEnded() && r.Status != schemas.Completed && r.Successor != 0 {
		r = s.seen.records[r.Successor]
	}
	return r
}

func isDoneWell(r *store.Record, accepted bool) bool {
	return r.Status == schemas.Completed && (r.Accepted != 0 || !accepted && r.Reviewer == "" && r.Outcome == schemas.Success)
}

func returnedWorkNotRepeated(s *step) error {
	return s.judgeChanges(func(c *change) error {
		if c.now.Status != schemas.Returned {
			return nil
		}
		next, err := s.Record(c.now.Successor)
		if err != nil || next == nil {
			return fmt.Errorf("was returned, and nobody does it again")
		}
		if next.ReworkOf != cmp.Or(c.now.ReworkOf, c.id) || next.Round != max(c.now.Round, 1)+1 {
			return fmt.Errorf("round %d of %s is followed by round %d of %s", c.now.Round, c.now.ReworkOf, next.Round, next.ReworkOf)
		}
		return nil
	})
}

// verdictWithoutEffect finds work with a review verdict that was not accepted, not returned, and not sent to another
// reviewer.
func verdictWithoutEffect(s *step) error {
	return s.judgeChanges(func(c *change) error {
		work := s.seen.records[c.now.ReviewOf]
		done := slices.ContainsFunc(c.events, func(e schemas.Event) bool { return e.Action == string(life.Complete) })
		if !done || work == nil || work.Review != c.id || work.Status != schemas.Completed || work.Accepted != 0 {
			return nil
		}
		if now, err := s.Record(work.ID); err != nil || now.Status == schemas.Completed && now.Accepted == 0 && now.Review == c.id {
			return fmt.Errorf("judges %s, and nothing came of it", work.ID)
		}
		return nil
	})
}

// noticeLost finds events without the notice that the sender should get, and notices that became read without a reader.
func noticeLost(s *step) error {
	unread := s.readUnreadKeys()
	for was := range s.seen.unread {
		agent, _, _ := strings.Cut(was, "\x00")
		if !unread[was] && !s.mayMarkRead(schemas.Agent(agent)) {
			return fmt.Errorf("a notice of %s is unread no more", agent)
		}
	}
	return s.judgeChanges(func(c *change) error {
		for _, e := range c.events {
			to, err := reading.AgentToNotify(s.View, c.now)
			if !notifiesSender(life.Action(e.Action)) || to == e.Agent && err == nil {
				continue
			}
			if told, err := s.wasNotified(to, e); !told {
				return cmp.Or(err, fmt.Errorf("%s is not told of event %d, %s", to, e.N, e.Action))
			}
		}
		return nil
	})
}

// mayMarkRead reports whether a step may mark an agent's notices as read: the agent calls, its message is recalled, or
// another agent answered its question.
func (s *step) mayMarkRead(a schemas.Agent) bool {
	if s.by == nil {
		return false
	}
	in, _ := s.by.in.(schemas.UpdateIn)
	return s.by.by.Agent == a || in.Action == schemas.ActAnswer || strings.HasPrefix(in.HandoffID, "no_")
}

// notifiesSender reports whether the sender gets a notice of an action in any case.
func notifiesSender(a life.Action) bool {
	return slices.ContainsFunc(life.ConsequencesOf(a), func(row life.ConsequenceRule) bool {
		return row.If == life.Always && row.Then == life.TellSender
	})
}

func (s *step) wasNotified(to schemas.Agent, e schemas.Event) (bool, error) {
	for n, err := range s.Notices(to, 0) {
		if err != nil || n.At.Before(e.At) {
			return false, err
		}
		if n.About == e.Handoff && n.Kind == e.Action {
			return true, nil
		}
	}
	return false, nil
}

// repeatChangedAgain finds repeated calls that changed something again, or that got another answer than the first call.
func repeatChangedAgain(s *step) error {
	if e := s.firstCallerEvent(); e != nil {
		took, claims := s.log.took[s.by.by.Request]
		switch again := s.log.effects[s.by.by.Request] > 0; {
		case !again:
		case !claims:
			return fmt.Errorf("call %d did %s, and had done so", s.by.n, e.Action)
		case e.Action == string(life.Claim) && took.stillHolds(s.seen.records[took.id]):
			return fmt.Errorf("call %d claims %s, and had claimed %s", s.by.n, e.Handoff, took.id)
		}
	}
	for _, a := range s.told {
		first, sent := a.call.answer.(schemas.SendOut)
		if out, ok := a.out.(schemas.SendOut); ok && a.err == nil {
			in := a.call.in.(schemas.SendIn)
			before := s.log.keys[string(a.call.by.Agent)+" "+in.Key]
			if sent && first.HandoffID != out.HandoffID || in.Key != "" && cmp.Or(before, out.HandoffID) != out.HandoffID {
				return fmt.Errorf("call %d sent %s, and again %s", a.call.n, cmp.Or(first.HandoffID, before), out.HandoffID)
			}
		}
	}
	return nil
}

// refusedCallChangedStore finds calls that changed something although the service refused them. Late outcomes are an
// exception: the service refuses them as stale and stores them. If one of several repeats took effect, an earlier
// repeat may have been refused.
func refusedCallChangedStore(s *step) error {
	for _, a := range s.told {
		if a.err != nil && a.done && schemas.AsError(a.err).Code != schemas.Stale {
			return fmt.Errorf("call %d changed something: %w", a.call.n, a.err)
		}
	}
	return nil
}

func limitIgnored(s *step) error {
	return s.judgeChanges(func(c *change) error {
		for _, e := range c.events {
			switch life.Action(e.Action) { //nolint:exhaustive // the others have no limits
			case life.Send:
				if err := s.sentOverLimit(c, e); err != nil {
					return err
				}
			case life.Claim:
				if err := s.holdsTooMany(c, e); err != nil {
					return err
				}
			case life.Return:
				if err := s.claimedTooOften(c, e); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// sentOverLimit finds a send into a full mailbox, and a send that exceeds the limit of a workflow.
func (s *step) sentOverLimit(c *change, e schemas.Event) error {
	if _, sends := s.callInput().(schemas.SendIn); sends && e.Via != schemas.ViaClock {
		if m, err := s.Counters(c.now.Box); err != nil || c.now.Box != "" && m.Pending > pending {
			return cmp.Or(err, fmt.Errorf("%s holds %d", c.now.Box, m.Pending))
		}
	}
	most, limited := s.log.most[c.now.Workflow]
	if !limited || c.now.To == schemas.Address(schemas.Human) {
		return nil
	}
	n := 0.0
	for id, err := range s.OldestFirst(store.IndexByWorkflow(c.now.Workflow), 0) {
		if err != nil {
			return err
		}
		if id <= c.id { // later handoffs of the same send do not count yet
			n++
		}
	}
	if n > most {
		return fmt.Errorf("is number %v of %v in %s", n, most, c.now.Workflow)
	}
	return nil
}

func (s *step) callInput() any {
	if s.by == nil {
		return nil
	}
	return s.by.in
}

// holdsTooMany finds a claim of an agent that already held as many handoffs as it may. A claim of work that is
// addressed to the agent by name is always allowed.
func (s *step) holdsTooMany(c *change, e schemas.Event) error {
	if _, directed := c.now.To.SingleAgent(); directed || c.was != nil && c.was.Asker == e.Agent {
		return nil
	}
	m, err := s.Counters(schemas.Address(e.Agent))
	i := slices.IndexFunc(s.clients, func(c *client) bool { return c.by.Agent == e.Agent })
	if most := s.clients[i].maxOpen; err != nil || most > 0 && m.Held > most {
		return cmp.Or(err, fmt.Errorf("%s holds %d of %d", e.Agent, m.Held, most))
	}
	return nil
}

func (s *step) claimedTooOften(c *change, e schemas.Event) error {
	asked := s.log.sent[cmp.Or(c.now.ReworkOf, c.id)]
	if asked.Expectations == nil || c.now.Reviewer == "" || e.Agent == schemas.Human {
		return nil
	}
	if most := cmp.Or(asked.Expectations.MaxRounds, 3); max(c.now.Round, 1) >= most {
		return fmt.Errorf("%s returns round %d of %d", e.Agent, c.now.Round, most)
	}
	return nil
}

func heldByExcludedAgent(s *step) error {
	return s.judgeChanges(func(c *change) error {
		if c.now.Status.IsHeld() && slices.Contains(c.now.Excluded, c.now.Holder) {
			return fmt.Errorf("%s holds it", c.now.Holder)
		}
		return nil
	})
}

// reviewedByAuthor finds agents that hold the review of their own work. Human stands for several people. A review that
// was returned may be given to anybody.
func reviewedByAuthor(s *step) error {
	return s.judgeChanges(func(c *change) error {
		work := s.seen.records[c.now.ReviewOf]
		if work == nil || c.now.ReworkOf != 0 || work.Holder == schemas.Human {
			return nil
		}
		if c.now.Status.IsHeld() && c.now.Holder == work.Holder {
			return fmt.Errorf("%s did the work of %s", c.now.Holder, work.ID)
		}
		return nil
	})
}

// dueChangeNotApplied finds changes by time that are due and were not applied.
func dueChangeNotApplied(s *step) error {
	now := store.TimeOf(time.Now())
	for _, id := range slices.Sorted(maps.Keys(s.seen.records)) {
		if r := s.seen.records[id]; r.Wakes != 0 && r.Wakes < now {
			return fmt.Errorf("%s is due since %v", r.ID, r.Wakes.Time())
		}
	}
	return nil
}

func longPollWaitsTooLong(s *step) error {
	for _, a := range s.running {
		if until := a.call.by.Until; !until.IsZero() && time.Now().After(until.Add(time.Second)) {
			return fmt.Errorf("call %d waits since %v", a.call.n, a.call.by.Since)
		}
	}
	return nil
}

func pendingDespiteWaiter(s *step) error {
	for id, err := range s.OldestFirst(store.IndexByState(schemas.Pending), 0) {
		if err != nil {
			return err
		}
		r := s.seen.records[id]
		for _, a := range s.running {
			in, waits := a.call.in.(schemas.ClaimIn)
			if may, err := s.mayClaim(a.call.by.Agent, in.Tags, r); err != nil || waits && may {
				return cmp.Or(err, fmt.Errorf("%s lies in %s, and %s waits", id, r.Box, a))
			}
		}
	}
	return nil
}

// mayClaim reports whether an agent may take a pending handoff next.
func (s *step) mayClaim(agent schemas.Agent, tags []string, r *store.Record) (bool, error) {
	a, err := s.Agent(agent)
	if a == nil || err != nil {
		return false, err
	}
	m, err := s.Counters(schemas.Address(agent))
	own := r.Box == schemas.Address(agent)
	_, directed := r.To.SingleAgent()
	full := a.Card.MaxOpen > 0 && m.Held >= a.Card.MaxOpen
	wanted := len(tags) == 0 || slices.ContainsFunc(tags, func(t string) bool { return slices.Contains(r.Tags, t) })
	return r.Box != "" && !r.IsBlocked() && wanted && !slices.Contains(r.Excluded, agent) && (r.Reserved == 0 || own) &&
		slices.Contains(roster.BoxesForCard(a.Card), r.Box) && (!full || own && (directed || r.Asker == agent)), err
}
