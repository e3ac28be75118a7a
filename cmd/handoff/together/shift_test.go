//go:build unix

package together_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"handoff/schemas"
)

// A shift is a time during which two teams work: they send each other handoffs and compete for those that come.
type shift struct {
	ctx     context.Context
	history *history
	until   context.Context // done when nobody begins anything new
	stop    func()          // makes that now
	pace    time.Duration   // between the rounds of one lane

	round atomic.Int64 // of killing
	tally tally
}

var teams = [2]string{"red", "blue"}

// A worker is a client that works during a shift, with two calls at a time.
type worker struct {
	*shift
	caller

	gone    <-chan struct{} // closed when its caller is no more; nil for one that stays
	repeats bool            // sends that were not answered, which have keys
	number  int
	mine    string // where handoffs come for its team
	theirs  string
	pulse   pulse
	titles  atomic.Int64
}

// A caller calls a tool and reads its result into out. A refusal is a *[schemas.Error].
type caller interface {
	call(ctx context.Context, tool string, in, out any) error
}

// work works until the caller is gone or the time is over.
func (w *worker) work() {
	var lanes sync.WaitGroup
	lanes.Go(func() { w.lane(w.sendFirst) })
	lanes.Go(func() { w.lane(w.waitFirst) })
	lanes.Wait()
}

// lane does one round after the other until the process is gone or the time is over.
func (w *worker) lane(round func() bool) {
	pace := time.NewTicker(w.pace)
	defer pace.Stop()
	for w.until.Err() == nil && round() {
		select {
		case <-pace.C:
		case <-w.gone:
			return
		}
	}
}

// sendFirst sends a handoff and works on the next one that is there.
func (w *worker) sendFirst() bool { return w.sendOne() && w.workOn(0) }

// waitFirst waits for a handoff, works on it and sends one.
func (w *worker) waitFirst() bool { return w.workOn(1) && w.sendOne() }

func (w *worker) sendOne() bool {
	var out schemas.SendOut
	a := act{what: sending, title: fmt.Sprintf("%d-%d", w.number, w.titles.Add(1)), to: w.theirs}
	in := schemas.SendIn{To: a.to, Task: "try it", Title: a.title, Parent: "none"}
	if w.repeats {
		in.Key = a.title
	}
	on := w.attempt(&a, "send_handoff", in, &out)
	a.handoff = out.HandoffID
	w.history.add(a)
	return on
}

func (w *worker) workOn(wait int) bool {
	var claim schemas.ClaimOut
	a := act{what: claiming, to: w.mine, waits: wait > 0}
	on := w.attempt(&a, "claim_handoff", schemas.ClaimIn{WaitSeconds: wait}, &claim)
	a.handoff, a.token = claim.HandoffID, claim.Token
	w.history.add(a)
	if a.handoff == 0 || !on {
		return on
	}
	var out schemas.CompleteOut
	result := strings.ToLower(rand.Text()) // capitals may look like the key of an AWS account, which is masked
	a = act{what: completing, handoff: a.handoff, token: a.token, result: result}
	on = w.attempt(&a, "complete_handoff", schemas.CompleteIn{HandoffID: a.handoff.String(), Token: a.token, Result: schemas.Result{Summary: a.result}}, &out)
	w.history.add(a)
	return on
}

// patience is how long a call may take before it counts as never answered.
const patience = 20 * time.Second

// attempt makes a call, notes the client's view of it, and reports whether the process goes on.
func (w *worker) attempt(a *act, tool string, in, out any) bool {
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	if !a.waits {
		w.pulse.called()
	}
	a.by, a.from = w.number, w.history.now()
	err := w.tell(a, w.call(ctx, tool, in, out))
	for w.repeats && a.what == sending && a.fate == unknown && w.until.Err() == nil {
		time.Sleep(w.pace)
		err = w.tell(a, w.call(ctx, tool, in, out))
	}
	a.until = w.history.now()
	if a.fate == unknown && !errors.As(err, new(*schemas.Error)) {
		a.until = never
	}
	if !a.waits && !errors.Is(err, errGone) {
		w.pulse.answered(w.round.Load())
	}
	return !errors.Is(err, errGone)
}

// tell counts the end of a call, and notes the client's knowledge of its fate.
func (w *worker) tell(a *act, err error) error {
	why, refusal := errors.AsType[*schemas.Error](err)
	switch {
	case err == nil:
		w.tally.add("answered")
		a.fate = done
	case refusal:
		w.tally.add(fmt.Sprintf("refused: %s: %s, %d", why.Code, why.Message, why.RetryAfter))
		if a.fate = fateOf(why); a.what == claiming {
			a.by = nobody
		}
	case errors.Is(err, errGone):
		w.tally.add(killedWith)
		a.fate = unknown
	default:
		w.tally.add(fmt.Sprintf("broken: %v", err))
		a.fate = unknown
	}
	return err
}

// fateOf returns the fate of a refused call. A call without an answer in time may have had an effect.
func fateOf(why *schemas.Error) fate {
	if why.Code == schemas.Unavailable || why.Code == schemas.Internal {
		return unknown
	}
	return refused
}
