package simulation_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing/synctest"
	"time"

	"handoff/mailbox"
	"handoff/schemas"
)

// client is an agent, or the person, at one end of the network.
type client struct {
	by      schemas.Caller
	maxOpen int                     // the limit in its card
	claims  map[schemas.ID]claim    // from the last answers
	old     map[schemas.ID][]string // tokens of earlier claims
	calls   []*call                 // calls without an answer so far
	conns   int
}

// claim has a client's knowledge of a claim.
type claim struct {
	token    string
	criteria int
}

// call is a client's request, from its first attempt until the client gets an answer or gives up. Repeats have the same
// request id.
type call struct {
	n       int
	client  *client
	by      schemas.Caller
	in      any
	tries   int
	under   int // messages and attempts that are under way
	answer  any // the first answer
	settled bool
}

// attempt is one arrival of a call at the service.
type attempt struct {
	n      int
	call   *call
	at     *gate // of the process that runs the call
	cancel context.CancelFunc
	cut    bool // its connection broke
	done   bool // its call had changed something before it began, or it did so itself
	out    any
	err    error
}

func (a *attempt) String() string {
	return fmt.Sprintf("%s call %d/%d", a.call.by.Agent, a.call.n, a.n)
}

// waits reports whether the call is a claim that waits for work.
func (a *attempt) waits() bool {
	in, ok := a.call.in.(schemas.ClaimIn)
	return ok && in.WaitSeconds > 0
}

// detachCall is a transport's message that a connection broke.
type detachCall struct{ conn string }

// callService makes a call at a service.
func callService(ctx context.Context, s *mailbox.Service, by schemas.Caller, in any) (any, error) {
	switch in := in.(type) {
	case schemas.SendIn:
		return s.Send(ctx, by, in)
	case schemas.ClaimIn:
		return s.Claim(ctx, by, in)
	case schemas.CompleteIn:
		return s.Complete(ctx, by, in)
	case schemas.FailIn:
		return s.Fail(ctx, by, in)
	case schemas.UpdateIn:
		return s.Update(ctx, by, in)
	case schemas.RegisterIn:
		return s.Register(ctx, by, in)
	case schemas.RedactIn:
		return s.Redact(ctx, by, in)
	case schemas.GetIn:
		return s.Get(ctx, by, in)
	case schemas.ListIn:
		return s.List(ctx, by, in)
	case detachCall:
		return s.Detach(ctx, by, schemas.ConnIn{Conn: in.conn})
	}
	panic(fmt.Sprintf("nobody knows how to ask for %T", in))
}

// beginCall has a client call for something.
func (l *world) beginCall(c *client) {
	in := l.chooseCall(c)
	if in == nil {
		return
	}
	l.count++
	k := &call{n: l.count, client: c, by: c.by, in: in}
	k.by.Request = fmt.Sprintf("%06d", k.n)
	if wait, ok := in.(schemas.ClaimIn); ok && wait.WaitSeconds > 0 {
		k.by.Since = time.Now()
		k.by.Until = k.by.Since.Add(time.Duration(wait.WaitSeconds) * time.Second)
	}
	c.calls = append(c.calls, k)
	l.logLine("%s call %d: %s", c.by.Agent, k.n, describeCall(in))
	l.submitCall(k)
}

// submitCall sends the message of a call.
func (l *world) submitCall(k *call) {
	k.tries++
	k.under++
	l.mail = append(l.mail, k)
}

// deliverMessage brings a message to the service once, twice or not at all.
func (l *world) deliverMessage(i int) {
	k := l.mail[i]
	switch n := l.rnd.IntN(100); {
	case n < 5:
		l.logLine("call %d is lost on its way", k.n)
		l.mail = slices.Delete(l.mail, i, i+1)
		k.under--
		return
	case n < 12: // the message arrives once more
		k.under++
	default:
		l.mail = slices.Delete(l.mail, i, i+1)
	}
	l.startAttempt(k)
}

// startAttempt runs a call in the process that owns the workspace.
func (l *world) startAttempt(k *call) {
	l.attempts++
	a := &attempt{n: l.attempts, call: k, at: l.gate, done: l.log.effects[k.by.Request] > 0}
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), attemptKey{}, a))
	a.cancel = cancel
	l.running = append(l.running, a)
	by, in, service := k.by, k.in, l.service
	if l.fault.between != nil {
		by, in = l.fault.between(l, by, in)
	}
	l.gate.setRunning(a)
	l.logLine("%s begins", a)
	go func() {
		out, err := callService(ctx, service, by, in)
		l.mu.Lock()
		defer l.mu.Unlock()
		a.out, a.err = out, err
		l.ended = append(l.ended, a)
	}()
}

