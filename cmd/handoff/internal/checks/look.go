package checks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"handoff/cmd/handoff/internal/consent"
	"handoff/cmd/handoff/internal/git"
	"handoff/mailbox/contract"
	"handoff/schemas"
	"handoff/tools/platform"
)

// Runner runs checks. Several goroutines and several processes may call its methods at once.
type Runner struct {
	Dir        string // for kept files, see [handoff/cmd/handoff/internal/workspace.ChecksDir]
	Executable string // this program, which the runner starts again to supervise commands
	Getenv     func(string) string
	Now        func() time.Time
}

// Job holds checks to run for one piece of work.
type Job struct {
	Repository git.Repository
	Base       string     // the whole id of the commit at which the work began; the list is read from it
	Commit     string     // the whole id of the commit under test
	Names      []string   // of the checks to run; checks that always run are added
	Work       schemas.ID // the handoff, zero if a person checks a commit

	Uncommitted []string // uncommitted files, where the work was done
	Unknown     string   // why they are not known
}

// AdviceOnBase returns a sentence that says how the sender or a person names another base for the work.
func (j Job) AdviceOnBase() string {
	return fmt.Sprintf("the sender of %s or human names another base: handoff update %s --base COMMIT, or changes.expectations.base of amend", j.Work, j.Work)
}

// ReadList reads the list of checks at a commit of a repository. It does not look for a permission: see
// [Runner.CheckPermission]. Errors are *[schemas.Error]: unavailable without a repository, without git or without this
// commit, not_found without a list, and invalid with all problems of a broken list. In a repository that never had
// checks, ReadList makes no file and no directory.
func (r Runner) ReadList(ctx context.Context, from git.Repository, base string) (List, error) {
	if !platform.Exists(r.repositoryDir(from)) {
		if has, err := from.HasPath(ctx, base, File); err == nil && !has {
			return List{}, errNoList(base)
		}
	}
	o, err := r.openObjects(from, base)
	if err != nil {
		return List{}, err
	}
	text, ok, err := o.readText(ctx, base, File, math.MaxInt)
	switch {
	case ctx.Err() != nil:
		return List{}, ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return List{}, schemas.Errorf(schemas.Unavailable, "the program git is not installed here").
			WithHint("A person installs git, so that a commit can be looked at in a tree of its own.")
	case !ok && !o.hasCommit(ctx, base):
		return List{}, schemas.Errorf(schemas.Unavailable, "the base %s is no commit of this repository", schemas.ShortCommit(base)).
			WithField("base").WithHint("Fetch it, or name another base.")
	case err != nil:
		return List{}, schemas.Errorf(schemas.Unavailable, "%w", err)
	case !ok:
		return List{}, errNoList(base)
	}
	list, problems := Parse([]byte(text))
	if len(problems) > 0 {
		return list, schemas.Errorf(schemas.Invalid, "%s", strings.Join(problems, "\n")).
			WithField("base").WithHint("A person mends the list and commits it, where the work begins.")
	}
	return list, nil
}

func errNoList(base string) error {
	return schemas.Errorf(schemas.NotFound, "there is no %s at the base %s", File, schemas.ShortCommit(base)).
		WithField("base").WithHint("A person commits one, where the work begins: checks: {test: go test ./...}")
}

// openObjects returns objects for reading only.
func (r Runner) openObjects(from git.Repository, base string) (objectStore, error) {
	if from.Common == "" || !git.IsObjectID(base) {
		return objectStore{}, schemas.Errorf(schemas.Unavailable, "there is no git repository with a commit here").
			WithHint("Checks are looked at in a git repository: a person makes one, with git init and a commit.")
	}
	o, err := borrowObjects(filepath.Join(r.repositoryDir(from), "git"), from, base)
	if err != nil {
		return o, schemas.Errorf(schemas.Unavailable, "%w", err)
	}
	return o, nil
}

