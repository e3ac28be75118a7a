package relay

import (
	"context"
	"errors"
	"fmt"

	"handoff/schemas"
)

func cutOff(ctx context.Context) *schemas.Error {
	return schemas.Errorf(schemas.Unavailable, "the call was cut off: %w", ctx.Err()).WithHint("Call again.")
}

func leaving(c Config) *schemas.Error {
	return schemas.Errorf(schemas.Unavailable, "this process is closing workspace %s", c.Name).WithHint("Call again.")
}

// nobodyServes is the error of a lock that is held by a process that does not share.
func nobodyServes(c Config) *schemas.Error {
	who := ""
	if n, ok := ReadNote(c.Dir); ok && n.Lives() {
		who = fmt.Sprintf(" (pid %d)", n.PID)
	}
	return schemas.Errorf(schemas.Unavailable, "another process%s has workspace %s open and does not share it", who, c.Name).
		WithHint("Call again; if that does not help, end that process. handoff where shows what is known of it.")
}

// strangers is the error of two programs without a common version of the protocol.
func strangers(c Config, met Note) *schemas.Error {
	e := schemas.Errorf(schemas.Unavailable, "workspace %s is open in handoff %s (pid %d), which this handoff %s cannot speak with",
		c.Name, orUnknown(met.Version), met.PID, orUnknown(c.Version))
	if met.Protocol.Min > spoken.Max {
		return e.WithHint("Install the newest handoff. Nothing was changed.")
	}
	return e.WithHint("Restart the client whose server that is, so that it runs the newest handoff. Nothing was changed.")
}

func orUnknown(version string) string {
	if version == "" {
		return "of unknown version"
	}
	return version
}

// unprepared is the error of a directory that cannot hold a store.
func unprepared(c Config, err error) *schemas.Error {
	if n, ok := errors.AsType[*networkFS](err); ok {
		return schemas.Errorf(schemas.Unavailable, "workspace %s cannot be on a network file system (%s): %s is one", c.Name, n.kind, n.dir).
			WithHint("Agents share a store on one machine. Keep state on a local disk: set XDG_STATE_HOME.")
	}
	return schemas.Errorf(schemas.Unavailable, "workspace %s has no place for its files: %w", c.Name, err).
		WithHint("Make %s writable, or keep state elsewhere with XDG_STATE_HOME.", c.Dir)
}

// unlockable is the error of a place where no lock can be had, or no socket.
func unlockable(c Config, err error) *schemas.Error {
	return schemas.Errorf(schemas.Unavailable, "workspace %s cannot be shared: %w", c.Name, err).
		WithHint("Look at %s.", c.Dir)
}
