package checks

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"handoff/mailbox/secret"
	"handoff/schemas"
	"handoff/tools/platform"
)

// checkCommand runs the command of a check at the commit, and stores the result in said.
func (l *jobRun) checkCommand(ctx context.Context, c Check, said *schemas.Observation) (err error) {
	if err := l.ensureSlot(ctx); err != nil {
		return err
	}
	var before []string
	if c.Kept {
		if before, err = l.testsPassedAtBase(ctx, c); err != nil {
			return err
		}
	}
	ended, reported, err := l.runCommand(ctx, c, l.Commit)
	if err != nil {
		return err
	}
	said.Exit, said.Millis, said.Output, said.Why = ended.Exit, ended.Millis, ended.Output, ended.Why
	said.Tail = outputTail(ended.Tail)
	if lost := reported.lostTests(before); said.Why == "" && len(lost) > 0 {
		said.Why = fileProblem(lost, fmt.Sprintf("%d passed at the base and do not pass now", len(lost)))
	}
	return nil
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

// runCommand runs the command of a check at a commit. Reported holds the tests in the command's report. If the command
// fails, ended.Why says why, and err is nil. Err is set only if the command could not run.
func (l *jobRun) runCommand(ctx context.Context, c Check, commit string) (ended commandOutcome, reported testResults, err error) {
	if err := l.checkOut(ctx, c, commit); err != nil {
		return ended, reported, err
	}
	s := l.slot
	dir, ok := dirInTree(s.tree, c.Dir)
	if !ok {
		ended.Why = c.Dir + " is no directory of the commit"
		return ended, reported, nil
	}
	if err := removeOldReport(c.Report, s.tree); err != nil {
		return ended, reported, err
	}
	id := rand.Text()[:16]
	if err := errors.Join(writeIfChanged(filepath.Join(s.path, markFile), id), os.Mkdir(temporaryDir(id), 0o700)); err != nil {
		return ended, reported, err
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
	if ended, err = l.supervise(ctx, o); err != nil || ended.Why != "" {
		return ended, reported, err
	}
	if c.Report != "" {
		if reported, err = readReport(c.Report, s.tree, o.Print); err != nil {
			ended.Why = err.Error()
		}
	}
	if c.Report != "" || !ended.succeeded() {
		ended.setFailure(reported)
	}
	return ended, reported, nil
}

// checkOut checks a commit out into the tree of the slot. The exception is files that match the globs in the check's
// field Base: they come from the base.
func (l *jobRun) checkOut(ctx context.Context, c Check, commit string) error {
	if err := l.slot.checkOut(ctx, commit); err != nil {
		return err
	}
	if len(c.Base) > 0 && commit != l.Base {
		changed, err := l.changedFiles(ctx)
		if err == nil {
			err = l.slot.restoreFiles(ctx, l.Base, changed, c.Base)
		}
		if err != nil {
			return err
		}
	}
	return l.slot.addGitDir(commit)
}

// succeeded reports whether a command ended with status 0.
func (e *commandOutcome) succeeded() bool { return e.Exit != nil && *e.Exit == 0 }

// setFailure sets Why, the reason why the command counts as failed. It looks at the exit status first, and then at the
// command's report.
func (e *commandOutcome) setFailure(reported testResults) {
	if e.succeeded() {
		e.Why = cmp.Or(e.Why, reported.problem())
		return
	}
	e.Why = "it was killed"
	if e.Exit != nil {
		e.Why = fmt.Sprintf("it ended with status %d", *e.Exit)
	}
	if len(reported.failed) > 0 {
		e.Why += ", " + reported.problem()
	}
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

// testsPassedAtBase returns the tests that passed at the base. It runs the command at the base once, and stores the
// result for later runs.
func (l *jobRun) testsPassedAtBase(ctx context.Context, c Check) (names []string, err error) {
	said, _ := json.Marshal(c) // texts and numbers can be encoded
	key := fmt.Sprintf("%x", sha256.Sum256(append([]byte(l.Base+" "), said...)))
	file := filepath.Join(l.place, "kept-"+key[:16])
	if kept, err := os.ReadFile(file); err == nil && json.Unmarshal(kept, &names) == nil {
		now := time.Now()
		_ = os.Chtimes(file, now, now) // else the command runs once more, a week later
		return names, nil
	}
	ended, reported, err := l.runCommand(ctx, c, l.Base)
	if err != nil {
		return nil, err
	}
	if len(reported.passed)+len(reported.failed) == 0 && ended.Why != noTests {
		return nil, schemas.Errorf(schemas.Unavailable, "which tests passed at the base %s is not known: %s", schemas.ShortCommit(l.Base), ended.Why).
			WithHint("A person mends the command, or leaves out kept: true.")
	}
	said, _ = json.Marshal(reported.passed)
	return reported.passed, writeIfChanged(file, string(said))
}
