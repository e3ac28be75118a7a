package platform

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// Rename is [os.Rename], repeated while other processes read the file that it replaces.
func Rename(from, to string) error {
	return whileRead(func() error { return os.Rename(from, to) })
}

// Remove is [os.Remove], repeated while other processes read the file.
func Remove(path string) error {
	return whileRead(func() error { return os.Remove(path) })
}

// whileRead repeats what Windows refuses while another process reads a file, for about 200 ms. One reading is over in
// a moment, but many processes may read one after another.
func whileRead(do func() error) error {
	for range 100 {
		err := do()
		if !errors.Is(err, windows.ERROR_SHARING_VIOLATION) && !errors.Is(err, windows.ERROR_ACCESS_DENIED) {
			return err
		}
		time.Sleep(2 * time.Millisecond)
	}
	return do()
}
