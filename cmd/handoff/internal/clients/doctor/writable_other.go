//go:build !unix

package doctor

// writable is not known here.
func writable(string) bool { return false }
