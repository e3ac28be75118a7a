//go:build !linux && !darwin && !windows

package platform

import "errors"

// NetworkKind is not known here.
func NetworkKind(string) string { return "" }

// peerOf is not known here.
func peerOf(int) (uid int, err error) { return 0, errors.ErrUnsupported }

// running tells nothing: only the parent of this process itself is known here.
func running() func(pid int) (name string, parent int) {
	return func(int) (string, int) { return "", 0 }
}
