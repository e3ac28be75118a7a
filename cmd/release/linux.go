package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"path"
	"path/filepath"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	"github.com/goreleaser/nfpm/v2/rpm"
)

// linuxPackages are those of Debian and of Red Hat and their kin.
func (r *release) linuxPackages(context.Context) error {
	for _, p := range r.platforms {
		if p.OS != "linux" {
			continue
		}
		if err := r.linuxPackage(p, "deb", deb.Default, r.debian); err != nil {
			return err
		}
		if err := r.linuxPackage(p, "rpm", rpm.DefaultRPM, r.redHat); err != nil {
			return err
		}
	}
	return nil
}

func (r *release) linuxPackage(p platform, kind string, packager nfpm.Packager, tree func(platform) ([]file, error)) error {
	program, err := r.program(p, "/usr/bin/handoff")
	if err != nil {
		return err
	}
	installed, err := tree(p)
	if err != nil {
		return err
	}
	info := &nfpm.Info{
		Name: "handoff", Arch: p.Arch, Platform: p.OS, Version: r.Version, Release: "1", MTime: r.Date,
		Section: "devel", Priority: "optional", Maintainer: r.Maintainer + " <" + r.Mail + ">", Vendor: r.Maintainer,
		Homepage: r.Repository, License: "MIT", Description: description + "\n" + longDescription, DisableGlobbing: true,
	}
	info.Umask = 0o022
	info.RPM.BuildHost, info.RPM.Summary = "localhost", description
	for _, f := range append(installed, program) {
		src := filepath.Join(r.work, kind+p.Arch, f.name)
		if err := write(src, f.data, f.mode); err != nil {
			return err
		}
		info.Contents = append(info.Contents, &files.Content{
			Source: src, Destination: f.name, Type: files.TypeFile, FileInfo: &files.ContentFileInfo{Mode: f.mode, MTime: r.Date},
		})
	}
	info = nfpm.WithDefaults(info)
	if err := nfpm.PrepareForPackager(info, kind); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := packager.Package(info, &b); err != nil {
		return err
	}
	return r.add(kind, p, r.base(p)+"."+kind, b.Bytes())
}

const (
	description     = "Pass work between coding agents and people, and never lose it"
	longDescription = "handoff serves Claude Code, Codex, Gemini CLI and other clients of the Model\n" +
		"Context Protocol, and people by commands. Work waits on disk in a mailbox. One\n" +
		"agent at a time claims it, and its sender is told how it ended."
)

// Where Debian and Red Hat put what the archives have.
var (
	inDebian = map[string]string{
		"completions/handoff.bash": "/usr/share/bash-completion/completions/handoff",
		"completions/_handoff":     "/usr/share/zsh/vendor-completions/_handoff",
		"completions/handoff.fish": "/usr/share/fish/vendor_completions.d/handoff.fish",
		"CHANGELOG.md":             "/usr/share/doc/handoff/changelog.gz",
		"NOTICES":                  "/usr/share/doc/handoff/NOTICES.gz",
	}
	inRedHat = map[string]string{
		"completions/handoff.bash": "/usr/share/bash-completion/completions/handoff",
		"completions/_handoff":     "/usr/share/zsh/site-functions/_handoff",
		"completions/handoff.fish": "/usr/share/fish/vendor_completions.d/handoff.fish",
		"README.md":                "/usr/share/doc/handoff/README.md",
		"CHANGELOG.md":             "/usr/share/doc/handoff/CHANGELOG.md",
		"LICENSE":                  "/usr/share/licenses/handoff/LICENSE",
		"NOTICES":                  "/usr/share/licenses/handoff/NOTICES",
	}
)

func (r *release) debian(p platform) ([]file, error) {
	tree, err := placed(r.beside(p), inDebian)
	if err != nil {
		return nil, err
	}
	for template, at := range map[string]string{
		"copyright.tmpl":         "/usr/share/doc/handoff/copyright",
		"changelog.Debian.tmpl":  "/usr/share/doc/handoff/changelog.Debian.gz",
		"lintian-overrides.tmpl": "/usr/share/lintian/overrides/handoff",
	} {
		data, err := r.fill(template, r)
		if err != nil {
			return nil, err
		}
		placed, err := place(file{template, modeText, data}, at)
		if err != nil {
			return nil, err
		}
		tree = append(tree, placed)
	}
	return tree, nil
}

func (r *release) redHat(p platform) ([]file, error) { return placed(r.beside(p), inRedHat) }

// placed gives what the archives have, as a system wants it.
func placed(beside []file, where map[string]string) (tree []file, err error) {
	for _, f := range beside {
		at := where[f.name]
		if strings.HasPrefix(f.name, "man/") {
			at = "/usr/share/" + f.name + ".gz"
		}
		if at == "" {
			continue
		}
		placed, err := place(f, at)
		if err != nil {
			return nil, err
		}
		tree = append(tree, placed)
	}
	return tree, nil
}

// place puts a file somewhere, compressed where the name there says so.
func place(f file, at string) (placed file, err error) {
	if path.Ext(at) == ".gz" {
		f.data, err = gzipped(f.data, gzip.BestCompression)
	}
	return file{at, f.mode, f.data}, err
}

// License is the text of it, for the file that Debian asks for.
func (r *release) License() string {
	for _, f := range r.inside {
		if f.name == "LICENSE" {
			return string(f.data)
		}
	}
	return ""
}

// DebianVersion sorts what comes before a version before it, and says which packaging of the version this is.
func (r *release) DebianVersion() string { return strings.Replace(r.Version, "-", "~", 1) + "-1" }
