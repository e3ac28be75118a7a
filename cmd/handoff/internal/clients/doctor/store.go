package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"handoff/cmd/handoff/internal/shell"
	"handoff/cmd/handoff/internal/terminal"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/store"
	"handoff/tools"
	"handoff/tools/relay"
)

const (
	maxVerified   = 32 << 20 // size limit of a store that doctor verifies, in bytes
	verifyTimeout = 5 * time.Second
)

// ExamineStore examines the content of a workspace, by calls to its owner. It verifies the registry only if the store
// is small. File is the file of the store, or the zero value for a store in a database.
func ExamineStore(ctx context.Context, boxes tools.Invoker, file workspace.File, sh CommandBuilder) []Finding {
	newest, err := tools.InvokeTyped[schemas.NewestOut](ctx, boxes, tools.Call{Tool: "registry_newest"}, schemas.NewestIn{})
	if err != nil {
		return []Finding{StoreNotOpened(err, sh)}
	}
	found, look := ok(aboutStore, "it opens, and holds %s", schemas.CountNoun(newest.Event, "event")), ""
	if file.Path != "" {
		found.Message += fmt.Sprintf(" in %.1f MiB", float64(file.Bytes)/(1<<20))
		look = "df -h " + shell.Quote(file.Path)
	}
	if newest.Failing != "" {
		found = failure(aboutStore, "the last change could not be kept: %s", newest.Failing).withCommand(look)
	}
	return []Finding{found, verifyRegistry(ctx, boxes, file, sh)}
}

// StoreNotOpened returns the finding about a store that does not open.
func StoreNotOpened(err error, sh CommandBuilder) Finding {
	command := "logs"
	if store.IsDamaged(err) {
		command = "restore FILE --replace"
	}
	return failure(aboutStore, "it does not open: %s", messageWithHint(err)).withCommand(sh.commandLine(command))
}

// NoWorkspace returns the finding that there is no workspace. Outside of a project this is a fault only if the user
// named the workspace or its directory.
func NoWorkspace(err error, asked workspace.Config) Finding {
	state := Error
	if asked.Name == "" && asked.Dir == "" && schemas.AsError(err).Code == schemas.Invalid {
		state = Warning
	}
	return state.newFinding(aboutStore, "%s", messageWithHint(err))
}

// NoHomeDir returns the finding that doctor examined no client, because it needs the home directory to find their
// files.
func NoHomeDir(err error) Finding {
	return failure(aboutClients, "none was looked at: %s", messageWithHint(err))
}

// messageWithHint returns the text of an error with its hint.
func messageWithHint(err error) string {
	coded := schemas.AsError(err)
	if coded.Hint == "" {
		return coded.Message
	}
	return coded.Message + ". " + coded.Hint
}

// verifyRegistry checks the store, as "handoff check" does, and with it the registry. If the store is large, or the
// comparison takes too long, the finding says that the registry was not verified.
func verifyRegistry(ctx context.Context, boxes tools.Invoker, file workspace.File, sh CommandBuilder) Finding {
	verify := sh.commandLine("audit verify")
	if file.Bytes > maxVerified {
		return skipped(aboutStore, "it was not verified: it is large").withCommand(verify)
	}
	ctx, end := context.WithTimeout(ctx, verifyTimeout)
	defer end()
	checked, err := tools.InvokeTyped[schemas.CheckOut](ctx, boxes, tools.Call{Tool: "store_check"}, struct{}{})
	if err == nil && checked.OK {
		return ok(aboutStore, "it is whole: %s of %s", schemas.CountNoun(checked.Events, "event"), schemas.CountNoun(checked.Handoffs, "handoff"))
	}
	var out schemas.AuditOut // says whether another program made the fault
	if err == nil {
		out, err = tools.InvokeTyped[schemas.AuditOut](ctx, boxes, tools.Call{Tool: "audit_verify"}, schemas.AuditIn{})
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return skipped(aboutStore, "it was not verified in time").withCommand(verify)
	case store.IsDamaged(err):
		return failure(aboutStore, "%s", messageWithHint(err)).withCommand(sh.commandLine("restore FILE --replace"))
	case err != nil:
		return failure(aboutStore, "it cannot be verified: %s", schemas.AsError(err).Message).withCommand(verify)
	case !out.OK:
		return failure(aboutStore, "it was changed by something else than handoff, first: %s. %s", out.Problems[0], store.DamageRemedy).withCommand(verify)
	}
	what := checked.Faults[0].What
	if checked.Mendable < checked.Found { // check names the call that mends some of them
		what += ". " + store.DamageRemedy
	}
	return failure(aboutStore, "%s", what).withCommand(sh.commandLine("check"))
}

