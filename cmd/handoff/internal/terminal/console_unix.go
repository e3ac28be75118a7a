//go:build unix

package terminal

import (
	"io"
	"os"
)

// Console opens the terminal of this process for reading and writing, even if the standard streams are redirected.
func Console() (io.ReadWriteCloser, error) { return os.OpenFile("/dev/tty", os.O_RDWR, 0) }
