package checks

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"handoff/mailbox/secret"
	"handoff/schemas"
	"handoff/tools/platform"
)

// checkCommand runs the command of a check at the commit, and stores the result in said.
func (l *jobRun) checkCommand(ctx context.Context, c Check, said *schemas.Observation) error {
	if err := l.ensureSlot(ctx); err != nil {
		return err
	}
	ended, err := l.runCommand(ctx, c)
	said.Exit, said.Millis, said.Output, said.Why = ended.Exit, ended.Millis, ended.Output, ended.Why
	said.Tail = outputTail(ended.Tail)
	return err
}

// ensureSlot takes a slot, unless one is taken.
func (l *jobRun) ensureSlot(ctx context.Context) (err error) {
	if l.slot == nil {
		removeUnusedSlots(l.Dir, l.Now())
		l.slot, err = takeSlot(ctx, l.place, l.Repository, l.Commit)
	}
	return err
}

const mostTail = 4 << 10 // bytes

// outputTail returns the last 4 KiB of a command's output as text, with secrets masked.
func outputTail(printed []byte) string {
	text, _ := secret.Mask(strings.ToValidUTF8(string(printed), "\ufffd"))
	return strings.ToValidUTF8(text[max(0, len(text)-mostTail):], "")
}

// runCommand runs the command of a check at the commit. If the command fails, ended.Why says why, and err is nil. Err is
// set only if the command could not run.
func (l *jobRun) runCommand(ctx context.Context, c Check) (ended commandOutcome, err error) {
	if err := l.checkOut(ctx, c); err != nil {
		return ended, err
	}
	s := l.slot
	dir, ok := dirInTree(s.tree, c.Dir)
	if !ok {
		ended.Why = c.Dir + " is no directory of the commit"
		return ended, nil
	}
	if err := removeOldReport(c.Report, s.tree); err != nil {
		return ended, err
	}
	id := rand.Text()[:16]
	if err := errors.Join(writeIfChanged(filepath.Join(s.path, markFile), id), os.Mkdir(temporaryDir(id), 0o700)); err != nil {
		return ended, err
	}
	defer s.killRemaining()
	defer func() {
		if platform.IsDiskNearlyFull(s.tree, leastDisk) {
			_ = removeAll(s.tree) // the next run writes it
		}
	}()
	o := commandOrder{
		Line: c.Run, Dir: dir, Env: l.environment(c, id), Limit: c.Timeout,
		Print: filepath.Join(s.path, stdout), Temporary: temporaryDir(id),
	}
	if ended, err = l.supervise(ctx, o); err == nil && ended.Why == "" {
		ended.Why = ended.failure(c.Report, s.tree, o.Print)
	}
	return ended, err
}

// checkOut checks the commit out into the tree of the slot. The exception is files that match the globs in the check's
// field Base: they come from the base.
func (l *jobRun) checkOut(ctx context.Context, c Check) error {
	if err := l.slot.checkOut(ctx, l.Commit); err != nil {
		return err
	}
	if len(c.Base) > 0 {
		changed, err := l.changedFiles(ctx)
		if err == nil {
			err = l.slot.restoreFiles(ctx, l.Base, changed, c.Base)
		}
		if err != nil {
			return err
		}
	}
	return l.slot.addGitDir(l.Commit)
}

// failure returns the reason why a command that ended counts as failed, or "" for none. It looks at the exit status
// first, and then at the command's report.
func (e commandOutcome) failure(report, tree, printed string) string {
	why := "it was killed"
	if e.Exit != nil {
		why = fmt.Sprintf("it ended with status %d", *e.Exit)
	}
	problem, failed := reportProblem(report, tree, printed)
	switch {
	case e.Exit != nil && *e.Exit == 0:
		return problem
	case failed:
		return why + ", " + problem
	}
	return why
}

// dirInTree returns the path of a directory in a tree. It returns false if a link on the way leads out of the tree.
func dirInTree(tree, dir string) (string, bool) {
	root, err := os.OpenRoot(tree)
	if err != nil {
		return "", false
	}
	defer root.Close()
	info, err := root.Stat(dir)
	return filepath.Join(tree, filepath.FromSlash(dir)), err == nil && info.IsDir()
}

// passedVars are the variables that each command gets if they are set.
var passedVars = []string{"PATH", "HOME", "LANG", "LC_ALL", "USER", "LOGNAME"}

var passedVarsWindows = []string{
	"SystemRoot", "SystemDrive", "windir", "ComSpec", "PATHEXT", "USERPROFILE", "USERNAME", "APPDATA", "LOCALAPPDATA",
	"ProgramData", "ProgramFiles", "ProgramFiles(x86)", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE",
}

func (l *jobRun) environment(c Check, id string) (vars []string) {
	names := append(append([]string{}, passedVars...), c.Env...)
	if runtime.GOOS == "windows" {
		names = append(names, passedVarsWindows...)
		vars = []string{"TEMP=" + temporaryDir(id), "TMP=" + temporaryDir(id)}
	}
	for _, name := range names {
		if value := l.Getenv(name); value != "" {
			vars = append(vars, name+"="+value)
		}
	}
	return append(vars, "TMPDIR="+temporaryDir(id), markVariable+"="+id)
}

// supervise runs a command under a supervisor, and waits for the command. When ctx ends, or when this process ends, the
// supervisor ends all processes of the command.
func (l *jobRun) supervise(ctx context.Context, o commandOrder) (ended commandOutcome, err error) {
	cmd := exec.CommandContext(context.WithoutCancel(ctx), l.Executable, superviseArgs...) //nolint:gosec // this program itself
	cmd.Env = os.Environ()
	if runtime.GOOS != "windows" {
		cmd.ExtraFiles = []*os.File{l.slot.lock}
	}
	said, err := o.supervise(ctx, cmd, 3*endLimit)
	if ctx.Err() != nil {
		return ended, ctx.Err()
	}
	if err = cmp.Or(err, json.Unmarshal(said, &ended)); err != nil {
		return ended, schemas.Errorf(schemas.Unavailable, "the supervisor of the command did not end by itself: %w", err).
			WithHint("Complete the work again. If the command stops or kills its own supervisor, mend the command.")
	}
	return ended, nil
}
