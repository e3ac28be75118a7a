//go:build !linux

package relay

// bootID is not known here.
func bootID() string { return "" }
