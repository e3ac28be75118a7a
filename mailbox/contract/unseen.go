package contract

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"handoff/schemas"
)

// UnconfirmedStatements lists statements of a completion that the holder's working tree does not confirm. There are
// three kinds: the completion names a file that has not changed since the claim, it names a commit that is not checked
// out, or the tree has commits of the holder and also uncommitted changes. The list is nil if git could not read the
// tree. The server only shows the list and refuses no completion, because there may be a good reason.
func UnconfirmedStatements(done schemas.Completion) (unseen []string) {
	t := done.Tree
	if t == nil || t.Since == "" || t.Unknown != "" {
		return nil
	}
	untouched := slices.DeleteFunc(done.Files(), func(file string) bool { return t.More > 0 || isChangedFile(t, file) })
	if len(untouched) > 0 {
		unseen = append(unseen, fmt.Sprintf("git sees no change since the claim in %s", firstFileNames(untouched)))
	}
	if said := done.Commit(); !strings.HasPrefix(t.Commit, said) {
		unseen = append(unseen, fmt.Sprintf("results.commit is %s, and the working tree is at %s", schemas.Clip(said, 40), schemas.ShortCommit(t.Commit)))
	}
	if len(t.Changed)*len(t.Uncommitted) > 0 { // a holder that commits nothing works without commits
		unseen = append(unseen, fmt.Sprintf("changes in %s are in no commit", firstFileNames(t.Uncommitted)))
	}
	return unseen
}

// AddObservations adds the results of checks that ran after a completion to the criteria of the completion. A failed
// check makes the outcome partial. If the outcome was partial only because checks were not run, and all checks pass
// now, the outcome becomes success.
func AddObservations(done *schemas.Completion, seen schemas.CheckReport) {
	done.Criteria = slices.Clone(done.Criteria)
	for _, o := range seen.Observed {
		known := len(done.Criteria)
		done.Criteria = addCheckCriterion(done.Criteria, o.Check)
		for i := range done.Criteria {
			if a := &done.Criteria[i]; a.Check == o.Check {
				a.Observed, a.Unobserved = &o, ""
				a.Met = a.Met || i == known && o.Passed // no answer of the holder exists
			}
		}
	}
	switch {
	case len(UnmetCriteria(done.Criteria)) > 0:
		done.Status = schemas.Partial
	case done.Awaits:
		done.Status, done.Awaits = schemas.Success, false
	}
}

// AwaitsChecks reports whether the outcome of a completion is partial only because checks were not run: the holder says
// that all criteria are met, and no field of the completion contradicts the holder.
func AwaitsChecks(done schemas.Completion) bool {
	unmet := UnmetCriteria(done.Criteria)
	return len(unmet) > 0 && len(Doubts(done)) == 0 && !slices.ContainsFunc(unmet, func(a schemas.AnsweredCriterion) bool { return !a.Met || a.Unobserved == "" })
}

// unobservedReason returns the reason why a check has no result. If an earlier run of the check failed, the text begins
// with that failure.
func unobservedReason(check string, seen *schemas.CheckReport) string {
	why := cmp.Or(schemas.ValueOrZero(seen).Unobserved[check], "no checkout is beside this call")
	if o := seen.EarlierFailure(check); o != nil {
		why = fmt.Sprintf("it did not pass at %s (%s), and was not run since: %s",
			schemas.ShortCommit(o.Commit), schemas.EscapeHidden(schemas.Clip(o.Why, 200)), why)
	}
	return schemas.Clip(why, maxReason)
}

const maxReason = 800 // bytes

// isChangedFile reports whether git shows a change of a file, or of a directory that contains the file. The path of the
// file is absolute, or relative to the root of the tree.
func isChangedFile(t *schemas.Tree, file string) bool {
	if rel, err := filepath.Rel(t.Path, file); err == nil && filepath.IsAbs(file) {
		file = rel
	}
	file = strings.TrimPrefix(filepath.ToSlash(filepath.Clean(file)), "./")
	return slices.Contains(t.Changed, file) || slices.ContainsFunc(t.Uncommitted, func(changed string) bool {
		return changed == file || strings.HasSuffix(changed, "/") && strings.HasPrefix(file, changed)
	})
}

// firstFileNames returns a text with the first three file names and the number of the other files.
func firstFileNames(files []string) string { return schemas.EscapeHidden(schemas.JoinFirst(files, 3)) }
