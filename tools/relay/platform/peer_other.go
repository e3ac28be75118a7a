//go:build !linux && !darwin

package platform

import "errors"

// peerOf is not known here.
func peerOf(int) (uid int, err error) { return 0, errors.ErrUnsupported }
