// Command release makes all files of a release of handoff from a commit of this repository:
//
//	go run -C cmd/release . -snapshot        makes the files of a release from HEAD
//	go run -C cmd/release .                  makes the files of the version whose tag is at HEAD
//	go run -C cmd/release . -prepare 1.2.0   puts this version into the changelog and the plugins
//	go run -C cmd/release . -address github.com/owner/handoff   puts this address into module path, imports and documents
//
// It publishes nothing and uses no network. The same commit makes the same bytes in every checkout. The names that
// belong to the owner are in settings.yaml. This command is a separate module, so that handoff does not depend on its
// libraries.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

func main() {
	snapshot := flag.Bool("snapshot", false, "make what a release of HEAD would be")
	version := flag.String("prepare", "", "write this version into the changelog and the plugins, and make nothing")
	out := flag.String("out", "", "the `folder` of the release, instead of dist at the top: an earlier release in it is removed")
	address := flag.String("address", "", "give the repository this module path, and make nothing")
	platforms := flag.String("platforms", "", "only these, as linux/amd64,windows/arm64")
	flag.Parse()
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root, err := runCommand(ctx, ".", nil, "git", "rev-parse", "--show-toplevel")
	root, err = strings.TrimSpace(root), cmp.Or(checkFlags(given, flag.Args()), err)
	switch {
	case err != nil:
	case given["prepare"]:
		err = prepareVersion(root, *version, time.Now())
	case given["address"]:
		err = setAddress(ctx, root, *address)
	default:
		err = makeRelease(ctx, root, *snapshot, *out, *platforms)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// checkFlags refuses arguments without meaning, and flags that contradict each other.
func checkFlags(given map[string]bool, words []string) error {
	if len(words) > 0 {
		return fmt.Errorf("%q is no flag; quote what has spaces", words[0])
	}
	if (given["prepare"] || given["address"]) && len(given) > 1 {
		return errors.New("-prepare and -address make nothing, so they go with no other flag")
	}
	return nil
}

func makeRelease(ctx context.Context, root string, snapshot bool, out, platforms string) error {
	out, unfit := outFolder(root, out)
	chosen, err := parsePlatforms(platforms)
	if err = cmp.Or(unfit, err); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	r := newRelease(work, out, chosen)
	if err := r.checkOutVersion(ctx, root, snapshot); err != nil {
		return err
	}
	return r.makeAllFiles(ctx)
}

// makeAllFiles makes everything. Files that others contain or count come first.
func (r *release) makeAllFiles(ctx context.Context) error {
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	if err := writeFile(filepath.Join(r.out, checksumsFile), nil, modeText); err != nil { // a failed release leaves the folder recognisable
		return err
	}
	steps := []func(context.Context) error{r.addDocuments}
	for _, b := range r.Platforms {
		steps = append(steps, b.compile, b.addArchive, b.addLinuxPackages, b.addNPMPackage, b.addBundle, b.addBillOfMaterials)
	}
	for _, step := range append(steps, r.addImage, r.addMainNPMPackage, r.addExtensions, r.addManifests, r.writeChecksums) {
		if err := step(ctx); err != nil {
			return err
		}
	}
	fmt.Fprintf(os.Stderr, "handoff %s of commit %.12s is in %s\n", r.Version, r.Commit, r.out)
	return nil
}
