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

// checkOutVersion clones HEAD, so that a release contains only committed files, and finds its version. The version of a
// snapshot is one between two releases, such as 1.2.0-snapshot.345: the last number is the number of commits. Otherwise
// the changelog and the tag have to agree on the version.
func (r *release) checkOutVersion(ctx context.Context, root string, snapshot bool) error {
	src := r.sourcePath("")
	_, err := runCommand(ctx, root, nil, "git", "clone", "-q", "--shared", root, src)
	said, unread := runCommand(ctx, src, nil, "git", "log", "-1", "--format=%H %cI")
	count, uncounted := runCommand(ctx, src, nil, "git", "rev-list", "--count", "HEAD")
	tags, unlisted := runCommand(ctx, src, nil, "git", "tag", "--points-at", "HEAD")
	if err = errors.Join(err, unread, uncounted, unlisted); err != nil {
		return err
	}
	commit, date, _ := strings.Cut(strings.TrimSpace(said), " ")
	committed, err := time.Parse(time.RFC3339, date)
	settings, unset := readSettings(src)
	text, unread := os.ReadFile(r.sourcePath("CHANGELOG.md"))
	if err = errors.Join(err, unset, unread); err != nil {
		return err
	}
	r.Settings, r.Commit, r.Date, r.Unreleased = settings, commit, committed.UTC(), snapshot
	changelog := string(text)
	r.Version = newestVersion(changelog)
	switch {
	case snapshot:
		r.Version = nextVersion(r.Version) + "-snapshot." + strings.TrimSpace(count)
		r.Notes = changelogSection(changelog, "Unreleased")
		return nil
	case strings.HasSuffix(r.Mail, "@example.com") || module.CheckPath(r.Module) != nil:
		return errors.New("settings.yaml still has the owner of the example: docs/releasing.md says what to put there")
	case !strings.Contains("\n"+tags, "\nv"+r.Version+"\n"):
		return fmt.Errorf("the changelog says %s, and no tag v%[1]s is at HEAD: git tag -a v%[1]s, or make snapshot", r.Version)
	}
	r.Notes = changelogSection(changelog, r.Version)
	return nil
}

var heading = regexp.MustCompile(`(?m)^## \[(\d+\.\d+\.\d+[^\]]*)\]`)

// newestVersion returns the newest version of a changelog; 0.0.0 before the first.
func newestVersion(changelog string) string {
	return heading.FindStringSubmatch(changelog + "\n## [0.0.0]")[1]
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
