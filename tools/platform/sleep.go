package platform

import (
	"context"
	"time"
)

// Sleep waits, and tells whether it did so to the end: ctx ends it early.
func Sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
