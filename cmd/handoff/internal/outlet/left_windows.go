package outlet

import (
	"context"
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

func isLeft(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_NO_DATA) ||
		errors.Is(err, windows.ERROR_PIPE_NOT_CONNECTED)
}

// readerLeaves is false: the next write tells.
func readerLeaves(context.Context, *os.File) bool { return false }
