package platform

import (
	"context"
	"time"
)

// Sleep waits for d and then returns true. If ctx ends earlier, Sleep returns false at once.
func Sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
