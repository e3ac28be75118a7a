package contract

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"handoff/schemas"
)

// Unseen names what a completion says that its working tree does not show: files that it names and nobody touched since
// the claim, a commit that is not the one there, and work that is in no commit beside work that is. There is nothing
// where nobody looked. It refuses nothing: the one who reads it may know why.
func Unseen(done schemas.Completion) (unseen []string) {
	t := done.Tree
	if t == nil || t.Since == "" || t.Unknown != "" {
		return nil
	}
	untouched := slices.DeleteFunc(done.Files(), func(file string) bool { return t.More > 0 || touched(t, file) })
	if len(untouched) > 0 {
		unseen = append(unseen, fmt.Sprintf("git sees no change since the claim in %s", few(untouched)))
	}
	if said := done.Commit(); !strings.HasPrefix(t.Commit, said) {
		unseen = append(unseen, fmt.Sprintf("results.commit is %s, and the working tree is at %s", schemas.Clip(said, 40), schemas.ShortCommit(t.Commit)))
	}
	if len(t.Changed)*len(t.Uncommitted) > 0 { // who commits nothing works so
		unseen = append(unseen, fmt.Sprintf("changes in %s are in no commit", few(t.Uncommitted)))
	}
	return unseen
}

// See puts what was seen of checks after a completion beside its answers. What does not pass makes it partial; one that
// was partial only because nobody had looked becomes a success when all pass.
func See(done *schemas.Completion, seen schemas.CheckReport) {
	done.Criteria = slices.Clone(done.Criteria)
	for _, o := range seen.Observed {
		known := len(done.Criteria)
		done.Criteria = withCheck(done.Criteria, o.Check)
		for i := range done.Criteria {
			if a := &done.Criteria[i]; a.Check == o.Check {
				a.Observed, a.Unobserved = &o, ""
				a.Met = a.Met || i == known && o.Passed // nobody had claimed it
			}
		}
	}
	switch {
	case len(Unmet(done.Criteria)) > 0:
		done.Status = schemas.Partial
	case done.Awaits:
		done.Status, done.Awaits = schemas.Success, false
	}
}

// Awaits tells whether a completion is no success only because nobody looked at its checks: the holder says that all
// criteria are met, and nothing speaks against that.
func Awaits(done schemas.Completion) bool {
	unmet := Unmet(done.Criteria)
	return len(unmet) > 0 && len(Doubts(done)) == 0 && !slices.ContainsFunc(unmet, func(a schemas.Answered) bool { return !a.Met || a.Unobserved == "" })
}

// unseenBecause says why nobody looked at a check, behind how it was seen not to pass before.
func unseenBecause(check string, seen *schemas.CheckReport) string {
	why := cmp.Or(schemas.OrZero(seen).Unobserved[check], "no checkout is beside this call")
	if o := seen.EarlierFailure(check); o != nil {
		why = fmt.Sprintf("it did not pass at %s (%s), and nobody looked since: %s",
			schemas.ShortCommit(o.Commit), schemas.Visible(schemas.Clip(o.Why, 200)), why)
	}
	return schemas.Clip(why, mostReason)
}

const mostReason = 800 // bytes

// touched tells whether a file, named from the root of the tree or whole, is among those with changes, or in a directory
// that is.
func touched(t *schemas.Tree, file string) bool {
	if rel, err := filepath.Rel(t.Path, file); err == nil && filepath.IsAbs(file) {
		file = rel
	}
	file = strings.TrimPrefix(filepath.ToSlash(filepath.Clean(file)), "./")
	return slices.Contains(t.Changed, file) || slices.ContainsFunc(t.Uncommitted, func(changed string) bool {
		return changed == file || strings.HasSuffix(changed, "/") && strings.HasPrefix(file, changed)
	})
}

// few names three files and counts the others.
func few(files []string) string { return schemas.Visible(schemas.JoinFirst(files, 3)) }
