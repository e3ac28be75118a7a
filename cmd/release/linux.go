package main

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"path"
	"path/filepath"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	"github.com/goreleaser/nfpm/v2/rpm"
	"go.yaml.in/yaml/v3"
)

// addDebPackage makes the package for Debian and its kin.
func (b *build) addDebPackage(context.Context) error {
	all := b.filesBesideProgram()
	for _, template := range []string{"copyright.tmpl", "changelog.Debian.tmpl", "lintian-overrides.tmpl"} {
		data, err := b.fillTemplate(template, b)
		if err != nil {
			return err
		}
		all = append(all, file{template, modeText, data})
	}
	return b.addLinuxPackage("deb", deb.Default, all)
}

// addRPMPackage makes the package for Red Hat and its kin.
func (b *build) addRPMPackage(context.Context) error {
	return b.addLinuxPackage("rpm", rpm.DefaultRPM, b.filesBesideProgram())
}

// addLinuxPackage makes a package of the program and of those files that have a path in packages of this kind.
func (b *build) addLinuxPackage(kind string, packager nfpm.Packager, all []file) error {
	if b.OS != "linux" {
		return nil
	}
	installed, err := systemTree(all, systemPaths[kind])
	if err != nil {
		return err
	}
	info := &nfpm.Info{
		Name: "handoff", Arch: b.Arch, Platform: b.OS, Version: b.Version, Release: "1", MTime: b.Date,
		Section: "devel", Priority: "optional", Maintainer: b.Maintainer + " <" + b.Mail + ">", Vendor: b.Maintainer,
		Homepage: b.Repository, License: "MIT", Description: description + "\n" + longDescription, DisableGlobbing: true,
	}
	info.Umask = 0o022
	info.RPM.BuildHost, info.RPM.Summary = "localhost", description
	for _, f := range append(installed, b.programFile("/usr/bin/handoff")) {
		src := filepath.Join(b.work, kind+b.Arch, f.name)
		if err := writeFile(src, f.data, f.mode); err != nil {
			return err
		}
		info.Contents = append(info.Contents, &files.Content{
			Source: src, Destination: f.name, Type: files.TypeFile, FileInfo: &files.ContentFileInfo{Mode: f.mode, MTime: b.Date},
		})
	}
	info = nfpm.WithDefaults(info)
	if err := nfpm.PrepareForPackager(info, kind); err != nil {
		return err
	}
	var packed bytes.Buffer
	if err := packager.Package(info, &packed); err != nil {
		return err
	}
	return b.addArtifact(kind, b.platform, b.archiveName()+"."+kind, packed.Bytes())
}

const (
	description     = "Pass work between coding agents and people, and never lose it"
	longDescription = "handoff serves Claude Code, Codex, Gemini CLI and other clients of the Model\n" +
		"Context Protocol, and people by commands. Work waits on disk in a mailbox. One\n" +
		"agent at a time claims it, and its sender is told how it ended."
)

//go:embed packages.yaml
var packages []byte

// systemPaths has, for each kind of package, the paths in the system of the archives' files.
var systemPaths = func() (paths map[string]map[string]string) {
	if err := yaml.Unmarshal(packages, &paths); err != nil {
		panic(err)
	}
	return paths
}()

// systemTree returns the files that a package installs, under their paths in the system. The map where has the paths.
// Files without a path there are left out, except manual pages. It compresses files whose path ends with .gz.
func systemTree(all []file, where map[string]string) (tree []file, err error) {
	for _, f := range all {
		at := where[f.name]
		if strings.HasPrefix(f.name, "man/") {
			at = "/usr/share/" + f.name + ".gz"
		}
		if at == "" {
			continue
		}
		if path.Ext(at) == ".gz" {
			if f.data, err = compressGzip(f.data, gzip.BestCompression); err != nil {
				return nil, err
			}
		}
		tree = append(tree, file{at, f.mode, f.data})
	}
	return tree, nil
}

// License returns the text of the license, for the file that Debian requires.
func (r *release) License() string { return string(pickFiles(r.inside, "LICENSE")[0].data) }

// DebianVersion returns the version in Debian's form, such as 1.2.0~rc.1-1 for 1.2.0-rc.1. The ~ makes Debian sort a
// candidate before its version. The last number is the number of the packaging.
func (r *release) DebianVersion() string { return strings.Replace(r.Version, "-", "~", 1) + "-1" }
