//go:build !linux && !darwin

package process

// Bound does nothing here.
func Bound(uint64) {}

// Full tells nothing here.
func Full(string, uint64) bool { return false }
