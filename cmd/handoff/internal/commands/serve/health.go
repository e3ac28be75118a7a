package serve

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"handoff/cmd/handoff/internal/cli"
	"handoff/schemas"
	"handoff/tools"
	"handoff/tools/relay"
)

// checkEvery is how often the whole registry is compared with the records: it reads all of them. checkAgain is how
// soon when it could not be, and checkDamaged when it was found wanting.
const (
	checkEvery   = time.Hour
	checkDamaged = time.Minute
	checkAgain   = 10 * time.Second
)

// checkup looks whether the store is whole, for those who ask whether the server is ready.
type checkup struct {
	boxes *relay.Relay
	log   *slog.Logger

	mu       sync.Mutex // guards the field below
	problems int        // that the last check found; zero before the first
}

// look checks the store now and then, until ctx is done.
func (c *checkup) look(ctx context.Context) {
	for pause := time.Duration(0); cli.Sleep(ctx, pause); {
		out, err := tools.Ask[schemas.AuditOut](ctx, c.boxes, tools.Call{Tool: "audit_verify"}, schemas.AuditIn{})
		if err != nil {
			pause = checkAgain
			if ctx.Err() == nil {
				c.log.WarnContext(ctx, "the store could not be checked", slog.Any("error", err))
			}
			continue
		}
		if pause = checkEvery; !out.OK {
			pause = checkDamaged
		}
		c.found(ctx, out)
	}
}

func (c *checkup) found(ctx context.Context, out schemas.AuditOut) {
	if !out.OK {
		const said = "the store failed its check: handoff audit verify shows how"
		c.log.ErrorContext(ctx, said, slog.Int("problems", len(out.Problems)))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.problems = len(out.Problems)
}

// ready tells whether the store can be reached, can keep what changes, and was whole when it was checked last.
func (c *checkup) ready(ctx context.Context) error {
	c.mu.Lock()
	problems := c.problems
	c.mu.Unlock()
	if problems > 0 {
		return fmt.Errorf("the store failed its check: %d problems", problems)
	}
	out, err := tools.Ask[schemas.NewestOut](ctx, c.boxes, tools.Call{Tool: "registry_newest"}, schemas.NewestIn{})
	if err == nil && out.Failing != "" {
		err = schemas.Errorf(schemas.Unavailable, "changes cannot be kept: %s", out.Failing)
	}
	return err
}
