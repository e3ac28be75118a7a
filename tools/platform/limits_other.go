//go:build !linux && !darwin

package platform

// LimitFileSize does nothing here.
func LimitFileSize(uint64) {}

// DiskFull is not implemented here.
func DiskFull(string, uint64) bool { return false }
