//go:build !linux && !darwin

package platform

// LimitFileSize does nothing here.
func LimitFileSize(uint64) {}

// IsDiskNearlyFull is not implemented here.
func IsDiskNearlyFull(string, uint64) bool { return false }
