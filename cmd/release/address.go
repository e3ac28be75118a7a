package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/module"
)

// setAddress gives the repository another address. It changes the module path, and all texts that contain names of
// packages, of the repository or of its owner. The old names come from the settings.
func setAddress(ctx context.Context, root, address string) error {
	if err := module.CheckPath(address); err != nil {
		return fmt.Errorf("%w; an address is as github.com/owner/handoff", err)
	}
	unsaved, err := output(ctx, root, nil, "git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if unsaved != "" {
		return errors.New("the work tree has changes: git commit or git stash -u first, so that git diff shows the address alone")
	}
	old, unread := readSettings(root)
	folders, unlisted := output(ctx, root, nil, "git", "ls-tree", "-d", "--name-only", "HEAD")
	files, err := output(ctx, root, nil, "git", "ls-files", "-z")
	if err = errors.Join(unread, unlisted, err); err != nil {
		return err
	}
	changed, err := rewrite(root, strings.Split(strings.Trim(files, "\x00"), "\x00"), rewritings(old, address, strings.Fields(folders)))
	others := slices.DeleteFunc(slices.Clone(changed), func(name string) bool { return filepath.Ext(name) == ".go" })
	fmt.Fprintf(os.Stderr, "%s: changed %d files of Go and %v\n", address, len(changed)-len(others), others)
	fmt.Fprintln(os.Stderr, "Maintainer, mail and published names are yours to give:", settingsFile)
	return err
}

// rewrite returns the names of the files that it changed.
func rewrite(root string, files []string, all []rewriting) (changed []string, err error) {
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return changed, err
		}
		after := text
		for _, r := range all {
			if r.files.MatchString(name) {
				after = r.pattern.ReplaceAll(after, []byte(r.to))
			}
		}
		if bytes.Equal(after, text) {
			continue
		}
		changed = append(changed, name)
		if err := os.WriteFile(filepath.Join(root, name), after, modeText); err != nil { //nolint:gosec // git names them
			return changed, err
		}
	}
	return changed, nil
}

// rewriting replaces the matches of a pattern in the files whose names match another pattern.
type rewriting struct {
	files, pattern *regexp.Regexp
	to             string
}

// rewritings make texts name a new address. They change a text that begins like a path of the module only if it is the
// path of a package, because the module may have the name of the program. Names on npm and of images have no capitals.
func rewritings(old Settings, address string, folders []string) (all []rewriting) {
	path, repository := regexp.QuoteMeta(old.Module), regexp.QuoteMeta(old.Repository)
	base, _, _ := module.SplitPathVersion(address)
	add := func(files, pattern, to string) {
		all = append(all, rewriting{regexp.MustCompile(files), regexp.MustCompile(`(?m)` + pattern), to})
	}
	add(`.`, `(^|[^\w./-])`+path+`(/(?:`+strings.Join(folders, "|")+`)\b)`, "${1}"+address+"${2}")
	add(`.`, repository+`\b`, "https://"+base)
	add(`^(go\.mod|\.golangci\.yml|`+settingsFile+`)$`,
		`^( *(?:module|module:|module-path:|local-prefixes:) \[?)`+path+`($|[\] ])`, "${1}"+address+"${2}")
	add(`^README\.md$`, `git clone ADDRESS( \w+)? *(#.*)?$`, "git clone https://"+base+"${1}")
	if from, to := owner(old.Repository), owner("https://"+base); from != "" && to != "" {
		add(settingsFile, `^((?:npm|image):.*?)`+from, "${1}"+strings.ToLower(to))
		add(settingsFile, `^((?:server|winget|tap|bucket):.*?)`+from, "${1}"+to)
	}
	return all
}

// owner returns OWNER of https://HOST/OWNER/NAME; empty for other addresses.
func owner(repository string) string {
	if parts := strings.Split(repository, "/"); len(parts) == 5 {
		return parts[3]
	}
	return ""
}
