//go:build !unix

package platform

// FileID is not known here.
func FileID(string) string { return "" }
