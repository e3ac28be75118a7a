package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// checkOutVersion clones HEAD, so that a release contains only committed files, and finds its version.
func (r *release) checkOutVersion(ctx context.Context, root string, snapshot bool) (err error) {
	src := r.sourcePath("")
	if _, err := runCommand(ctx, root, nil, "git", "clone", "-q", "--shared", root, src); err != nil {
		return err
	}
	if r.Settings, err = readSettings(src); err != nil {
		return err
	}
	said, err := runCommand(ctx, src, nil, "git", "log", "-1", "--format=%H %cI")
	if err != nil {
		return err
	}
	commit, date, _ := strings.Cut(strings.TrimSpace(said), " ")
	committed, err := time.Parse(time.RFC3339, date)
	if err != nil {
		return err
	}
	r.Commit, r.Date, r.Unreleased = commit, committed.UTC(), snapshot
	changelog, err := os.ReadFile(r.sourcePath("CHANGELOG.md"))
	if err != nil {
		return err
	}
	if snapshot {
		return r.setSnapshotVersion(ctx, string(changelog))
	}
	return r.setTaggedVersion(ctx, string(changelog))
}

// setSnapshotVersion sets the version of a build between two releases, such as 1.2.0-snapshot.345. The last number is
// the number of commits.
func (r *release) setSnapshotVersion(ctx context.Context, changelog string) error {
	count, err := runCommand(ctx, r.sourcePath(""), nil, "git", "rev-list", "--count", "HEAD")
	if err != nil {
		return err
	}
	r.Version = nextVersion(newestVersion(changelog)) + "-snapshot." + strings.TrimSpace(count)
	r.Notes = changelogSection(changelog, "Unreleased")
	return nil
}

// setTaggedVersion sets the version that the changelog and the tag agree on. Without this agreement it returns an
// error.
func (r *release) setTaggedVersion(ctx context.Context, changelog string) error {
	r.Version = newestVersion(changelog)
	if strings.HasSuffix(r.Mail, "@example.com") || module.CheckPath(r.Module) != nil {
		return errors.New("settings.yaml still has the owner of the example: docs/releasing.md says what to put there")
	}
	tags, err := runCommand(ctx, r.sourcePath(""), nil, "git", "tag", "--points-at", "HEAD")
	if err != nil {
		return err
	}
	if !strings.Contains("\n"+tags, "\nv"+r.Version+"\n") {
		return fmt.Errorf("the changelog says %s, and no tag v%[1]s is at HEAD: git tag -a v%[1]s, or make snapshot", r.Version)
	}
	r.Notes = changelogSection(changelog, r.Version)
	return nil
}

var heading = regexp.MustCompile(`(?m)^## \[(\d+\.\d+\.\d+[^\]]*)\]`)

// newestVersion returns the newest version of a changelog; 0.0.0 before the first.
func newestVersion(changelog string) string {
	if found := heading.FindStringSubmatch(changelog); found != nil {
		return found[1]
	}
	return "0.0.0"
}

// nextVersion returns the lowest possible version after this one.
func nextVersion(version string) string {
	var major, minor, patch int
	if _, err := fmt.Sscanf(version, "%d.%d.%d", &major, &minor, &patch); err != nil || strings.Contains(version, "-") {
		return version
	}
	return fmt.Sprintf("%d.%d.%d", major, minor, patch+1)
}

// changelogSection returns the text of a changelog below the heading of a version.
func changelogSection(changelog, version string) string {
	_, rest, _ := strings.Cut(changelog, "\n## ["+version+"]")
	_, rest, _ = strings.Cut(rest, "\n")
	said, _, _ := strings.Cut(rest, "\n## [")
	return strings.TrimSpace(said) + "\n"
}

// Prerelease reports whether this version is only for people who ask for it.
func (r *release) Prerelease() bool { return semver.Prerelease("v"+r.Version) != "" }
