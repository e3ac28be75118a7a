package platform

import (
	"context"
	"time"
)

// Sleep waits for d, and returns true after the whole time. The end of ctx ends it early.
func Sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
