package clients

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"handoff/cmd/handoff/internal/clients/setup"
	"handoff/schemas"
)

// carryOutPlan shows the plan, asks the person, changes the files, and reports the results.
func (s *setupRun) carryOutPlan(ctx context.Context, do func(setup.FileChange) (backup string, err error)) error {
	if !s.JSON {
		if err := s.Print(nil, s.printPlan); err != nil {
			return err
		}
	}
	if s.flags.dryRun {
		return s.reportResults(!s.JSON)
	}
	if slices.ContainsFunc(s.allFiles(), hasState(fileToChange)) {
		if err := s.confirmChanges(ctx); err != nil {
			return err
		}
	}
	for _, f := range s.allFiles() {
		switch {
		case f.State != fileToChange && (f.State != fileUnchanged || !s.flags.remove):
		case ctx.Err() != nil:
			f.markLeftAlone(errInterrupted)
		default:
			backup, err := do(f.change)
			s.recordResult(f, backup, err)
		}
	}
	if !s.flags.remove && ctx.Err() == nil {
		s.tryServers(ctx)
	}
	return s.reportResults(false)
}

// confirmChanges asks the person whether to change the files. If standard input is not a terminal, it asks no question,
// and only --yes allows the changes.
func (s *setupRun) confirmChanges(ctx context.Context) error {
	if s.flags.yes {
		return nil
	}
	if !s.IsTerminal(s.Stdin) {
		return schemas.Errorf(schemas.Invalid, "nobody is there to ask whether that is to be done").
			WithHint("Add --yes to do it, or --dry-run to see it only.")
	}
	return s.Confirm(ctx, "Do it? --dry-run shows each line.")
}

// errInterrupted says that a person interrupted setup before this change.
var errInterrupted = errors.New("it was interrupted before: run this again")

// recordResult notes the result of a change in its file.
func (s *setupRun) recordResult(f *fileSetup, backup string, err error) {
	f.Backup = backup
	switch {
	case err != nil:
		f.markLeftAlone(err)
	case !s.flags.remove:
		f.State = fileChanged
	case f.change.IsUnchanged():
	case f.change.Gone:
		f.State = fileRemoved
	case f.change.Exact:
		f.State = fileRestored
	default:
		f.State = fileCleared
		why := "others changed it since"
		if !f.change.IsRecorded() {
			why = "no receipt has the text from before handoff"
		}
		f.Note = cmp.Or(f.Note, why+", so that only the parts of handoff were taken out")
	}
}
