package setup

import (
	"errors"
	"path/filepath"
	"strings"

	"handoff/cmd/handoff/internal/client"
)

// Receipts gives the directory of the receipts on a machine. No workspace has such a name.
func Receipts(m client.Machine) string {
	state := m.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		state = filepath.Join(m.Home, ".local", "state")
	}
	return filepath.Join(state, "handoff", ".setup")
}

// WayOut says what a person can do about a file that was left alone.
func WayOut(c client.Client, err error) string {
	if foreign, ok := errors.AsType[*Foreign](err); ok {
		if foreign.Remove == nil {
			return "Give that one another name, and run this again."
		}
		return "Remove it, as with " + c.Program + " " + strings.Join(foreign.Remove, " ") + ", and run this again."
	}
	if _, ok := errors.AsType[*Broken](err); ok {
		return "Mend it and run this again, or paste into it yourself."
	}
	return ""
}
