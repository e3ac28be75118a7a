package relay

import (
	"errors"
	"time"

	"golang.org/x/sys/windows"
)

// patiently repeats what Windows refuses while another process reads the file. That takes but a moment, and
// at a takeover many read the note of the owner, again and again.
func patiently(do func() error) error {
	for range 100 {
		err := do()
		if !errors.Is(err, windows.ERROR_SHARING_VIOLATION) && !errors.Is(err, windows.ERROR_ACCESS_DENIED) {
			return err
		}
		time.Sleep(2 * time.Millisecond)
	}
	return do()
}