// ExamineFiles examines the permissions of a workspace's files. Opens is false if doctor must not open the workspace:
// that would create a missing store, or change the permissions of a directory that other users can read.
func ExamineFiles(w workspace.Workspace, sh CommandBuilder) (all []Finding, opens bool) {
	if !w.Exists() {
		if err := tryMake(w.Dir); err != nil {
			return []Finding{failure(aboutStore, "%s cannot be made, so no command can write: %v", w.Dir, err)}, false
		}
		return []Finding{ok(aboutStore, "%s does not exist yet: the first who uses the workspace makes it", w.Dir)}, false
	}
	all = examinePermissions(w.Dir)
	path := filepath.Join(w.Dir, workspace.StoreFile)
	store, err := os.Lstat(path)
	switch {
	case err != nil: // the next command creates it, or the finding about the directory explains it
		return all, false
	case store.Mode().IsRegular() && store.Size() == 0 && !workspace.WasStoreEmptied(w.Dir):
		return append(all, warning(aboutStore,
			"%s is empty: its content, if it had any, is lost, and the next command makes a new store of it", path).
			withCommand(sh.commandLine("list"))), false
	}
	dir, err := os.Stat(w.Dir)
	if runtime.GOOS != "windows" && err == nil && dir.Mode().Perm()&others != 0 {
		return append(all, skipped(aboutStore, "its content was not examined: to open it would change its permissions")), false
	}
	return all, true
}

// tryMake reports whether this user can make a directory: it makes another one in the nearest existing directory above
// it, and removes it.
func tryMake(dir string) error {
	above := filepath.Dir(dir)
	for _, err := os.Stat(above); err != nil && above != filepath.Dir(above); _, err = os.Stat(above) {
		above = filepath.Dir(above)
	}
	trial, err := os.MkdirTemp(above, ".handoff-*")
	return cmp.Or(err, os.Remove(trial))
}

// FindOtherWorkspaces returns a finding for each workspace (such as that of a parent directory) in which a person may
// look for an agent by mistake.
func FindOtherWorkspaces(w workspace.Workspace, getenv func(string) string) []Finding {
	return schemas.Map(workspace.FindNeighbours(w, getenv), func(n workspace.Neighbour) Finding {
		return skipped(aboutStore, "beside it is %s", n).withCommand(n.Join)
	})
}

const (
	others = 0o077 // no permission for other users
	usable = 0o700
)

// examinePermissions examines the permissions of the workspace's directory. The permissions of the files do not matter:
// other users cannot reach files in a private directory.
func examinePermissions(dir string) []Finding {
	if runtime.GOOS == "windows" {
		return nil // permissions of files mean nothing there
	}
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return []Finding{failure(aboutStore, "its directory cannot be looked at: %v", err).withCommand("ls -ld " + shell.Quote(dir))}
	case !info.IsDir():
		return []Finding{failure(aboutStore, "%s is no directory", dir).withCommand("mv -n " + shell.JoinWords([]string{dir, dir + ".aside"}))}
	case info.Mode().Perm()&usable != usable:
		return []Finding{failure(aboutStore, "%s is %s: its user cannot use it", dir, info.Mode().Perm()).
			withCommand("chmod 700 " + shell.Quote(dir))}
	case isReadOnly(dir):
		return []Finding{warning(aboutStore, "%s cannot be written from here: while no process outside has the workspace open, commands only read", dir)}
	case workspace.IsAccessDenied(dir):
		return []Finding{failure(aboutStore, "%s belongs to another user, and this one cannot use it", dir).
			withCommand("ls -ld " + shell.Quote(dir))}
	case info.Mode().Perm()&others != 0:
		return []Finding{warning(aboutStore, "%s is %s: others on this machine may look into it", dir, info.Mode().Perm()).
			withCommand("chmod 700 " + shell.Quote(dir))}
	}
	return []Finding{ok(aboutStore, "%s is for its user only", dir)}
}

// isReadOnly reports whether this process may read the files of a workspace, and not write to them.
func isReadOnly(dir string) bool {
	lock, err := os.OpenFile(filepath.Join(dir, workspace.LockFile), os.O_RDWR, 0)
	if err != nil {
		return relay.IsReadOnly(err) && !workspace.IsAccessDenied(dir)
	}
	_ = lock.Close() // nothing was written
	return false
}

// ExamineOwner examines the owner of a workspace, which serves the other processes. It reads the owner's note in the
// workspace's directory.
func ExamineOwner(dir string, now time.Time, sh CommandBuilder) Finding {
	note, there := relay.ReadNote(dir)
	switch {
	case relay.HasUnreadableNote(dir):
		return warning(aboutOwner, "a process of another user has the workspace open, or had it open when it was killed").
			withCommand("ls -l " + shell.Quote(dir))
	case !there:
		return ok(aboutOwner, "nobody has the workspace open: the next who uses it does")
	case !note.IsRunning():
		return warning(aboutOwner, "a note of process %d is left, which has ended: the next command replaces it", note.PID).
			withCommand(sh.commandLine("list"))
	case note.IsInOtherContainer():
		return ok(aboutOwner, "a process in another container, handoff %s, for %s", note.Version, terminal.FormatAge(now.Sub(note.Started)))
	case note.Version != sh.Program.Version:
		return warning(aboutOwner, "process %d is handoff %s, and this is %s: restart the client that started it",
			note.PID, note.Version, sh.Program.Version).
			withCommand("ps -f -p " + strconv.Itoa(note.PID))
	}
	return ok(aboutOwner, "process %d, handoff %s, for %s", note.PID, note.Version, terminal.FormatAge(now.Sub(note.Started)))
}
