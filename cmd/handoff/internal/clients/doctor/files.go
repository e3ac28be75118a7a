package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/shell"
	"handoff/cmd/handoff/internal/workspace"
)

// Files examines the files of a workspace: who may read them, whether the store looks like one, and whether the disk
// has room for more.
func Files(w workspace.Workspace, sh Shell) []Finding {
	if !w.Exists() {
		missing := ok(aboutStore, "%s does not exist yet: the first who uses the workspace makes it", w.Dir)
		return []Finding{missing, room(w.Dir)}
	}
	return append(slices.Concat(permissions(w.Dir), storeFile(filepath.Join(w.Dir, workspace.StoreFile), sh)), room(w.Dir))
}

// Shut tells whether doctor must not open a workspace, and the finding that says why. Opening would make a store
// where there is none or an empty one, and would change the permissions of a directory that is not private. An owner
// that was stopped would not answer.
func Shut(w workspace.Workspace) (findings []Finding, shut bool) {
	store, used := w.Store()
	info, err := os.Stat(w.Dir)
	switch {
	case !used || store.Bytes == 0 || err != nil:
		return nil, true
	case !private(info.Mode()):
		return []Finding{skipped(aboutStore,
			"what is in it was not looked at: to open it would change its permissions")}, true
	case stopped(w.Dir):
		return []Finding{skipped(aboutStore, "what is in it was not looked at: who has it open does not answer")}, true
	}
	return nil, false
}

func private(mode fs.FileMode) bool {
	return runtime.GOOS == "windows" || mode.Perm()&others == 0
}

const (
	others = 0o077 // may not do anything with what agents know
	usable = 0o700
)

func permissions(dir string) []Finding {
	if runtime.GOOS == "windows" {
		return nil // there the permissions of files say nothing
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []Finding{failure(aboutStore, "%s is a link that leads nowhere", dir).try(aside(dir))}
	case err != nil:
		return []Finding{failure(aboutStore, "its directory cannot be looked at: %v", err).try("ls -ld " + shell.Quote(dir))}
	case !info.IsDir():
		return []Finding{failure(aboutStore, "%s is no directory", dir).try(aside(dir))}
	case info.Mode().Perm()&usable != usable:
		return []Finding{failure(aboutStore, "%s is %s: its user cannot use it", dir, info.Mode().Perm()).
			try("chmod 700 " + shell.Quote(dir))}
	case info.Mode().Perm()&others != 0:
		return []Finding{warning(aboutStore, "%s is %s: others on this machine may look into it", dir, info.Mode().Perm()).
			try("chmod 700 " + shell.Quote(dir))}
	}
	return modes(dir)
}

// modes looks at the permissions of the files. Others cannot reach the files as long as the directory is private.
func modes(dir string) []Finding {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return []Finding{failure(aboutStore, "its directory cannot be read: %v", err).try("ls -l " + shell.Quote(dir))}
	}
	var open, shut []string
	for _, e := range entries {
		info, err := e.Info()
		switch {
		case err != nil || info.IsDir() || info.Mode()&fs.ModeSymlink != 0:
		case info.Mode().Perm()&0o600 != 0o600:
			shut = append(shut, filepath.Join(dir, e.Name()))
		case info.Mode().Perm()&others != 0:
			open = append(open, filepath.Join(dir, e.Name()))
		}
	}
	var all []Finding
	if len(shut) > 0 {
		all = append(all, failure(aboutStore, "its user cannot read and write %s", named(shut)).
			try("chmod 600 "+shell.Line(shut)))
	}
	if len(open) > 0 {
		all = append(all, warning(aboutStore, "others may read %s", named(open)).try("chmod 600 "+shell.Line(open)))
	}
	if len(all) == 0 {
		all = append(all, ok(aboutStore, "%s is for its user only", dir))
	}
	return all
}

func named(paths []string) string {
	var names []string
	for _, path := range paths {
		names = append(names, filepath.Base(path))
	}
	return strings.Join(names, ", ")
}

// What has to be free: a store that cannot grow cannot keep changes.
const (
	leastFree  = 1 << 30 // bytes
	leastShare = 5       // percent
)

// room tells how much is free on the disk of a directory. A directory that does not exist yet will be on the disk of
// the one above.
func room(dir string) Finding {
	for {
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	d, err := diskOf(dir)
	if err != nil {
		return skipped(aboutStore, "how much is free on its disk is not known: %v", err)
	}
	return d.judged(dir)
}

// A disk is the space of a file system, in bytes.
type disk struct{ free, all uint64 }

func (d disk) judged(dir string) Finding {
	share := 100.0
	if d.all > 0 {
		share = 100 * float64(d.free) / float64(d.all)
	}
	said := fmt.Sprintf("%.1f GiB (%.0f %%) are free on its disk", float64(d.free)/(1<<30), share)
	if d.free < leastFree || share < leastShare {
		return warning(aboutStore, "only %s", said).try("df -h " + shell.Quote(dir))
	}
	return ok(aboutStore, "%s", said)
}
