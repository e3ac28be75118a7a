//go:build !linux && !darwin && !windows

package platform

// NetworkKind is not known here.
func NetworkKind(string) string { return "" }
