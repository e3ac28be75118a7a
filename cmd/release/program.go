package main

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
)

func (r *release) programs(ctx context.Context) (err error) {
	r.modules = map[platform][]dependency{}
	for _, p := range r.platforms {
		if err := r.build(ctx, p); err != nil {
			return err
		}
		if r.modules[p], err = r.modulesIn(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// goEnv keeps what this machine's owner told Go, here or by go env -w, out of the programs.
var goEnv = []string{
	"GOENV=off", "GOWORK=off", "GOFLAGS=-trimpath", "GOEXPERIMENT=", "GOFIPS140=off", "GOAMD64=v1", "GOARM64=v8.0", "CGO_ENABLED=0",
}

// build compiles the program. Its commit is in it because the source is a clone.
func (r *release) build(ctx context.Context, p platform) error {
	env := append([]string{"GOOS=" + p.OS, "GOARCH=" + p.Arch}, goEnv...)
	_, err := output(ctx, r.src(""), env, "go", "build", "-buildvcs=true",
		"-ldflags=-s -w -X main.version=v"+r.Version, "-o", r.built(p), "./cmd/handoff")
	return err
}

func (r *release) built(p platform) string {
	return filepath.Join(r.work, p.OS+"-"+p.Arch, p.Program())
}

func (r *release) program(p platform, name string) (file, error) {
	data, err := os.ReadFile(r.built(p))
	return file{name, modeProgram, data}, err
}

// The files that shells want, by where they are in an archive.
var completions = []struct{ shell, name string }{
	{"bash", "completions/handoff.bash"},
	{"zsh", "completions/_handoff"},
	{"fish", "completions/handoff.fish"},
	{"powershell", "completions/handoff.ps1"},
}

// beside is what stands beside the program of a platform.
func (r *release) beside(p platform) []file {
	return append(slices.Clip(r.inside), file{"NOTICES", modeText, notices(r.modules[p])})
}

// documents gathers what stands beside the program in each archive.
func (r *release) documents(ctx context.Context) error {
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		data, err := r.read(name)
		if err != nil {
			return err
		}
		r.inside = append(r.inside, file{name, modeText, data})
	}
	host := platform{runtime.GOOS, runtime.GOARCH}
	if err := r.build(ctx, host); err != nil {
		return err
	}
	for _, c := range completions {
		script, err := output(ctx, r.work, []string{"HOME=" + r.work}, r.built(host), "completion", c.shell)
		if err != nil {
			return err
		}
		r.inside = append(r.inside, file{c.name, modeText, []byte(script)})
	}
	return r.manual(ctx)
}

func (r *release) manual(ctx context.Context) error {
	env := append([]string{"SOURCE_DATE_EPOCH=" + strconv.FormatInt(r.Date.Unix(), 10)}, goEnv...)
	pages := filepath.Join(r.work, "man1")
	if _, err := output(ctx, r.src(""), env, "go", "run", "./cmd/handoff/internal/manual", pages); err != nil {
		return err
	}
	entries, err := os.ReadDir(pages)
	for _, entry := range entries {
		data, err := os.ReadFile(filepath.Join(pages, entry.Name()))
		if err != nil {
			return err
		}
		r.inside = append(r.inside, file{"man/man1/" + entry.Name(), modeText, data})
	}
	return err
}
