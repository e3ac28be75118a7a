package place

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"handoff/cmd/handoff/internal/cli"
	"handoff/cmd/handoff/internal/cluster"
	"handoff/cmd/handoff/internal/open"
	"handoff/cmd/handoff/internal/workspace"
	"handoff/schemas"
	"handoff/store"
	"handoff/store/audit"
	"handoff/store/travel"
	"handoff/tools/platform"
)

func backupCommand(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{Use: "backup FILE", Args: cobra.ExactArgs(1)}
	force := cmd.Flags().Bool("force", false, "replace FILE where it exists")
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		w, err := workspace.Find(a.WorkspaceConfig())
		if err != nil {
			return err
		}
		file, err := backupFile(a, given[0])
		if err == nil {
			err = checkMayOverwrite(file, *force)
		}
		if err != nil {
			return err
		}
		found, bytes, err := writeVerifiedBackup(cmd.Context(), a, w, file)
		if err != nil {
			return err
		}
		said := contentsFields(found)
		said["workspace"], said["file"], said["bytes"] = w.Name, file, bytes
		return a.PrintValue(said, func(p *cli.Page) {
			p.AddLine("backed up %s to %s, %s", p.Bold(w.Name), schemas.EscapeHidden(file), formatSize(bytes))
			printContents(p, found)
		})
	}
	return cmd
}

// backupFile returns the absolute path of the backup file that the command line names.
func backupFile(a *cli.App, name string) (string, error) {
	if strings.Contains(name, "://") {
		return "", schemas.Invalidf("FILE", "%s is an address: backups are files of this machine", schemas.EscapeHidden(name)).
			WithHint("A backup over HTTP from another machine is not offered. Run handoff backup on the machine of the workspace, " +
				"or with HANDOFF_STORE where the database is reached.")
	}
	return filepath.Clean(a.AbsolutePath(name)), nil
}

// checkMayOverwrite refuses a file that cannot become a backup.
func checkMayOverwrite(file string, force bool) error {
	dir := filepath.Dir(file)
	info, err := os.Stat(dir)
	if err != nil || !info.IsDir() {
		return schemas.Errorf(schemas.NotFound, "there is no directory %s", schemas.EscapeHidden(dir)).
			WithHint("Make it, or name a file elsewhere. Nothing was written.")
	}
	if _, err := os.Lstat(filepath.Join(dir, workspace.LockFile)); err == nil {
		return schemas.Invalidf("FILE", "%s is the directory of a workspace, whose files are not to be replaced", schemas.EscapeHidden(dir)).
			WithHint("Name a file elsewhere, best on another disk. Nothing was written.")
	}
	info, err = os.Lstat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && info.Mode().IsRegular() && force:
		return nil
	case err == nil && info.Mode().IsRegular():
		return schemas.Errorf(schemas.Conflict, "%s is there already", schemas.EscapeHidden(file)).
			WithHint("Nothing was written. Name another file; handoff backup --help says how one is replaced.")
	case err == nil:
		return schemas.Invalidf("FILE", "%s is not a file", schemas.EscapeHidden(file)).WithHint("Nothing was written. Name a file.")
	}
	return explainBackupError(file, err)
}

// writeVerifiedBackup writes the backup under a temporary name, verifies it, and then gives it the name file. After an
// error, an earlier file of that name is unchanged.
func writeVerifiedBackup(ctx context.Context, a *cli.App, w workspace.Workspace, file string) (found audit.StoreSummary, bytes int64, err error) {
	temp, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".unfinished-*") // 0600
	if err != nil {
		return found, 0, explainBackupError(file, err)
	}
	var info os.FileInfo
	if err = temp.Close(); err == nil {
		err = writeBackup(ctx, a, w, temp.Name())
	}
	if err == nil {
		found, err = verifyBackupFile(ctx, a, temp.Name())
	}
	if err == nil {
		info, err = os.Stat(temp.Name())
	}
	if err == nil {
		err = os.Rename(temp.Name(), file)
	}
	if err == nil {
		err = platform.SyncDir(filepath.Dir(file))
	}
	if err != nil {
		_ = os.Remove(temp.Name()) // it looks like no backup
		if errors.Is(err, store.ErrCorrupt) || errors.Is(err, audit.ErrFaulty) {
			return found, 0, store.DamagedError(fmt.Errorf("no backup was written: %w", err))
		}
		return found, 0, explainBackupError(file, err)
	}
	return found, info.Size(), nil
}

