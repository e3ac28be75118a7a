//go:build !unix

package doctor

// writable does not know here.
func writable(string) bool { return false }
