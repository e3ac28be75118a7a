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

// setAddress gives the repository another address. It changes the module path, and all texts that name packages, the
// repository or its owner. The old names come from settings.yaml.
func setAddress(ctx context.Context, root, address string) error {
	if err := module.CheckPath(address); err != nil {
		return fmt.Errorf("%w; an address is as github.com/owner/handoff", err)
	}
	unsaved, err := runCommand(ctx, root, nil, "git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if unsaved != "" {
		return errors.New("the work tree has changes: git commit or git stash -u first, so that git diff shows the address alone")
	}
	old, unread := readSettings(root)
	folders, unlisted := runCommand(ctx, root, nil, "git", "ls-tree", "-d", "--name-only", "HEAD")
	files, err := runCommand(ctx, root, nil, "git", "ls-files", "-z")
	if err = errors.Join(unread, unlisted, err); err != nil {
		return err
	}
	names := strings.Split(strings.Trim(files, "\x00"), "\x00")
	changed, err := rewriteFiles(root, names, addressRewritings(old, address, strings.Fields(folders)), false)
	others := slices.DeleteFunc(slices.Clone(changed), func(name string) bool { return filepath.Ext(name) == ".go" })
	fmt.Fprintf(os.Stderr, "%s: changed %d files of Go and %v\n", address, len(changed)-len(others), others)
	fmt.Fprintln(os.Stderr, "Maintainer, mail and published names are yours to give:", settingsFile)
	return err
}

// rewriteFiles returns the names of the files that it changed. It changes none before it has read all. If each is true,
// each rewriting has to match in each file that it names.
func rewriteFiles(root string, files []string, all []textRewriting, each bool) (changed []string, err error) {
	texts := map[string][]byte{}
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		after := text
		for _, r := range all {
			switch here := r.files.MatchString(name); {
			case here && each && !r.pattern.Match(text):
				return nil, fmt.Errorf("%s has no %s", name, r.pattern)
			case here:
				after = r.pattern.ReplaceAll(after, []byte(r.to))
			}
		}
		if !bytes.Equal(after, text) {
			texts[name], changed = after, append(changed, name)
		}
	}
	for _, name := range changed {
		err = errors.Join(err, os.WriteFile(filepath.Join(root, name), texts[name], modeText))
	}
	return changed, err
}

// textRewriting replaces the matches of a pattern in all files whose names match another pattern.
type textRewriting struct {
	files, pattern *regexp.Regexp
	to             string
}

func rewriting(files, pattern, to string) textRewriting {
	return textRewriting{regexp.MustCompile(files), regexp.MustCompile(`(?m)` + pattern), to}
}

// addressRewritings returns the rewritings that put a new address into texts. The module path may be the same word as
// the name of the program. So a text that begins with this word changes only if the folder of a package follows, as in
// handoff/tools. Names on npm and of images have no capitals.
func addressRewritings(old Settings, address string, folders []string) (all []textRewriting) {
	path, repository := regexp.QuoteMeta(old.Module), regexp.QuoteMeta(old.Repository)
	base, _, _ := module.SplitPathVersion(address)
	add := func(files, pattern, to string) {
		all = append(all, rewriting(files, pattern, to))
	}
	add(`.`, `(^|[^\w./-])`+path+`(/(?:`+strings.Join(folders, "|")+`)\b)`, "${1}"+address+"${2}")
	add(`.`, repository+`\b`, "https://"+base)
	add(`^(go\.mod|\.golangci\.yml|`+settingsFile+`)$`,
		`^( *(?:module|module:|module-path:|local-prefixes:) \[?)`+path+`($|[\] ])`, "${1}"+address+"${2}")
	add(`^README\.md$`, `git clone ADDRESS( \w+)? *(#.*)?$`, "git clone https://"+base+"${1}")
	if from, to := repositoryOwner(old.Repository), repositoryOwner("https://"+base); from != "" && to != "" {
		add(settingsFile, `^((?:npm|image):.*?)`+from, "${1}"+strings.ToLower(to))
		add(settingsFile, `^((?:server|winget|tap|bucket):.*?)`+from, "${1}"+to)
	}
	return all
}

// repositoryOwner returns OWNER of https://HOST/OWNER/NAME; empty for other addresses.
func repositoryOwner(repository string) string {
	if parts := strings.Split(repository, "/"); len(parts) == 5 {
		return parts[3]
	}
	return ""
}
