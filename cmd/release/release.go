package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Settings are the choices of the project's owner.
type Settings struct {
	Module                string
	Maintainer, Mail      string
	Repository, Downloads string
	NPM                   string `yaml:"npm"`
	Image, Server, Winget string
	Tap, Bucket           string
	Sign                  struct{ Bundle, Checksums string }
}

const settingsFile = "cmd/release/settings.yaml"

func readSettings(root string) (s Settings, err error) {
	text, err := os.ReadFile(filepath.Join(root, settingsFile))
	if err != nil {
		return s, err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&s); err != nil {
		return s, fmt.Errorf("settings.yaml: %w", err)
	}
	return s, nil
}

// release is one version, and the files made so far.
type release struct {
	Settings
	Version   string    // as 1.2.3
	Commit    string    // of the source
	Date      time.Time // of the commit, in UTC; all files have it
	Notes     string    // the changelog's section of the version
	Platforms []*build
	Artifacts []artifact

	inside     []file // in each archive, next to the program and its NOTICES
	work, out  string // work has the source in src
	Unreleased bool   // a snapshot
}

// build is the work for one platform. It does not depend on builds for other platforms.
type build struct {
	*release
	platform
	program []byte
	beside  []file // the companion files of the program
	Modules []dependency
}

func newRelease(work, out string, platforms []platform) *release {
	r := &release{work: work, out: out}
	for _, p := range platforms {
		r.Platforms = append(r.Platforms, &build{release: r, platform: p})
	}
	return r
}

// artifact is a file of the release.
type artifact struct {
	platform
	Kind, Name, SHA256 string
}

// file is a file in an archive.
type file struct {
	name string
	mode fs.FileMode
	data []byte
}

const (
	modeProgram = 0o755
	modeText    = 0o644
)

// Of returns the artifacts of a kind, for the templates.
func (r *release) Of(kind string) []artifact {
	return slices.DeleteFunc(slices.Clone(r.Artifacts), func(a artifact) bool { return a.Kind != kind })
}

// addArtifact puts a file into the release.
func (r *release) addArtifact(ctx context.Context, kind string, p platform, name string, data []byte) error {
	signed, err := r.writeSigned(ctx, map[string]string{"bundle": r.Sign.Bundle}[kind], name, data)
	sum := sha256.Sum256(signed)
	r.Artifacts = append(r.Artifacts, artifact{platform: p, Kind: kind, Name: name, SHA256: hex.EncodeToString(sum[:])})
	return err
}

// writeSigned writes a file of the release, and signs it if there is a command for it. It returns the bytes of the
// file, because the signature of a bundle becomes a part of it.
func (r *release) writeSigned(ctx context.Context, command, name string, data []byte) ([]byte, error) {
	name = filepath.Join(r.out, name)
	if err := writeFile(name, data, modeText); err != nil || command == "" {
		return data, err
	}
	if _, err := runCommand(ctx, ".", []string{"FILE=" + name}, "sh", "-c", command); err != nil {
		return nil, err
	}
	return os.ReadFile(name)
}

func (r *release) sourcePath(name string) string { return filepath.Join(r.work, "src", name) }

func writeFile(name string, data []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil { //nolint:gosec // a release is for everybody
		return err
	}
	return os.WriteFile(name, data, mode)
}

// runCommand runs a command with more environment, and returns its output.
func runCommand(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...) //nolint:gosec // the commands stand in this program and in its settings
	cmd.Dir, cmd.Env, cmd.Stderr = dir, append(os.Environ(), env...), os.Stderr
	printed, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
	}
	return string(printed), nil
}
