//go:build !linux && !darwin && !windows

package platform

import "errors"

// NetworkFileSystem is not implemented here.
func NetworkFileSystem(string) string { return "" }

// userOfSocket is not implemented here.
func userOfSocket(int) (uid int, err error) { return 0, errors.ErrUnsupported }

// processStart reports nothing here.
func processStart(int) (at string, known bool) { return "", true }

// processLookup reports nothing here: only the parent of this process itself is known.
func processLookup() func(pid int) (name string, parent int) {
	return func(int) (string, int) { return "", 0 }
}