// writeBackup writes a backup of the workspace into an empty file. For a workspace in files, the owner writes the
// backup, because no other process may read these files. For a workspace in a database, this process reads the
// database.
func writeBackup(ctx context.Context, a *cli.App, w workspace.Workspace, path string) error {
	defer a.ShowProgress("writing the backup of " + w.Name)()
	if a.UsesDatabase() {
		return withDatabaseNode(ctx, a, func(node *cluster.Node) error {
			return open.BackUpDatabase(ctx, w.Name, node, path)
		})
	}
	if !w.HasStore() {
		return errNoWorkspace(w, "on this machine")
	}
	_, _, err := cli.Call[schemas.BackupOut](ctx, a, "workspace_backup", schemas.BackupIn{File: path})
	return err
}

// explainBackupError adds the remark that no backup was made to an error. It returns nil if err is nil.
func explainBackupError(file string, err error) error {
	return explainFileError("back up into "+schemas.EscapeHidden(file), err, "No backup was written.")
}

// explainFileError adds a remedy to an error about a file. The parameter doing names the failed step, and the parameter
// otherwise says what did not change. An error that already has a remedy is returned unchanged. It returns nil if err
// is nil.
func explainFileError(doing string, err error, otherwise string) error {
	if _, coded := errors.AsType[*schemas.Error](err); err == nil || coded {
		return err
	}
	for _, known := range []struct {
		is   error
		code schemas.Code
		hint string
	}{
		{context.Canceled, schemas.Unavailable, "It was interrupted."},
		{store.ErrFull, schemas.Unavailable, "Free space on the disk, or use another one."},
		{syscall.ENOSPC, schemas.Unavailable, "Free space on the disk, or use another one."},
		{store.ErrReadOnly, schemas.Denied, "Change who may use the file and its directory, or use another place."},
		{fs.ErrPermission, schemas.Denied, "Change who may use the file and its directory, or use another place."},
		{fs.ErrNotExist, schemas.NotFound, "Look at the name."},
		{store.ErrLocked, schemas.Conflict, "A process has it open: it is a workspace, and no backup. handoff backup makes one."},
		{store.ErrNewer, schemas.Unavailable, "Install the newest handoff."},
		{store.ErrForeign, schemas.Invalid, "Name a file that handoff backup made, or the handoff.db of a workspace."},
		{store.ErrCorrupt, schemas.Invalid, "Take another backup."},
		{audit.ErrFaulty, schemas.Invalid, "docs/operations.md says what to do with a workspace that has faults."},
		{travel.ErrUnfinished, schemas.Invalid, "Take another backup."},
	} {
		if errors.Is(err, known.is) {
			return schemas.Errorf(known.code, "%s: %w", doing, err).WithHint("%s %s", known.hint, otherwise)
		}
	}
	if _, moved := errors.AsType[*travel.MovedError](err); moved {
		return schemas.Errorf(schemas.Conflict, "%s: %w", doing, err).WithHint("Take a backup of it there. %s", otherwise)
	}
	return schemas.Errorf(schemas.Internal, "%s: %w", doing, err).WithHint("%s", otherwise)
}

func contentsFields(found audit.StoreSummary) map[string]any {
	said := map[string]any{"events": found.Audit.Events, "handoffs": found.Audit.Handoffs, "root": found.Audit.Root}
	if !found.Until.IsZero() {
		said["until"] = found.Until
	}
	return said
}

func printContents(p *cli.Page, found audit.StoreSummary) {
	p.AddLine("%s of %s", schemas.CountNoun(found.Audit.Events, "event"), schemas.CountNoun(found.Audit.Handoffs, "handoff"))
	p.AddLine("root %s", found.Audit.Root)
	if !found.Until.IsZero() {
		p.AddLine("until %s", found.Until.UTC().Format(time.RFC3339))
	}
}

// errNoWorkspace is the error for an unused workspace.
func errNoWorkspace(w workspace.Workspace, where string) error {
	return schemas.Errorf(schemas.NotFound, "there is no workspace %s %s", w.Name, where).
		WithHint("handoff where names that of a project, and --workspace another.")
}
