package draft

import (
	"cmp"
	"fmt"
	"time"

	"handoff/schemas"
)

// parseTimes parses the deadline, the earliest start, and the durations of a send. A deadline that is given as a
// duration counts from now. If there is a timeout, too, it warns the sender which of the two holds.
func (d *Draft) parseTimes(in schemas.SendIn, now time.Time) (err error) {
	var malformed error
	d.statedDeadline, err = schemas.ParseDeadline("deadline", in.Deadline, now)
	d.NotBefore, malformed = schemas.ParseTime("options.not_before", in.Options.NotBefore, now)
	timeout, estimate, wrong := ParseDurations(in.Expectations)
	if err = cmp.Or(err, malformed, wrong); err != nil {
		return err
	}
	d.Estimate, d.Deadline = estimate, EarlierDeadline(d.statedDeadline, now, timeout)
	if timeout > 0 && !d.statedDeadline.IsZero() {
		d.Warnings = append(d.Warnings, fmt.Sprintf("the timeout ends at %s and the deadline is %s: the earlier one holds",
			now.Add(timeout).UTC().Format(time.RFC3339), d.statedDeadline.UTC().Format(time.RFC3339)))
	}
	return CheckDeadline(d.Deadline, d.NotBefore, now)
}

// ParseDurations returns the timeout and the estimate of expectations, or zero for each that is missing. The error is
// invalid, with the path that the field has in a send.
func ParseDurations(expected *schemas.Expectations) (timeout, estimate time.Duration, err error) {
	e := schemas.ValueOrZero(expected)
	if timeout, err = schemas.ParseDuration("expectations.timeout", e.Timeout); err != nil {
		return 0, 0, err
	}
	if e.Timeout != "" && timeout == 0 {
		return 0, 0, schemas.Invalidf("expectations.timeout", "%q leaves no time", e.Timeout).WithHint("Leave it out to set none.")
	}
	estimate, err = schemas.ParseDuration("expectations.estimated_duration", e.EstimatedDuration)
	return timeout, estimate, err
}

// EarlierDeadline returns the earlier of the stated deadline and the end of the timeout, which counts from sent. Zero
// means no deadline and no timeout.
func EarlierDeadline(stated, sent time.Time, timeout time.Duration) time.Time {
	if end := sent.Add(timeout); timeout > 0 && (stated.IsZero() || end.Before(stated)) {
		return end
	}
	return stated
}

// CheckDeadline returns an error if the deadline has passed, or if it is before notBefore: then no agent could claim
// the handoff in time.
func CheckDeadline(deadline, notBefore, now time.Time) error {
	switch {
	case deadline.IsZero():
		return nil
	case !deadline.After(now):
		return schemas.Invalidf("deadline", "%s is in the past", deadline.Format(time.RFC3339)).
			WithHint(`It is %s now. Give a later time, or a duration as "2h".`, now.UTC().Format(time.RFC3339))
	case !notBefore.IsZero() && !notBefore.Before(deadline):
		return schemas.Invalidf("options.not_before", "is not before the deadline").
			WithHint("Nobody could finish in time. Move one of them.")
	}
	return nil
}
