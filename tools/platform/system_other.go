//go:build !linux && !darwin && !windows

package platform

import "errors"

// NetworkKind is not known here.
func NetworkKind(string) string { return "" }

// peerOf is not known here.
func peerOf(int) (uid int, err error) { return 0, errors.ErrUnsupported }
