package schemas

import "cmp"

// Limits bound what one call and one workspace may hold. Sizes are bytes of UTF-8, but for a summary and a detail, which
// have characters. The zero value of a
// field means its default; [MaxSummary] and [MaxDetail] are fixed by the Kelos TaskHandoff proposal and
// cannot be raised: a summary stays cheap to inject into a prompt, and a detail stays far from the size at
// which stores of such objects refuse them.
type Limits struct {
	Task    int // one task text, 4 KiB
	Title   int // one title, 200 bytes
	Handoff int // one handoff, 256 KiB without what it refers to
	Content int // what one reference sends along, 1 MiB
	Mailbox int // pending handoffs per mailbox, 10,000
	Depth   int // handoffs in a chain, 10
}

// The limits that no flag changes.
const (
	MaxSummary = 4096  // characters
	MaxDetail  = 65536 // characters, detail and data together
	MaxWait    = 50    // seconds that one call may wait
)

// DefaultLimits are the limits when no flag says otherwise.
func DefaultLimits() Limits {
	return Limits{Task: 4096, Title: 200, Handoff: 256 << 10, Content: 1 << 20, Mailbox: 10_000, Depth: 10}
}

// OrDefault fills zero fields with their defaults.
func (l Limits) OrDefault() Limits {
	d := DefaultLimits()
	return Limits{
		Task: cmp.Or(l.Task, d.Task), Title: cmp.Or(l.Title, d.Title), Handoff: cmp.Or(l.Handoff, d.Handoff), Content: cmp.Or(l.Content, d.Content),
		Mailbox: cmp.Or(l.Mailbox, d.Mailbox), Depth: cmp.Or(l.Depth, d.Depth),
	}
}

// TooBig reports a field over its limit of bytes, or nil.
func TooBig(field string, size, limit int) error { return tooMany(field, size, limit, "bytes") }

// TooLong reports a field over its limit of characters, or nil.
func TooLong(field string, size, limit int) error { return tooMany(field, size, limit, "characters") }

func tooMany(field string, size, limit int, unit string) error {
	if size <= limit {
		return nil
	}
	e := Errorf(Limit, "%d %s, at most %d are allowed", size, unit, limit)
	if e = e.WithField(field); limit < 1024 { // a name or the like, not a text
		return e.WithHint("Shorten it.")
	}
	return e.WithHint("Shorten it, or put it into a file of the project: a handoff sends it along by its path, as a reference of its " +
		"context, and a completion names it among its deliverables.")
}