// Run runs the checks of a job. The report has one observation for each wanted check. For a check that cannot run, it
// has a text instead, which tells models the reason and what a person can do. If the list of checks cannot be read, the
// report says so even if the job wants no check. A failed check is no error. Run returns an error only if ctx ends.
func (r Runner) Run(ctx context.Context, job Job) (schemas.CheckReport, error) {
	seen := schemas.CheckReport{Unobserved: map[string]string{}}
	all := func(names []string, err error) (schemas.CheckReport, error) {
		for _, name := range names {
			seen.Unobserved[name] = job.explain(err)
		}
		return seen, ctx.Err()
	}
	list, err := r.ReadList(ctx, job.Repository, job.Base)
	if e := schemas.AsError(err); e != nil {
		if e.Code != schemas.NotFound {
			seen.Unread = job.explain(err)
		}
		return all(job.Names, err)
	}
	wanted := list.WantedNames(job.Names)
	if len(wanted) == 0 {
		return seen, nil
	}
	given, _ := r.Permissions(job.Repository).Find(consent.Checks, list.Digest)
	if given == nil {
		return all(wanted, r.CheckPermission(job.Repository, list))
	}
	r.Getenv = given.Getenv(r.Getenv)
	l := jobRun{Runner: r, Job: job, list: list, place: r.repositoryDir(job.Repository)}
	if err := l.checkBase(ctx); err != nil {
		return all(wanted, err)
	}
	for _, name := range wanted {
		said, err := l.runCheck(ctx, name)
		if err != nil {
			seen.Unobserved[name] = job.explain(err)
		} else if said != nil {
			seen.Observed = append(seen.Observed, *said)
		}
	}
	if l.slot != nil {
		l.slot.release()
	}
	return seen, ctx.Err()
}

// explain returns an error and its remedies as one text. If another base may remedy the error, the text says how to
// name another base.
func (j Job) explain(err error) string {
	e, coded := errors.AsType[*schemas.Error](err)
	if !coded {
		return schemas.EscapeHidden(err.Error()) + ". This is of the machine, and not of the work: complete it again."
	}
	text := strings.TrimSpace(strings.TrimSuffix(e.Message, ".") + ". " + e.Hint)
	if e.Field == "base" && j.Work != 0 {
		text = strings.TrimSuffix(text, ".") + ". Or " + j.AdviceOnBase() + "."
	}
	return schemas.EscapeHidden(text)
}

// jobRun is one run of a job.
type jobRun struct {
	Runner
	Job
	list    List
	place   string
	objects objectStore
	changed []changedFile // from the base to the commit, nil until the first use
	slot    *slot         // nil until a command runs
}

// checkBase checks whether the commit contains its base.
func (l *jobRun) checkBase(ctx context.Context) (err error) {
	if l.objects, err = l.openObjects(l.Repository, l.Base); err != nil {
		return err
	}
	contains := errors.New("it is no id")
	if git.IsObjectID(l.Commit) {
		_, contains = l.objects.runGit(ctx, "", "merge-base", "--is-ancestor", l.Base, l.Commit)
	}
	switch {
	case contains == nil:
		return nil
	case !git.IsObjectID(l.Commit) || !l.objects.hasCommit(ctx, l.Commit):
		return schemas.Errorf(schemas.NotFound, "%q is no commit of this repository", schemas.Clip(l.Commit, 40)).
			WithHint("Commit the work, and complete it again from the repository that has the commit.")
	}
	const said = "the commit %s does not contain the base %s, from which the list of checks is read"
	return schemas.Errorf(schemas.Conflict, said, schemas.ShortCommit(l.Commit), schemas.ShortCommit(l.Base)).
		WithField("base").WithHint("Merge the base, or rebase onto it, and complete the work again.")
}

// changedFiles returns the files that differ between the commit and the base.
func (l *jobRun) changedFiles(ctx context.Context) (_ []changedFile, err error) {
	if l.changed == nil {
		l.changed, err = l.objects.changedFiles(ctx, l.Base, l.Commit)
	}
	return l.changed, err
}

// runCheck runs one check. The error is the reason why there is no observation.
func (l *jobRun) runCheck(ctx context.Context, name string) (*schemas.Observation, error) {
	i := slices.IndexFunc(l.list.Checks, func(c Check) bool { return c.Name == name })
	if i < 0 {
		return nil, schemas.Errorf(schemas.NotFound, "there is no check %q in %s at the base", schemas.Clip(name, 80), File).
			WithField("base").WithHint("There are %s.", strings.Join(l.list.Names(), ", "))
	}
	c := l.list.Checks[i]
	said := &schemas.Observation{Check: name, Commit: l.Commit, List: l.list.Digest, At: l.Now()}
	var err error
	switch {
	case c.Run != "":
		err = l.checkCommand(ctx, c, said)
	case c.Exists != "":
		said.Why, err = l.checkExists(ctx, c.Exists)
	case c.Tree != "":
		said.Why, err = l.checkClean(ctx)
	case c.JSON != "":
		said.Why, err = l.checkSchema(ctx, c)
	default:
		said.Why, err = l.checkScope(ctx, c)
	}
	if said.Passed = said.Why == ""; err == nil && l.Work != 0 {
		err = l.checkAgainstBase(ctx, c, said)
	}
	return said, err
}

