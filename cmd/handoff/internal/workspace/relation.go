package workspace

import (
	"cmp"
	"context"
	"slices"

	"handoff/cmd/handoff/internal/git"
)

// relationOf returns the relation of w to another workspace of the same repository in words. Nothing in a repository
// tells a copy from its original, so only a repository whose workspace was never used is taken for the copy.
func relationOf(w Workspace) string {
	if w.IsStoreMissing() {
		return "this repository is a copy or a clone of that one"
	}
	return "both are copies or clones of one repository"
}

// isSameRepository reports whether the repository of w has the early commit of another repository, as a copy of it has.
// Known are the commits that w has. A repository without commits is compared by the time at which git made it.
func isSameRepository(w, other Workspace, known []string) bool {
	if id := earlyCommit(other); id != "" {
		return slices.Contains(known, id)
	}
	made := cmp.Or(readRecord(other).Made, repositoryOf(other).Made())
	return made != "" && made == repositoryOf(w).Made()
}

// knownCommits returns those early commits of other repositories that the repository of a workspace has.
func knownCommits(w Workspace, all []Workspace) []string {
	var ids []string
	for _, other := range all {
		if id := earlyCommit(other); git.IsObjectID(id) && other.Name != w.Name {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 || w.By != ByGit {
		return nil
	}
	return repositoryOf(w).KnownCommits(context.Background(), ids)
}

func earlyCommit(w Workspace) string {
	return cmp.Or(readRecord(w).Commit, repositoryOf(w).EarlyCommit())
}

// repositoryOf returns the repository that is the project of a workspace. For another project, its files are missing.
func repositoryOf(w Workspace) git.Repository {
	return git.Repository{Dir: w.Project, Common: w.Project}
}
