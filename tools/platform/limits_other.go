//go:build !linux && !darwin

package platform

// LimitFileSize does nothing here.
func LimitFileSize(uint64) {}

// DiskFull tells nothing here.
func DiskFull(string, uint64) bool { return false }
