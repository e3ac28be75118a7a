package workspace

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"handoff/cmd/handoff/internal/git"
)

// relationOf returns the relation of the repository of w to that of another workspace in words, or "". Same says that
// both are the same repository, see [isSameRepository]. Nothing in a repository tells a copy from its original, so only
// a repository whose workspace was never used is taken for the copy.
func relationOf(w, other Workspace, same bool) string {
	mine, others := repositoryOf(w).Remotes(), repositoryOf(other).Remotes()
	switch {
	case slices.Contains(mine, strings.TrimSuffix(workTreeOf(other.Project), ".git")):
		return "this repository is a clone of that one"
	case slices.ContainsFunc(mine, func(address string) bool { return slices.Contains(others, address) }):
		return "both are clones of " + mine[0]
	case same && w.IsStoreMissing():
		return "this repository is a copy of that one"
	case same:
		return "one repository is a copy of the other"
	}
	return ""
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
