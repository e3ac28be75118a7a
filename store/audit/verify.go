package audit

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"handoff/schemas"
	"handoff/store"
)

// ErrFaulty means that a store can be read and is not what was written. The text has the first faults.
var ErrFaulty = errors.New("the registry and the rows do not agree")

// Contents says what is in a store.
type Contents struct {
	Audit schemas.AuditOut
	Until time.Time // of the newest event; zero where there is none
}

// Verify reads all rows of a store in which nobody writes, with [Registry] and [Check]. The error is
// [ErrFaulty] when one of them found a fault, and [store.ErrCorrupt] when rows cannot be read.
func Verify(ctx context.Context, s *store.Store) (c Contents, err error) {
	for space := range store.Spaces {
		if err := s.EachRow(ctx, space, func(*store.View, store.Row) error { return nil }); err != nil {
			return c, fmt.Errorf("read the rows of %s: %w", space, err)
		}
	}
	if c.Audit, err = Registry(ctx, s); err != nil {
		return c, fmt.Errorf("verify the registry: %w", err)
	}
	problems, err := Check(ctx, s)
	if err != nil {
		return c, fmt.Errorf("check the rows: %w", err)
	}
	if problems = append(problems, c.Audit.Problems...); len(problems) > 0 {
		return c, fmt.Errorf("%w: %s", ErrFaulty, strings.Join(problems[:min(3, len(problems))], "; "))
	}
	err = s.View(ctx, func(v *store.View) error {
		newest, err := v.Event(c.Audit.Events)
		if err == nil && newest != nil {
			c.Until = newest.At
		}
		return err
	})
	return c, err
}