// collectAnswers waits until no goroutine can continue, and delivers most of the answers to the clients.
func (l *world) collectAnswers() (told []*attempt) {
	synctest.Wait()
	l.mu.Lock()
	ended := l.ended
	l.ended = nil
	l.mu.Unlock()
	slices.SortFunc(ended, func(a, b *attempt) int { return a.n - b.n })
	for _, a := range ended {
		a.cancel()
		k := a.call
		k.under--
		l.running = slices.DeleteFunc(l.running, func(o *attempt) bool { return o == a })
		code := schemas.Code("")
		if a.err != nil {
			code = schemas.AsError(a.err).Code
		}
		switch lost := l.rnd.IntN(100) < 8; {
		case a.cut || lost || a.at != l.gate || code == schemas.Unavailable:
			l.heard = append(l.heard, fmt.Sprintf("%s is not answered: %s", a, describeAnswer(a)))
		default:
			l.heard = append(l.heard, fmt.Sprintf("%s: %s", a, describeAnswer(a)))
			l.endCall(k)
			told = append(told, a)
		}
	}
	return told
}

// endCall ends a call for its client.
func (l *world) endCall(k *call) {
	k.settled = true
	k.client.calls = slices.DeleteFunc(k.client.calls, func(o *call) bool { return o == k })
}

// unansweredCalls are the calls that are to be repeated or given up.
func (l *world) unansweredCalls() (calls []*call) {
	for _, c := range l.clients {
		for _, k := range c.calls {
			if k.under == 0 {
				calls = append(calls, k)
			}
		}
	}
	return calls
}

func (l *world) repeatCall(k *call) {
	if k.tries > 3 {
		l.logLine("call %d is given up", k.n)
		l.endCall(k)
		return
	}
	l.logLine("call %d is repeated", k.n)
	l.submitCall(k)
}

// hangUp breaks the connection of a client. It never gets the answers of its calls.
func (l *world) hangUp(c *client) {
	l.logLine("%s hangs up %s", c.by.Agent, c.by.Conn)
	for _, k := range slices.Clone(c.calls) {
		l.forgetCall(k)
	}
	for _, a := range slices.Clone(l.running) {
		if _, leaves := a.call.in.(detachCall); a.call.client == c && !leaves {
			a.cut = true
			l.gate.setRunning(a)
			a.cancel()
			synctest.Wait() // one after the other, so that each time is the same
		}
	}
	if conn := c.by.Conn; conn != "" {
		c.by.Conn = ""
		l.count++
		l.startAttempt(&call{n: l.count, client: c, by: schemas.Caller{Agent: c.by.Agent, Via: c.by.Via}, in: detachCall{conn}, under: 1})
	}
}

// forgetCall forgets a call, and its messages under way.
func (l *world) forgetCall(k *call) {
	l.endCall(k)
	l.mail = slices.DeleteFunc(l.mail, func(o *call) bool { return o == k })
}

// connectClient gives a client a connection, and registers it with the process.
func (l *world) connectClient(c *client) {
	c.conns++
	c.by.Conn = fmt.Sprintf("%s-%d", c.by.Agent, c.conns)
	l.logLine("%s connects as %s", c.by.Agent, c.by.Conn)
	l.announceConnection(c)
}

func (l *world) announceConnection(c *client) {
	if c.by.Conn != "" {
		_, err := l.service.Attach(context.Background(), c.by, schemas.ConnIn{Conn: c.by.Conn})
		l.noteBroken("no call fails by itself", err)
	}
}

// restartService ends the process that owns the workspace, with all work under way, and begins the next process.
func (l *world) restartService() {
	l.logLine("the process dies")
	before := l.gate
	l.open()
	before.close()
	for _, k := range l.mail {
		k.under--
	}
	l.mail = nil
	for _, a := range slices.Clone(l.running) {
		a.cancel()
	}
	l.collectAnswers()
	for _, c := range l.clients {
		l.announceConnection(c)
	}
}

// admitOne admits one waiting transaction, and judges its changes.
func (l *world) admitOne() bool {
	synctest.Wait()
	waiting := l.gate.takeEntries(false)
	if len(waiting) == 0 {
		return false
	}
	slices.SortStableFunc(waiting, func(a, b *entry) int { return cmp.Compare(a.of.n, b.of.n) })
	i := l.rnd.IntN(len(waiting))
	e := waiting[i]
	l.gate.putBack(slices.Delete(waiting, i, i+1))
	l.gate.setRunning(e.of)
	l.steps++
	e.enter <- nil
	l.judgeStep(e.of, e.writes, l.collectAnswers())
	return true
}
