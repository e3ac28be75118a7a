package compose

import (
	"cmp"
	"slices"

	"handoff/schemas"
)

// FailureCheckpoint returns the checkpoint that a failure leaves for the next holder, or nil if the failure has neither
// a checkpoint nor partial progress, and names no checkpoint of the holder's own. The partial progress becomes part of
// the checkpoint, unless the checkpoint already has partial progress.
func FailureCheckpoint(in schemas.FailIn) *schemas.Checkpoint {
	own := schemas.ValueOrZero(in.Origin).CheckpointID
	if in.Checkpoint == nil && in.PartialProgress == nil && own == "" {
		return nil
	}
	c := schemas.ValueOrZero(in.Checkpoint)
	c.ID, c.PartialProgress = own, cmp.Or(c.PartialProgress, in.PartialProgress)
	return &c
}

// MergeCheckpoints merges a later checkpoint into c: the state key by key, the note if later has a note, and the lists
// of finished and open steps. If a step is open in later and finished in c, the step counts as open. If later has no
// open steps, the open steps of c stay, without the steps that are finished now. The lists and maps of c and later do
// not change.
func MergeCheckpoints(c, later schemas.Checkpoint) schemas.Checkpoint {
	mergeInto(&c.State, later.State)
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
