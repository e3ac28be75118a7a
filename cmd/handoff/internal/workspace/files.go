package workspace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"handoff/schemas"
	"handoff/tools/platform"
	"handoff/tools/relay"
)

// StoreFile is the name of the file with the handoffs, in the directory of a workspace.
const StoreFile = "handoff.db"

// KeptFile is the name of the replaced store that a restore keeps.
const KeptFile = StoreFile + ".before"

// LockFile is the name of the lock file. It exists in each directory of a workspace, even if the store is missing.
const LockFile = "handoff.lock"

// KeyFile is the name of the file with the key that signs the heads of the audit registry.
const KeyFile = "handoff.key"

// NotifiedFile is the name of the file in which handoff status --exec records the concerns that it reported to a
// command. Related files have this name with a dot and a suffix.
const NotifiedFile = "handoff.told"

const (
	logFile    = "handoff.log"
	recordFile = "project.json"
)

// isFileOfHandoff reports whether handoff writes a file of this name into the directory of a workspace. [Remove]
// deletes only files for which isFileOfHandoff is true.
func isFileOfHandoff(name string) bool {
	patterns := append(relay.FileNames(), StoreFile, StoreFile+".new", StoreFile+".old", KeptFile, KeptFile+"-mend-*",
		StoreFile+".restor*", logFile, logFile+".1", recordFile, recordFile+".*", KeyFile, KeyFile+".*", NotifiedFile, NotifiedFile+".*")
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, err := filepath.Match(pattern, name)
		return ok && err == nil
	})
}

// A File is one of the files of a workspace.
type File struct {
	Path  string    `json:"path"`
	Bytes int64     `json:"bytes"`
	Used  time.Time `json:"-"` // the time of its last write
}

// Exists reports whether the path of the workspace's directory exists. It is true for a file at that path too.
func (w Workspace) Exists() bool {
	return !isMissing(w.Dir)
}

// IsAccessDenied reports whether this user may not read the directory of a workspace, for example because another user
// owns it. In that case handoff does not know whether the workspace was used.
func IsAccessDenied(dir string) bool {
	_, err := os.ReadDir(dir)
	return errors.Is(err, fs.ErrPermission)
}

// HasStore reports whether the workspace has a store. The first process that opens the mailboxes of a workspace makes
// the store.
func (w Workspace) HasStore() bool {
	return w.StoreFile() != nil
}

// IsStoreMissing reports whether the workspace has no store. It is false if the path cannot be read.
func (w Workspace) IsStoreMissing() bool { return isMissing(filepath.Join(w.Dir, StoreFile)) }

func isMissing(path string) bool {
	_, err := os.Lstat(path)
	return errors.Is(err, fs.ErrNotExist)
}

// StoreFile returns the file with the handoffs, nil if there is no such file. Callers that only need to know whether it
// exists call [Workspace.HasStore].
func (w Workspace) StoreFile() *File { return w.file(StoreFile) }

// KeptFile returns the store that a restore replaced and kept, nil if there is no kept store.
func (w Workspace) KeptFile() *File { return w.file(KeptFile) }

// LogFile returns the log file of the owners of the workspace, see package journal. It is nil if there is no log.
func (w Workspace) LogFile() *File { return w.file(logFile) }

func (w Workspace) file(name string) *File {
	path := filepath.Join(w.Dir, name)
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return &File{path, info.Size(), info.ModTime()}
}

// TotalSize returns the size of all files of the workspace in bytes. It is 0 if the directory cannot be read.
func (w Workspace) TotalSize() (sum int64) {
	entries, _ := os.ReadDir(w.Dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			sum += info.Size()
		}
	}
	return sum
}

// All returns the used workspaces on this machine in the order of their names. The field Project has the path that
// [RecordProject] wrote, or is empty.
func All(getenv func(string) string) ([]Workspace, error) {
	state, err := stateDir(getenv)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(state)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var all []Workspace
	for _, e := range entries {
		if !e.IsDir() || !schemas.IsValidName(e.Name()) {
			continue
		}
		w := Workspace{Name: e.Name(), Dir: filepath.Join(state, e.Name()), By: ByName}
		if w.HasStore() {
			w.Project = RecordedProject(w)
			all = append(all, w)
		}
	}
	return all, nil
}

// projectRecord is the content of project.json. The file is needed because the name of a workspace has only a hash of
// the path of its project.
type projectRecord struct {
	Project string `json:"project"`
	Commit  string `json:"commit,omitempty"` // an early commit of the repository, by which a moved one is recognised
	Made    string `json:"made,omitempty"`   // when git made the repository: recognises one without commits
}

