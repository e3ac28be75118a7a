//go:build !linux

package platform

// BootID is not known here.
func BootID() string { return "" }
