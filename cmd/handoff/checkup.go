package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"handoff/schemas"
	"handoff/tools"
	"handoff/tools/relay"
)

// checkEvery is how often the whole registry is compared with the records: it reads all of them.
const checkEvery = time.Hour

// checkup looks whether the store is whole, for those who ask whether the server is ready.
type checkup struct {
	boxes *relay.Relay
	log   *slog.Logger

	mu    sync.Mutex // guards the field below
	found error      // by the last check; nil before the first
}

// look checks the store now and then, until ctx is done.
func (c *checkup) look(ctx context.Context) {
	for more := true; more; more = sleep(ctx, checkEvery) {
		err := c.verify(ctx)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			c.log.ErrorContext(ctx, "the store failed its check", slog.Any("error", err))
		}
		c.mu.Lock()
		c.found = err
		c.mu.Unlock()
	}
}

func (c *checkup) verify(ctx context.Context) error {
	result, err := c.boxes.Invoke(ctx, tools.Call{Tool: "audit_verify"})
	if err != nil {
		return err
	}
	var out schemas.AuditOut
	if err := json.Unmarshal(result, &out); err != nil {
		return err
	}
	if !out.OK {
		return fmt.Errorf("%d problems, which handoff audit shows", len(out.Problems))
	}
	return nil
}

// ready tells whether the store can be reached, and was whole when it was looked at last.
func (c *checkup) ready(ctx context.Context) error {
	c.mu.Lock()
	found := c.found
	c.mu.Unlock()
	if found != nil {
		return found
	}
	_, err := c.boxes.Invoke(ctx, tools.Call{Tool: "registry_newest"})
	return err
}
