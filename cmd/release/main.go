// Command release makes all that a release of handoff consists of, from a commit of this repository:
//
//	go run -C cmd/release . -snapshot        what a release of HEAD would be
//	go run -C cmd/release .                  the version whose tag stands at HEAD
//	go run -C cmd/release . -prepare 1.2.0   the changelog and the plugins say that version
//
// Nothing is published and no network is asked. The same commit makes the same bytes wherever it is checked out. What
// belongs to the owner stands in settings.yaml. It is a module of its own, so that handoff depends on none of its
// libraries.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	snapshot := flag.Bool("snapshot", false, "make what a release of HEAD would be")
	prepare := flag.String("prepare", "", "write this version into the changelog and the plugins, and make nothing")
	out := flag.String("out", "../../dist", "the `folder` of the release: what is in it is removed")
	platforms := flag.String("platforms", "", "only these, as linux/amd64,windows/arm64")
	flag.Parse()
	err := run(context.Background(), *prepare, *snapshot, *out, *platforms)
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, prepare string, snapshot bool, out, platforms string) error {
	root, err := output(ctx, ".", nil, "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	root = strings.TrimSpace(root)
	if prepare != "" {
		return prepared(root, prepare, time.Now())
	}
	out, err = filepath.Abs(out)
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	r := &release{work: work, out: out}
	if r.platforms, err = parsePlatforms(platforms); err != nil {
		return err
	}
	if err := r.checkOut(ctx, root, snapshot); err != nil {
		return err
	}
	return r.make(ctx)
}

// make makes everything, what others carry or sum first.
func (r *release) make(ctx context.Context) error {
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{
		r.programs, r.documents, r.archives, r.linuxPackages, r.image, r.npmPackages, r.bundles, r.extensions, r.bill,
		r.manifests, r.checksums,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	fmt.Fprintf(os.Stderr, "handoff %s of commit %.12s is in %s\n", r.Version, r.Commit, r.out)
	return nil
}
