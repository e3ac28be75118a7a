package operation

import (
	"log/slog"
	"slices"
	"time"

	"handoff/mailbox/life"
	"handoff/mailbox/reading"
	"handoff/schemas"
	"handoff/store"
)

// clockTolerance is how far the time may lie before that of the last operation without anything following from it.
const clockTolerance = time.Minute

// clockWasSetBack tells whether the clock was set back since the last operation of this process, and for the first one, since
// the newest event of an earlier process, or that one did not get through with [Op.cutFutureTimes]. What cannot be read tells
// nothing.
func (e *Engine) clockWasSetBack(v *store.View, now time.Time) bool {
	latest := e.latest.Load()
	if latest == 0 {
		if after, err := v.TrimCursor(); err == nil && after != 0 {
			return true
		}
		if n, err := v.Events(); err == nil {
			e, _ := v.Event(n) // nil for none
			latest = int64(store.At(schemas.OrZero(e).At))
		}
	}
	return latest > int64(store.At(now.Add(clockTolerance)))
}

// cutFutureTimes brings the times of handoffs back that were set while the clock was ahead. Nobody would end such a claim
// before the wrong time comes. It goes through all that have not ended, once for each time that the clock is set back:
// [reading.MaxScanned] in one operation, and the next one goes on.
func (o *Op) cutFutureTimes() error {
	if !o.env.clockWasSetBack(o.View, o.env.Now()) { // the operation may have waited for others since o.now
		return nil
	}
	open, err := o.nextUncut()
	if err != nil {
		return err
	}
	return o.ActingAs(ClockCaller, func() error {
		for _, id := range open {
			r, err := o.Record(id)
			o.voided = append(o.voided, schemas.OrZero(r).Token) // the tracker may have heard of its holder at a time that is to come
			if err == nil && r != nil && o.Rules.CutTimes(new(r.Clone())) {
				err = o.TryPart(func() error {
					return o.Change(&Happening{Action: life.Renew}, r, func(now *store.Record) { o.Rules.CutTimes(now) })
				})
			}
			if err != nil {
				o.env.Logger.Error("the times of a handoff were not cut", slog.String("handoff", id.String()), slog.Any("error", err))
			}
		}
		return nil
	})
}

// nextUncut gives the next handoffs that have not ended, in the order of their ids, and notes where the next operation
// goes on.
func (o *Op) nextUncut() (open []schemas.ID, err error) {
	after, err := o.TrimCursor()
	if err != nil {
		return nil, err
	}
	for _, status := range schemas.Open.States() {
		some, err := reading.Collect(reading.AtMost(reading.MaxScanned+1, o.Oldest(store.InState(status), after)))
		if err != nil {
			return nil, err
		}
		open = append(open, some...)
	}
	slices.Sort(open)
	after, o.moreToCut = 0, len(open) > reading.MaxScanned
	if o.moreToCut {
		open = open[:reading.MaxScanned]
		after = open[reading.MaxScanned-1]
	}
	return open, o.tx.PutTrimCursor(after)
}
