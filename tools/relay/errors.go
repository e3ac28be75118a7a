package relay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"syscall"

	"handoff/schemas"
)

// cutOffError returns the error of a call whose caller gave up.
func cutOffError(ctx context.Context) *schemas.Error {
	return schemas.Errorf(schemas.Unavailable, "the call was cut off: %w", ctx.Err()).WithHint("Call again.")
}

// closingError returns the error of a call in a process that closes its relay.
func closingError(c Config) *schemas.Error {
	return schemas.Errorf(schemas.Unavailable, "this process is closing workspace %s", c.Name).WithHint("Call again.")
}

// unservedError returns the error for a workspace whose lock is held by a process that does not serve other processes.
func unservedError(c Config) *schemas.Error {
	if HasUnreadableNote(c.Dir) {
		return schemas.Errorf(schemas.Unavailable, "a process of another user has workspace %s open", c.Name).
			WithHint("ls -l %s shows whose. End that process as its user, or run your agents as that user. Nothing is lost.", c.Dir)
	}
	pid := ""
	if n, ok := ReadNote(c.Dir); ok && n.IsRunning() {
		pid = fmt.Sprintf(" (%s)", n.ProcessText())
	}
	const said = "another process%s has workspace %s open and does not share it"
	return schemas.Errorf(schemas.Unavailable, said, pid, c.Name).
		WithHint("Call again; if that does not help, end that process. handoff where shows this process.")
}

// incompatibleError returns the error of two programs without a common version of the protocol.
func incompatibleError(c Config, met Note) *schemas.Error {
	const said = "workspace %s is open in handoff %s (%s), which this handoff %s cannot speak with"
	e := schemas.Errorf(schemas.Unavailable, said, c.Name, versionOrUnknown(met.Version), met.ProcessText(), versionOrUnknown(c.Version))
	if met.Protocol.Min > supported.Max {
		return e.WithHint("Install the newest handoff. Nothing was changed.")
	}
	return e.WithHint("Restart the client whose server that is, so that it runs the newest handoff. Nothing was changed.")
}

func versionOrUnknown(version string) string { return cmp.Or(version, "of unknown version") }

// isDiskFull reports whether a file operation failed for lack of space.
func isDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// UnusableError returns the error for a workspace whose files cannot be made, written or locked in its directory.
func UnusableError(name, dir string, err error) *schemas.Error {
	n, network := errors.AsType[*networkFSError](err)
	switch {
	case network:
		const said = "workspace %s cannot be on a network file system (%s): %s is one"
		return schemas.Errorf(schemas.Unavailable, said, name, n.kind, n.dir).
			WithHint("Agents share a store on one machine. Keep state on a local disk: set XDG_STATE_HOME.")
	case isDiskFull(err):
		return schemas.Errorf(schemas.Unavailable, "no space is left for the files of workspace %s: %w", name, err).
			WithHint("Free space on the disk of %s. Nothing was changed.", dir)
	case IsReadOnly(err), errors.Is(err, syscall.ENOTDIR):
		return schemas.Errorf(schemas.Unavailable, "workspace %s has no place for its files: %w", name, err).
			WithHint("Make %s writable. If a client runs commands in a sandbox, its settings name the directories that they "+
				"may write: sandbox.filesystem.allowWrite of Claude Code, sandbox_workspace_write.writable_roots of Codex. While a "+
				"session, or handoff serve, outside of the sandbox has the workspace open, calls need no right to write. "+
				"All agents have to use the same directory: XDG_STATE_HOME in one of them begins an empty workspace.", dir)
	}
	return schemas.Errorf(schemas.Unavailable, "the files of workspace %s cannot be used: %w", name, err).WithHint("Look at %s.", dir)
}
