//go:build unix && !linux

package relay

import "testing"

// requireInLine cannot look: nothing tells here who waits for a lock. Tests hold either way.
func requireInLine(*testing.T, string, int) {}
