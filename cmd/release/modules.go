package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
)

// dependency is a module that is in a program.
type dependency struct{ Path, Version, Licence string }

// readModules reads the list of modules from the built program, because some modules are linked only for one system.
func (b *build) readModules(ctx context.Context) (modules []dependency, err error) {
	info, err := buildinfo.ReadFile(b.programPath())
	if err != nil {
		return nil, err
	}
	args := []string{"list", "-m", "-f", "{{.Path}} {{.Version}} {{.Dir}}"}
	for _, dep := range info.Deps {
		args = append(args, dep.Path)
	}
	list, err := runCommand(ctx, b.sourcePath(""), goEnv, "go", args...)
	root, unknown := runCommand(ctx, b.sourcePath(""), goEnv, "go", "env", "GOROOT") // a program built with -trimpath does not know it
	if err = errors.Join(err, unknown); err != nil {
		return nil, err
	}
	list += "std " + strings.TrimPrefix(runtime.Version(), "go") + " " + root
	for line := range strings.Lines(list) {
		said := strings.SplitN(strings.TrimSpace(line), " ", 3) // a folder may have spaces
		licence, err := readLicence(os.DirFS(said[2]))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", said[0], err)
		}
		modules = append(modules, dependency{said[0], said[1], licence})
	}
	return modules, nil
}

// readLicence returns the licence file in the root of a module, and the files there about authors.
func readLicence(module fs.FS) (said string, err error) {
	for _, pattern := range []string{"LICENSE*", "LICENCE*", "COPYING*", "NOTICE*"} {
		names, _ := fs.Glob(module, pattern) // it fails for bad patterns only
		for _, name := range names {
			data, err := fs.ReadFile(module, name)
			if err != nil {
				return "", err
			}
			said += string(bytes.TrimSpace(data)) + "\n\n"
		}
	}
	if said == "" {
		return "", errors.New("it has no licence at its top")
	}
	return said, nil
}
