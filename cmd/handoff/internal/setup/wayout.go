package setup

import (
	"errors"
	"strings"

	"handoff/cmd/handoff/internal/client"
	"handoff/cmd/handoff/internal/installed"
)

// WayOut says what a person can do about a file that was left alone.
func WayOut(c client.Client, err error) string {
	if foreign, ok := errors.AsType[*Foreign](err); ok {
		if foreign.Remove == nil {
			return "Give that one another name, and run this again."
		}
		return "Remove it, as with " + c.Program + " " + strings.Join(foreign.Remove, " ") + ", and run this again."
	}
	if _, ok := errors.AsType[*installed.Broken](err); ok {
		return "Mend it and run this again, or paste into it yourself."
	}
	return ""
}
