package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
)

// goEnv sets variables of Go so that the user's Go settings do not affect the programs.
var goEnv = []string{
	"GOENV=off", "GOWORK=off", "GOFLAGS=-trimpath", "GOEXPERIMENT=", "GOFIPS140=off", "GOAMD64=v1", "GOARM64=v8.0", "CGO_ENABLED=0",
	"GOOS=" + runtime.GOOS, "GOARCH=" + runtime.GOARCH, // for what runs here
}

// compile builds the program, and gathers its companion files. Go puts the commit into the program, because the source
// is a git clone.
func (b *build) compile(ctx context.Context) error {
	env := append(slices.Clip(goEnv), "GOOS="+b.OS, "GOARCH="+b.Arch)
	_, err := runCommand(ctx, b.sourcePath(""), env, "go", "build", "-buildvcs=true",
		"-ldflags=-s -w -X main.version=v"+b.Version, "-o", b.programPath(), "./cmd/handoff")
	if err != nil {
		return err
	}
	if b.program, err = os.ReadFile(b.programPath()); err != nil {
		return err
	}
	if b.Modules, err = b.readModules(ctx); err != nil {
		return err
	}
	notices, err := b.fillTemplate("notices.tmpl", b)
	b.beside = append(slices.Clip(b.inside), file{"NOTICES", modeText, notices})
	return err
}

func (b *build) programPath() string { return filepath.Join(b.work, b.OS+"-"+b.Arch, b.Program) }

// programFile returns the program as a file with this name.
func (b *build) programFile(name string) file { return file{name, modeProgram, b.program} }

func pickFiles(files []file, names ...string) []file {
	return slices.DeleteFunc(slices.Clone(files), func(f file) bool { return !slices.Contains(names, f.name) })
}

// The completions for shells, by their path in an archive.
var completions = []struct{ shell, name string }{
	{"bash", "completions/handoff.bash"},
	{"zsh", "completions/_handoff"},
	{"fish", "completions/handoff.fish"},
	{"powershell", "completions/handoff.ps1"},
}

// addDocuments gathers the companion files that are the same in each archive: documents, completions, manual pages.
func (r *release) addDocuments(ctx context.Context) error {
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		data, err := os.ReadFile(r.sourcePath(name))
		if err != nil {
			return err
		}
		r.inside = append(r.inside, file{name, modeText, data})
	}
	env := append(slices.Clip(goEnv), "SOURCE_DATE_EPOCH="+strconv.FormatInt(r.Date.Unix(), 10))
	for _, c := range completions {
		script, err := runCommand(ctx, r.sourcePath(""), env, "go", "run", "./cmd/handoff", "completion", c.shell)
		if err != nil {
			return err
		}
		r.inside = append(r.inside, file{c.name, modeText, []byte(script)})
	}
	folder := filepath.Join(r.work, "pages")
	_, err := runCommand(ctx, r.sourcePath(""), env, "go", "run", "./cmd/handoff/internal/manual", filepath.Join(folder, "man/man1"))
	if err != nil {
		return err
	}
	pages, err := readFiles(os.DirFS(folder))
	r.inside = append(r.inside, pages...)
	return err
}
