//go:build unix

package terminal

import (
	"io"
	"os"
)

// Console opens the terminal of this process for reading and writing, wherever its streams lead.
func Console() (io.ReadWriteCloser, error) { return os.OpenFile("/dev/tty", os.O_RDWR, 0) }
