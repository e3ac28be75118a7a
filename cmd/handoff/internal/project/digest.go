package project

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"handoff/schemas"
	"handoff/tools"
)

// fileDigest returns the digest of a regular file in the form of [schemas.File]. Gone is true if the file does not
// exist. The digest is empty if the file has more bytes than mostRead, or than left, which is the number of bytes that
// the call may still read.
func fileDigest(root *os.Root, path string, left *int) (digest string, gone bool) {
	if path == "" || strings.ContainsAny(path, "*?[{:") {
		return "", false
	}
	path = relativeTo(root, path)
	info, err := root.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > int64(min(mostRead, *left)) {
		return "", errors.Is(err, fs.ErrNotExist)
	}
	content, err := root.ReadFile(path)
	if err != nil {
		return "", false
	}
	*left -= len(content)
	return fmt.Sprintf("%x", sha256.Sum256(content))[:16], false
}

// ChangedFilesIntro begins the line of a brief about files that changed. No text of an agent begins a line of a brief.
const ChangedFilesIntro = "\nIn this checkout: "

// addChangedFiles adds a line to the brief in the result of a call. The line names the files, references and artifacts
// in the context of an open handoff that differ in this checkout from the time when the handoff was sent.
func (f *Invoker) addChangedFiles(ctx context.Context, c tools.Call, out json.RawMessage) json.RawMessage {
	var shown schemas.GetOut
	if json.Unmarshal(out, &shown) != nil || shown.Brief == "" || shown.Status.HasEnded() {
		return out
	}
	root, err := os.OpenRoot(f.Dir)
	if err != nil {
		return out
	}
	defer root.Close()
	work, err := tools.ReadHandoff(ctx, f.Invoker, c, shown.HandoffID.String(), "full")
	if err != nil || work.Handoff == nil || work.Handoff.Context == nil {
		return out
	}
	text := describeChangedFiles(root, sentFiles(work.Handoff.Context))
	before, err := schemas.Encode(shown.Brief)
	after, failed := schemas.Encode(shown.Brief + ChangedFilesIntro + text)
	if text == "" || err != nil || failed != nil {
		return out
	}
	return bytes.Replace(out, before, after, 1)
}

// sentFiles returns the files of a context, also those of its references and artifacts, with their digests at the send.
func sentFiles(c *schemas.Context) []schemas.File {
	files := slices.Clone(c.Files)
	for _, ref := range c.References {
		if ref.IsKept() {
			files = append(files, schemas.File{Path: ref.ReadFrom, Digest: strings.TrimPrefix(ref.Digest, "sha256:")})
		}
	}
	for _, a := range c.Artifacts {
		files = append(files, schemas.File{Path: a.Path, Digest: a.Digest})
	}
	return files
}

// describeChangedFiles returns a text with the names of the files whose digest has changed and of the files that do not
// exist any more. It returns "" if no file has changed.
func describeChangedFiles(root *os.Root, files []schemas.File) string {
	var changed, gone []string
	left := 4 * mostRead
	for _, file := range files {
		if file.Digest == "" {
			continue
		}
		switch digest, none := fileDigest(root, file.Path, &left); {
		case none:
			gone = append(gone, file.Path)
		case !strings.HasPrefix(file.Digest, digest):
			changed = append(changed, file.Path)
		}
	}
	var parts []string
	if len(changed) > 0 {
		parts = append(parts, "changed since it was sent: "+strings.Join(schemas.Unique(changed), ", "))
	}
	if len(gone) > 0 {
		parts = append(parts, "gone: "+strings.Join(schemas.Unique(gone), ", "))
	}
	return schemas.EscapeHidden(strings.Join(parts, "; "))
}
