//go:build !windows

package relay

// patiently does what may be done to a file while others read it.
func patiently(do func() error) error { return do() }
