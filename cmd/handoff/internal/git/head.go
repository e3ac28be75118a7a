package git

import (
	"bufio"
	"io"
	"path/filepath"
	"regexp"
	"strings"

	"handoff/tools/relay/platform"
)

// smallFile is the longest file of one line that is read, in bytes.
const smallFile = 64 << 10

// packedRefs is how much of packed-refs is read, in bytes: about a million references.
const packedRefs = 64 << 20

var objectID = regexp.MustCompile(`^[0-9a-f]{40}([0-9a-f]{24})?$`)

// Head returns the branch that is checked out and the id of its commit. The branch is empty when HEAD is detached. The
// commit is empty before the first one, and when references are kept in a format that this package does not read.
func (r Repository) Head() (branch, commit string) {
	content, err := readSmall(filepath.Join(r.Dir, "HEAD"))
	if err != nil {
		return "", ""
	}
	ref, commit := parseHead(content)
	if ref == "" {
		return "", commit
	}
	branch = strings.TrimPrefix(ref, "refs/heads/")
	if branch == ".invalid" { // a reftable repository, where HEAD only keeps old programs away
		return "", ""
	}
	return branch, r.commitOf(ref)
}

// parseHead reads "ref: refs/heads/main" or, detached, the id of a commit.
func parseHead(content string) (ref, commit string) {
	line, ok := firstLine(content)
	if !ok {
		return "", ""
	}
	if ref, ok := strings.CutPrefix(line, "ref: "); ok && filepath.IsLocal(ref) {
		return ref, ""
	}
	if objectID.MatchString(line) {
		return "", line
	}
	return "", ""
}

func (r Repository) commitOf(ref string) string {
	content, err := readSmall(filepath.Join(r.Common, filepath.FromSlash(ref)))
	if err == nil {
		_, commit := parseHead(content)
		return commit
	}
	packed, err := platform.OpenRegular(filepath.Join(r.Common, "packed-refs"))
	if err != nil {
		return ""
	}
	defer packed.Close()
	return findPacked(io.LimitReader(packed, packedRefs), ref)
}

// findPacked looks a reference up in packed-refs: lines "ID NAME", beside comments and peeled tags.
func findPacked(packed io.Reader, ref string) string {
	for lines := bufio.NewScanner(packed); lines.Scan(); {
		if id, name, ok := strings.Cut(lines.Text(), " "); ok && name == ref && objectID.MatchString(id) {
			return id
		}
	}
	return ""
}

// readSmall reads a file of one line.
func readSmall(path string) (string, error) {
	content, err := platform.ReadRegular(path, smallFile)
	return string(content), err
}