// checkAgainstBase judges an observation by the files that the work changed. The error is conflict if the sender named
// the check, the check passed, and the work changed no file: such a pass proves nothing. The exception is a check that
// asks for a clean tree: its pass counts. If the check failed and it compares the work with the base (such as a check
// for tests that passed there), said.Why also says how to name another base.
func (l *jobRun) checkAgainstBase(ctx context.Context, c Check, said *schemas.Observation) error {
	changed, err := l.changedFiles(ctx)
	decide := compileGlobs(slices.Concat(c.Base, c.Leaves))
	switch base := schemas.ShortCommit(l.Base); {
	case err == nil && said.Passed && len(changed) == 0 && c.Tree == "" && slices.Contains(l.Names, c.Name):
		return schemas.Errorf(schemas.Conflict, "nothing was committed since the base %s, so that the check passes says nothing of the work", base).
			WithField("base").WithHint("Commit the work, and complete it again. Its sender accepts what needs no commit.")
	case !said.Passed && (c.Kept || slices.ContainsFunc(changed, func(f changedFile) bool { return decide.MatchString(f.path) })):
		said.Why += " (compared with the base " + base + "; " + l.AdviceOnBase() + ")"
	}
	if !said.Passed {
		return nil // the failure was observed, even if git cannot list the changes
	}
	return err
}

func (l *jobRun) checkExists(ctx context.Context, path string) (why string, err error) {
	id, _, err := l.objects.findFile(ctx, l.Commit, path)
	if err == nil && id == "" {
		why = path + " is no regular file of the commit"
	}
	return why, err
}

func (l *jobRun) checkScope(ctx context.Context, c Check) (why string, err error) {
	changed, err := l.changedFiles(ctx)
	if err != nil {
		return "", err
	}
	touches, leaves := compileGlobs(c.Touches), compileGlobs(c.Leaves) // no file matches an empty list
	touched := slices.ContainsFunc(changed, func(f changedFile) bool { return touches.MatchString(f.path) })
	if len(c.Touches) > 0 && !touched {
		return "the commit changes no file that matches " + strings.Join(c.Touches, " or "), nil
	}
	var left []string
	for _, f := range changed {
		if leaves.MatchString(f.path) {
			left = append(left, f.path)
		}
	}
	return fileProblem(left, "the commit changes files that it must not change"), nil
}

// fileProblem returns a sentence about a problem, with the names of the first files. It returns "" if there are no
// files.
func fileProblem(files []string, what string) string {
	if len(files) == 0 {
		return ""
	}
	return what + ": " + schemas.EscapeHidden(schemas.JoinFirst(files, 5))
}

const (
	mostJSON   = 1 << 20
	mostSchema = 64 << 10
)

func (l *jobRun) checkSchema(ctx context.Context, c Check) (why string, err error) {
	written, ok, err := l.objects.readText(ctx, l.Base, c.Schema, mostSchema)
	if err != nil {
		return "", err
	}
	var schema *contract.Schema
	if ok {
		schema, err = contract.Compile(json.RawMessage(written))
	}
	if !ok || err != nil || schema == nil {
		return "", schemas.Errorf(schemas.Invalid, "%s is no JSON Schema at the base", c.Schema).
			WithField("base").WithHint("A person mends it, where the work begins.")
	}
	text, ok, err := l.objects.readText(ctx, l.Commit, c.JSON, mostJSON)
	switch {
	case err != nil:
		return "", err
	case !ok:
		return c.JSON + " is no regular file of the commit, or has more than 1 MiB", nil
	}
	if err := schema.Check(json.RawMessage(text)); err != nil {
		return c.JSON + " does not meet " + c.Schema + ": " + schemas.AsError(err).Message, nil
	}
	return "", nil
}
