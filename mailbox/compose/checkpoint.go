package compose

import (
	"cmp"
	"slices"

	"handoff/schemas"
)

// Achieved returns the checkpoint that a failure leaves for the next holder, nil for none. The partial progress of the
// failure becomes part of the checkpoint, unless that has its own.
func Achieved(in schemas.FailIn) *schemas.Checkpoint {
	if in.Checkpoint == nil && in.PartialProgress == nil {
		return nil
	}
	c := *cmp.Or(in.Checkpoint, &schemas.Checkpoint{})
	if c.PartialProgress == nil {
		c.PartialProgress = in.PartialProgress
	}
	return &c
}

// Checkpoint merges a later checkpoint into c: the state key by key, the note if there is one, and the lists of
// finished and open steps. The later one counts: a step in its open list is no longer finished. If its open list is
// empty, the earlier open steps stay, less the finished ones. No list or map of either is changed.
func Checkpoint(c, later schemas.Checkpoint) schemas.Checkpoint {
	merge(&c.State, later.State)
	later.State = c.State
	later.Note = cmp.Or(later.Note, c.Note)
	switch before, now := c.PartialProgress, later.PartialProgress; {
	case now == nil:
		later.PartialProgress = before
	case before != nil:
		both := *now
		for _, step := range before.Completed {
			if !slices.Contains(now.Completed, step) && !slices.Contains(now.Incomplete, step) {
				both.Completed = append(slices.Clone(both.Completed), step)
			}
		}
		if len(both.Incomplete) == 0 {
			both.Incomplete = slices.DeleteFunc(slices.Clone(before.Incomplete), func(step string) bool {
				return slices.Contains(both.Completed, step)
			})
		}
		later.PartialProgress = &both
	}
	return later
}
