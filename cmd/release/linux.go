package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // for Debian and its kin
	_ "github.com/goreleaser/nfpm/v2/rpm" // for Red Hat and its kin
)

// addLinuxPackages makes the packages of Linux systems. The template packages.yaml says where they install the files.
func (b *build) addLinuxPackages(ctx context.Context) error {
	if b.OS != "linux" {
		return nil
	}
	text, err := b.fillTemplate("packages.yaml.tmpl", b)
	files, unfilled := b.fillFolder("debian", b)
	config, unfit := nfpm.Parse(bytes.NewReader(text))
	if err = errors.Join(err, unfilled, unfit); err != nil {
		return err
	}
	files = append(append(files, b.programFile("handoff")), b.beside...)
	for _, c := range config.Contents {
		source := filepath.Join(b.work, "packages", b.Arch, c.Source)
		if err := writeInstalled(source, pickFiles(files, strings.TrimSuffix(c.Source, ".gz"))[0]); err != nil {
			return err
		}
		c.Source = source
	}
	for _, kind := range []string{"deb", "rpm"} {
		packager, unknown := nfpm.Get(kind)
		info, err := config.Get(kind)
		if err = errors.Join(unknown, err, nfpm.PrepareForPackager(info, kind)); err != nil {
			return err
		}
		var packed bytes.Buffer
		if err := packager.Package(info, &packed); err != nil {
			return err
		}
		if err := b.addArtifact(ctx, kind, b.platform, b.archiveName()+"."+kind, packed.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

// writeInstalled writes a file that a package installs. It compresses the file if its new name ends with .gz.
func writeInstalled(name string, f file) error {
	if filepath.Ext(name) != ".gz" {
		return writeFile(name, f.data, f.mode)
	}
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // it fails for unknown levels only
	_, err := w.Write(f.data)
	return errors.Join(err, w.Close(), writeFile(name, b.Bytes(), f.mode))
}

// License returns the text of the license, indented for the file that Debian requires.
func (r *release) License() string {
	text := strings.TrimSpace(string(pickFiles(r.inside, "LICENSE")[0].data))
	return " " + strings.ReplaceAll(strings.ReplaceAll(text, "\n\n", "\n.\n"), "\n", "\n ")
}

// ManualPages returns the files of the manual, such as man/man1/handoff.1.
func (r *release) ManualPages() (names []string) {
	for _, f := range r.inside {
		if strings.HasPrefix(f.name, "man/") {
			names = append(names, f.name)
		}
	}
	return names
}

// DebianVersion returns the version in Debian's form, such as 1.2.0~rc.1-1 for 1.2.0-rc.1. The ~ makes Debian sort a
// candidate before its version. The last number is the number of the packaging.
func (r *release) DebianVersion() string { return strings.Replace(r.Version, "-", "~", 1) + "-1" }
