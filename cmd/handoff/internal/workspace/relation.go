package workspace

import (
	"cmp"
	"context"
	"maps"
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

// findSameRepositories returns the names of the workspaces whose repository is that of w: it has an early commit of
// theirs, as a copy of it or a clone has. Repositories without commits are compared by the time at which git made them.
func findSameRepositories(w Workspace, all []Workspace) map[string]bool {
	if w.By != ByGit {
		return nil
	}
	made, same, commits := repositoryOf(w).Made(), map[string]bool{}, map[string]string{}
	for _, other := range all {
		record, repository := readRecord(other), repositoryOf(other)
		switch id := cmp.Or(record.Commit, repository.EarlyCommit()); {
		case other.Name == w.Name:
		case git.IsObjectID(id):
			commits[other.Name] = id
		case id == "":
			same[other.Name] = made != "" && made == cmp.Or(record.Made, repository.Made())
		}
	}
	if len(commits) == 0 {
		return same
	}
	known := repositoryOf(w).KnownCommits(context.Background(), slices.Collect(maps.Values(commits)))
	for name, id := range commits {
		same[name] = slices.Contains(known, id)
	}
	return same
}

// repositoryOf returns the repository that is the project of a workspace. For another project, its files are missing.
func repositoryOf(w Workspace) git.Repository {
	return git.Repository{Dir: w.Project, Common: w.Project}
}
