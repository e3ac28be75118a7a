package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

// versionedFiles are the files of plugins that contain the version. Clients install a plugin again when its version
// changes.
var versionedFiles = []string{
	"examples/claude-plugin/.claude-plugin/plugin.json", "examples/codex-plugin/.codex-plugin/plugin.json",
	"examples/gemini-extension/gemini-extension.json",
}

var versionField = regexp.MustCompile(`"version": "[^"]*"`)

// prepareVersion turns the unreleased part of the changelog into a version, and sets this version in the plugins. It
// first computes the new contents of all files. If this fails for one file, it changes no file.
func prepareVersion(root, version string, now time.Time) error {
	if !semver.IsValid("v"+version) || semver.Canonical("v"+version) != "v"+version {
		return fmt.Errorf("%q is no version as 1.2.3", version)
	}
	changed := map[string]string{}
	for _, name := range append([]string{"CHANGELOG.md"}, versionedFiles...) {
		old, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return err
		}
		change := setPluginVersion
		if name == "CHANGELOG.md" {
			change = addVersionToChangelog
		}
		if changed[name], err = change(string(old), version, now); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	for name, content := range changed {
		if err := os.WriteFile(filepath.Join(root, name), []byte(content), modeText); err != nil {
			return err
		}
	}
	return nil
}

func addVersionToChangelog(text, version string, now time.Time) (string, error) {
	const unreleased = "\n## [Unreleased]\n"
	if !strings.Contains(text, unreleased) {
		return "", fmt.Errorf("it has no heading %q", strings.TrimSpace(unreleased))
	}
	if semver.Compare("v"+version, "v"+newestVersion(text)) <= 0 {
		return "", fmt.Errorf("%s does not come after %s, the newest in it", version, newestVersion(text))
	}
	head := unreleased + "\n## [" + version + "] - " + now.Format(time.DateOnly) + "\n"
	return strings.Replace(text, unreleased, head, 1), nil
}

func setPluginVersion(text, version string, _ time.Time) (string, error) {
	if !versionField.MatchString(text) {
		return "", fmt.Errorf("it has no %q", "version")
	}
	return versionField.ReplaceAllLiteralString(text, `"version": "`+version+`"`), nil
}
