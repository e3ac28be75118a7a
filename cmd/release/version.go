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

// checkOut clones HEAD, so that a release contains only committed files, and finds its version.
func (r *release) checkOut(ctx context.Context, root string, snapshot bool) (err error) {
	src := r.src("")
	if _, err := output(ctx, root, nil, "git", "clone", "-q", "--shared", root, src); err != nil {
		return err
	}
	if r.Settings, err = readSettings(src); err != nil {
		return err
	}
	said, err := output(ctx, src, nil, "git", "log", "-1", "--format=%H %cI")
	if err != nil {
		return err
	}
	commit, date, _ := strings.Cut(strings.TrimSpace(said), " ")
	committed, err := time.Parse(time.RFC3339, date)
	if err != nil {
		return err
	}
	r.Commit, r.Date, r.Unreleased = commit, committed.UTC(), snapshot
	changelog, err := os.ReadFile(r.src("CHANGELOG.md"))
	if err != nil {
		return err
	}
	if snapshot {
		return r.snapshot(ctx, string(changelog))
	}
	return r.tagged(ctx, string(changelog))
}

// snapshot names a build that comes before the next version, by its number of commits.
func (r *release) snapshot(ctx context.Context, changelog string) error {
	count, err := output(ctx, r.src(""), nil, "git", "rev-list", "--count", "HEAD")
	if err != nil {
		return err
	}
	r.Version = next(newest(changelog)) + "-snapshot." + strings.TrimSpace(count)
	r.Notes = section(changelog, "Unreleased")
	return nil
}

// tagged returns the version that changelog and tag agree on.
func (r *release) tagged(ctx context.Context, changelog string) error {
	r.Version = newest(changelog)
	if strings.HasSuffix(r.Mail, "@example.com") || module.CheckPath(r.Module) != nil {
		return errors.New("settings.yaml still has the owner of the example: docs/releasing.md says what to put there")
	}
	tags, err := output(ctx, r.src(""), nil, "git", "tag", "--points-at", "HEAD")
	if err != nil {
		return err
	}
	if !strings.Contains("\n"+tags, "\nv"+r.Version+"\n") {
		return fmt.Errorf("the changelog says %s, and no tag v%[1]s is at HEAD: git tag -a v%[1]s, or make snapshot", r.Version)
	}
	r.Notes = section(changelog, r.Version)
	return nil
}

var heading = regexp.MustCompile(`(?m)^## \[(\d+\.\d+\.\d+[^\]]*)\]`)

// newest returns the newest version of a changelog; 0.0.0 before the first.
func newest(changelog string) string {
	if found := heading.FindStringSubmatch(changelog); found != nil {
		return found[1]
	}
	return "0.0.0"
}

// next returns the lowest possible version after this one.
func next(version string) string {
	var major, minor, patch int
	if _, err := fmt.Sscanf(version, "%d.%d.%d", &major, &minor, &patch); err != nil || strings.Contains(version, "-") {
		return version
	}
	return fmt.Sprintf("%d.%d.%d", major, minor, patch+1)
}

// section returns the text of a changelog below the heading of a version.
func section(changelog, version string) string {
	_, rest, _ := strings.Cut(changelog, "\n## ["+version+"]")
	_, rest, _ = strings.Cut(rest, "\n")
	said, _, _ := strings.Cut(rest, "\n## [")
	return strings.TrimSpace(said) + "\n"
}

// Prerelease reports whether this version is only for people who ask for it.
func (r *release) Prerelease() bool { return semver.Prerelease("v"+r.Version) != "" }
