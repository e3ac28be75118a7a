package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/mod/semver"
)

// versionedFiles are the files of plugins that contain the version. Clients install a plugin again when its version
// changes.
var versionedFiles = []string{
	"examples/claude-plugin/.claude-plugin/plugin.json", "examples/codex-plugin/.codex-plugin/plugin.json",
	"examples/gemini-extension/gemini-extension.json",
}

// prepareVersion turns the unreleased part of the changelog into a version, and sets this version in the plugins. If
// this fails for one file, it changes no file.
func prepareVersion(root, version string, now time.Time) error {
	changelog, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	newest := newestVersion(string(changelog))
	switch {
	case err != nil:
		return err
	case semver.Canonical("v"+version) != "v"+version:
		return fmt.Errorf("%q is no version as 1.2.3", version)
	case semver.Compare("v"+version, "v"+newest) <= 0:
		return fmt.Errorf("%s does not come after %s, the newest in CHANGELOG.md", version, newest)
	}
	_, err = rewriteFiles(root, append([]string{"CHANGELOG.md"}, versionedFiles...), []textRewriting{
		rewriting(`\.md$`, `^## \[Unreleased\]$`, "${0}\n\n## ["+version+"] - "+now.Format(time.DateOnly)),
		rewriting(`\.json$`, `"version": "[^"]*"`, `"version": "`+version+`"`),
	}, true)
	return err
}
