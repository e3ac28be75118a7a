//go:build !linux && !darwin && !windows

package doctor

import "errors"

func diskOf(string) (disk, error) { return disk{}, errors.ErrUnsupported }