// RecordProject writes the project of a workspace into the directory of the workspace. People can then tell workspaces
// apart, and a project that moves can keep its workspace. RecordProject writes nothing if the file already has this
// project, if the workspace has no project, or if the directory does not exist.
func RecordProject(w Workspace) error {
	was := readRecord(w)
	if w.Project == "" || was.Project == w.Project && (was.Commit != "" || w.By != ByGit) {
		return nil
	}
	now := projectRecord{Project: w.Project}
	if w.By == ByGit {
		now.Commit, now.Made = repositoryOf(w).EarlyCommit(), repositoryOf(w).Made()
	}
	if now == was {
		return nil
	}
	content, _ := json.Marshal(now) // texts can be encoded
	err := platform.ReplaceFile(filepath.Join(w.Dir, recordFile), recordFile+".*", content, nil)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remember the project: %w", err)
	}
	return nil
}

// RecordedProject returns the project that RecordProject wrote last. It returns "" if the file is missing or damaged.
func RecordedProject(w Workspace) string { return readRecord(w).Project }

func readRecord(w Workspace) (m projectRecord) {
	content, err := platform.ReadRegular(filepath.Join(w.Dir, recordFile), 64<<10)
	if err != nil || json.Unmarshal(content, &m) != nil || !filepath.IsAbs(m.Project) {
		return projectRecord{}
	}
	return m
}

// Remove deletes the files of a workspace and its directory. It returns the names of the deleted files in the order of
// deletion, also after an error. The caller must have locked the workspace with [handoff/tools/relay.Lock]. Remove
// follows no link out of the directory. If the directory has a file that handoff did not make, Remove deletes nothing
// and returns [schemas.Conflict].
func Remove(w Workspace) (deleted []string, err error) {
	names, err := filesToRemove(w)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if err := os.Remove(filepath.Join(w.Dir, name)); err != nil {
			return deleted, err
		}
		deleted = append(deleted, name)
	}
	return deleted, os.Remove(w.Dir)
}

// filesToRemove lists the files to delete. The lock file is last: while the lock file exists, no other process makes a
// new store in the directory. It refuses a directory with files that handoff did not make.
func filesToRemove(w Workspace) (names []string, err error) {
	if info, err := os.Lstat(w.Dir); err != nil || !info.IsDir() {
		return nil, errNotRemoved(w, w.Dir+" is no directory")
	}
	entries, err := os.ReadDir(w.Dir)
	if err != nil {
		return nil, err
	}
	var others []string
	for _, e := range entries {
		if e.IsDir() || !isFileOfHandoff(e.Name()) {
			others = append(others, e.Name())
		}
		names = append(names, e.Name())
	}
	if len(others) > 0 {
		return nil, errNotRemoved(w, "handoff did not make "+strings.Join(others, ", ")+" in "+w.Dir)
	}
	if i := slices.Index(names, LockFile); i >= 0 {
		names = append(slices.Delete(names, i, i+1), LockFile)
	}
	return names, nil
}

func errNotRemoved(w Workspace, what string) error {
	return schemas.Errorf(schemas.Conflict, "workspace %s was not removed: %s", w.Name, what).
		WithHint("Nothing was deleted. Move it away, and call again.")
}

// Move moves the files of the workspace `from` into the directory of the workspace `to`. This directory must not exist
// yet. The caller must have locked `from`.
func Move(from, to Workspace) error {
	if err := os.Rename(from.Dir, to.Dir); err != nil {
		return fmt.Errorf("rename workspace %s: %w", from.Name, err)
	}
	return RecordProject(to)
}

// An empty store file has two possible causes. A process died while it made the file, and nothing is lost. Or another
// program emptied a store that was open before, and its content is lost. The file handoff.here tells the causes apart:
// it has a byte if the store was ever open.

const presenceFile = "handoff.here" // of [relay.FileNames]

// WasStoreEmptied reports whether another program emptied the file of the store in a directory.
func WasStoreEmptied(dir string) bool {
	file, err := os.Stat(filepath.Join(dir, StoreFile))
	here, unmarked := os.Stat(filepath.Join(dir, presenceFile))
	return err == nil && unmarked == nil && file.Size() == 0 && here.Size() > 0
}

// RecordStoreOpened records whether the store in a directory was ever open. It ignores errors of the file system. After
// an error, [WasStoreEmptied] cannot notice a later loss.
func RecordStoreOpened(dir string, was bool) {
	path := filepath.Join(dir, presenceFile)
	here, err := os.Stat(path)
	if err != nil || was == (here.Size() > 0) {
		return
	}
	mark := ""
	if was {
		mark = "\n"
	}
	_ = os.WriteFile(path, []byte(mark), 0o600)
}
