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

// clockTolerance is the largest difference by which the clock may fall behind the time of the last operation. A larger
// difference means that the clock was set back.
const clockTolerance = time.Minute

// clockWasSetBack reports whether the clock was set back since the last operation of this process. For the first
// operation it compares with the newest event of an earlier process. It also returns true if an earlier process did not
// finish [Op.cutFutureTimes]. It ignores rows that cannot be read.
func (e *Engine) clockWasSetBack(v *store.View, now time.Time) bool {
	latest := e.latest.Load()
	if latest == 0 {
		if after, err := v.TimeCorrectionCursor(); err == nil && after != 0 {
			return true
		}
		if n, err := v.EventCount(); err == nil {
			e, _ := v.Event(n) // nil for none
			latest = int64(store.TimeOf(schemas.ValueOrZero(e).At))
		}
	}
	return latest > int64(store.TimeOf(now.Add(clockTolerance)))
}

// cutFutureTimes corrects times of handoffs that were set while the clock was ahead, because a claim from that time
// would last much too long. After each time that the clock was set back, it visits all open handoffs once. One
// operation visits at most [reading.MaxScanned] handoffs, and the next operation continues.
func (o *Op) cutFutureTimes() error {
	if !o.env.clockWasSetBack(o.View, o.env.Now()) { // read anew: the operation may have waited for others since o.Now
		return nil
	}
	open, err := o.nextHandoffsToCut()
	if err != nil {
		return err
	}
	return o.RunAs(ClockCaller, func() error {
		for _, id := range open {
			r, err := o.Record(id)
			o.voided = append(o.voided, schemas.ValueOrZero(r).Token) // the tracker may have heard of the holder at a future time
			if err == nil && r != nil && o.Rules.CutFutureTimes(new(r.Clone())) {
				err = o.TryPart(func() error {
					return o.ChangeRecord(&RecordChange{Action: life.Renew}, r, func(now *store.Record) { o.Rules.CutFutureTimes(now) })
				})
			}
			if err != nil {
				o.env.Logger.Error("the times of a handoff were not cut", slog.String("handoff", id.String()), slog.Any("error", err))
			}
		}
		return nil
	})
}

// nextHandoffsToCut returns the next open handoffs that cutFutureTimes has to visit, in the order of their ids. It
// stores the last id of the list, at which the next operation continues.
func (o *Op) nextHandoffsToCut() (open []schemas.ID, err error) {
	after, err := o.TimeCorrectionCursor()
	if err != nil {
		return nil, err
	}
	for _, status := range schemas.Open.States() {
		some, err := reading.Collect(reading.AtMost(reading.MaxScanned+1, o.OldestFirst(store.IndexByState(status), after)))
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
	return open, o.tx.PutTimeCorrectionCursor(after)
}
