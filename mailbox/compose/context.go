package compose

import (
	"cmp"

	"handoff/schemas"
)

// WithContext adds to the state of a context what a holder says that the next one is to know. C is not changed.
func WithContext(c *schemas.Context, more map[string]any) *schemas.Context {
	if len(more) == 0 {
		return c
	}
	have := *cmp.Or(c, &schemas.Context{})
	mergeMap(&have.State, more)
	return &have
}
