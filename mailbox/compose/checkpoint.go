package compose

import (
	"cmp"
	"slices"

	"handoff/schemas"
)

// Achieved is what a failure leaves for the next holder, nil for nothing. Partial progress that the failure tells
// becomes part of the checkpoint, unless that has its own.
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

// Checkpoint is a checkpoint with what came later: the state key by key, the note if one came, and of the work what is
// done by now and what came as not done. The later word counts: a step that came as not done is no longer done. Where
// none came as not done, those of before stay, less what is done now. No list or map of either is changed.
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
